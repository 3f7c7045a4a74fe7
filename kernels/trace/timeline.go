package trace

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"
)

// MedianStep asks for the warm step that took as long as the median one.
const MedianStep = -1

// TimelineOptions say of what a timeline is. The zero value is of the step 0.
type TimelineOptions struct {
	Stage string // "": the one with the most launches
	Step  int    // its number, or MedianStep
}

// Timeline is what one step of a program did, on the host and on the card, in the JSON of
// Chrome's trace viewer, which Perfetto reads as well.
type Timeline struct {
	Stage  string
	Step   int // its number; -1 where it is the whole process
	Took   time.Duration
	Calls  int  // of CUDA
	Pieces int  // of work of cards
	Timed  bool // a process has times of the card
	Cut    bool // there was more than it holds
	Others int  // processes that have no such step
	trace  chromeTrace
}

// timelineMost is how many calls, and pieces of work, a timeline holds: viewers hold no more.
const timelineMost = 500_000

// NoStep says that a stage has none of a number.
type NoStep struct {
	Stage       string
	Step        int
	First, Last int
}

func (e *NoStep) Error() string {
	if e.Last < 0 {
		return fmt.Sprintf("find step %d of the stage %q: it has no steps", e.Step, e.Stage)
	}
	return fmt.Sprintf("find step %d of the stage %q: it has those from %d to %d", e.Step, e.Stage, e.First, e.Last)
}

// NewTimeline makes that of a step. The error is a *[NoStage] or a *[NoStep] where it is
// not there. Of several processes each has its own step of that number.
func NewTimeline(ctx context.Context, r Recording, meta *Meta, how Counting, o TimelineOptions) (*Timeline, error) {
	var err error
	if meta == nil {
		if meta, err = ReadMeta(r.Dir); err != nil {
			return nil, err
		}
	}
	if how, err = meta.counting(r.Dir, how); err != nil {
		return nil, err
	}
	steps, err := stepsOf(ctx, r, how)
	if err != nil {
		return nil, err
	}
	chosen, err := choose(steps, o)
	if err != nil {
		return nil, err
	}
	t := &Timeline{Stage: stageLabel(chosen.stage), Step: chosen.number, Took: chosen.took}
	for i, list := range steps {
		at := slices.IndexFunc(list, func(s stepMark) bool { return s.stage == chosen.stage && s.number == chosen.number })
		if at < 0 {
			t.Others += count(len(list) > 0)
			continue
		}
		if err := t.add(ctx, &r.Processes[i], i, list[at], r.Processes[0].Began); err != nil {
			return nil, fmt.Errorf("read process %d (%s) for its timeline: %w", r.Processes[i].PID, r.Processes[i].Command, err)
		}
	}
	t.trace.settle()
	t.trace.Other = map[string]any{"stage": t.Stage, "step": t.Step, "cut": t.Cut, "of": "gpuci trace"}
	return t, nil
}

// stepMark is a step of a process.
type stepMark struct {
	stage    string
	number   int // -1 of a stage without any
	warm     bool
	launches int64
	began    time.Duration
	over     time.Duration
	took     time.Duration
}

// stageLabel is a stage's name for people, by which it can be asked for.
func stageLabel(stage string) string { return cmp.Or(stage, "(outside)") }

// stepsOf finds the steps of each process, in one pass.
func stepsOf(ctx context.Context, r Recording, how Counting) ([][]stepMark, error) {
	all := make([][]stepMark, len(r.Processes))
	for i := range r.Processes {
		p := &r.Processes[i]
		if !p.counted() {
			continue
		}
		names, err := p.Names()
		if err != nil {
			return nil, err
		}
		c := newCounter(p, &names, how, nil)
		c.folded = func(s *step) {
			if s.stage.has {
				all[i] = append(all[i], markOf(s))
			}
		}
		if err := p.Events(ctx, func(e Event) bool { c.now = e; c.take(&c.now); return true }); err != nil {
			return nil, fmt.Errorf("read process %d (%s): %w", p.PID, p.Command, err)
		}
		apart := map[string]int{}
		for _, stage := range c.summary().Stages {
			apart[stage.Name] = stage.Apart
		}
		seen := map[string]int{}
		for j := range all[i] {
			s := &all[i][j]
			s.warm = seen[s.stage] >= apart[s.stage]
			seen[s.stage]++
		}
	}
	return all, nil
}

func markOf(s *step) stepMark {
	number := s.number
	if number < 0 && s.stage.Name != Outside {
		number = s.index
	}
	return stepMark{s.stage.Name, number, false, s.counts[Launches] + s.counts[GraphLaunches], s.began, s.over, s.took}
}

// choose finds the step that is asked for, in the process that launches most.
func choose(all [][]stepMark, o TimelineOptions) (stepMark, error) {
	var list []stepMark
	launches := map[string]int64{}
	for _, one := range all {
		of := map[string]int64{}
		for _, s := range one {
			of[s.stage] += s.launches + 1
		}
		for stage, n := range of {
			launches[stage] += n
		}
		if total(one) > total(list) || list == nil {
			list = one
		}
	}
	stage, there := o.Stage, []string(nil)
	for name := range launches {
		there = append(there, fmt.Sprintf("%q", stageLabel(name)))
	}
	slices.Sort(there)
	switch stage {
	case "":
		stage = most(launches)
	case stageLabel(Outside), WholeRun:
		stage = Outside
	}
	if launches[stage] == 0 {
		return stepMark{}, &NoStage{o.Stage, there}
	}
	for _, one := range all { // the process that has most may not have that stage
		if !slices.ContainsFunc(list, func(s stepMark) bool { return s.stage == stage }) {
			list = one
		}
	}
	list = slices.DeleteFunc(slices.Clone(list), func(s stepMark) bool { return s.stage != stage })
	return one(list, stage, o.Step)
}

func one(list []stepMark, stage string, step int) (stepMark, error) {
	if step >= 0 {
		at := slices.IndexFunc(list, func(s stepMark) bool { return s.number == step })
		if at < 0 {
			by := func(a, b stepMark) int { return cmp.Compare(a.number, b.number) }
			return stepMark{}, &NoStep{stageLabel(stage), step, slices.MinFunc(list, by).number, slices.MaxFunc(list, by).number}
		}
		return list[at], nil
	}
	warm := slices.DeleteFunc(slices.Clone(list), func(s stepMark) bool { return !s.warm })
	if len(warm) == 0 {
		warm = list
	}
	slices.SortStableFunc(warm, func(a, b stepMark) int { return cmp.Compare(a.took, b.took) })
	return warm[(len(warm)-1)/2], nil
}

func total(list []stepMark) (n int64) {
	for _, s := range list {
		n += s.launches
	}
	return n
}

// most is the stage with the most launches; what is in no range is one where there is no other.
func most(launches map[string]int64) (stage string) {
	best := int64(-1)
	for name, n := range launches {
		if name != Outside && name != AfterLast && (n > best || n == best && name < stage) {
			stage, best = name, n
		}
	}
	return stage
}

// MarshalJSON is the trace.
func (t *Timeline) MarshalJSON() ([]byte, error) { return json.Marshal(t.trace) }
