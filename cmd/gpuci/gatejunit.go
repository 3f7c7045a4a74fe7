package main

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"gpuci/gates"
	"gpuci/gates/junit"
	"gpuci/gates/metric"
	"gpuci/worktrees"
)

// junitPlace refuses a file that would be a change of a lane of this repository:
// every outcome there would be stale by it, and no later one that of a clean lane,
// which others are held against. What git ignores changes nothing.
func (a *app) junitPlace(ctx context.Context, flag, file string) error {
	if file == "" {
		return nil
	}
	real, err := filepath.EvalSymlinks(file)
	if err != nil { // there is none yet
		if real, err = filepath.EvalSymlinks(filepath.Dir(file)); err != nil {
			return nil // it is said where the file is asked for
		}
		real = filepath.Join(real, filepath.Base(file))
	}
	if real, err = filepath.Abs(real); err != nil {
		return err
	}
	there, err := worktrees.Find(ctx, filepath.Dir(real))
	if err != nil {
		return nil // in no worktree
	}
	at, err := a.standing()
	if err != nil {
		return err
	}
	if here, err := findLane(ctx, at); err != nil || here.CommonDir != there.CommonDir {
		return nil // somebody else's
	}
	name, err := filepath.Rel(there.Root, real)
	if err != nil {
		return err
	}
	ignored, err := worktrees.Ignored(ctx, there, []string{name})
	if err != nil || len(ignored) > 0 {
		return err
	}
	return coded{
		gates.ExitUsage, fmt.Sprintf("%s %s would be a change of lane %s: every outcome there would be stale by it, and no later one that of a clean lane", flag, file, there.Name),
		fmt.Sprintf("name a file outside of the lane, or have git ignore it: echo /%s >> %s", filepath.ToSlash(name), filepath.Join(there.CommonDir, "info", "exclude")),
	}
}

// junitSuites are the outcomes as JUnit has them: a suite is a lane, a case a
// gate. What keeps a gate from being judged is an error there, what it was found
// to be a failure, and what did not run skipped.
func junitSuites(workspace string, done []gates.Verdict, notRun []string) []junit.Suite {
	if len(done) == 0 {
		return nil
	}
	first := done[0]
	s := junit.Suite{Name: orNone(first.Bound.Lane), Host: first.Bound.Host, Started: first.Started}
	for _, p := range [][2]string{{"commit", first.Bound.Commit}, {"changes", first.Bound.Changes}, {"branch", first.Bound.Branch}, {"gpuci", first.Bound.Gpuci}} {
		if p[1] != "" {
			s.Properties = append(s.Properties, p)
		}
	}
	for _, v := range done {
		s.Cases = append(s.Cases, junitCase(workspace, v))
	}
	for _, name := range notRun {
		s.Cases = append(s.Cases, junit.Case{Name: name, Class: workspace, Outcome: junit.Skipped, Message: "not run: one before it was not green"})
	}
	return []junit.Suite{s}
}

func junitCase(workspace string, v gates.Verdict) junit.Case {
	c := junit.Case{Name: v.Gate, Class: workspace, Seconds: v.Seconds, Outcome: junitOutcome(v.Outcome), Message: string(v.Outcome)}
	var text []string
	for i, f := range v.Findings {
		if i == 0 {
			c.Message = f.Text
		}
		text = append(text, string(f.Outcome)+": "+f.Text)
	}
	for _, n := range v.Next {
		text = append(text, "next: "+n)
	}
	if v.Outcome != gates.Green {
		c.Text = strings.Join(text, "\n")
	}
	c.Properties = [][2]string{{"outcome", outcomeWord(v)}, {"run", v.Run}, {"dir", v.Dir}}
	if r := v.Repeat; r != nil {
		c.Properties = append(c.Properties, [2]string{"repeat", r.Text()})
		for _, u := range r.Unstable {
			c.Properties = append(c.Properties, [2]string{"unstable " + u.Kind, u.Text})
		}
	}
	for _, m := range v.Marks {
		c.Properties = append(c.Properties, [2]string{"mark", m})
	}
	for _, m := range v.Metrics {
		for _, s := range m.Series {
			value := metric.Format(s.Last)
			if s.Count > 1 {
				value = fmt.Sprintf("%s to %s of %d", metric.Format(s.Low), metric.Format(s.High), s.Count)
			}
			c.Properties = append(c.Properties, [2]string{strings.Join(nonempty("metric "+m.Metric, s.Labels), " "), value})
		}
	}
	return c
}

func junitOutcome(o gates.Outcome) junit.Outcome {
	switch o {
	case gates.Green, gates.KnownRed, gates.Attention:
		return junit.Passed
	case gates.Red:
		return junit.Failed
	case gates.Refused:
		return junit.Skipped
	}
	return junit.Errored
}
