package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"gpuci/buildlock"
	"gpuci/gates"
	"gpuci/pressure"
	"gpuci/pressure/plot"
)

// drawnRun is a recorded run, as far as it can be drawn.
type drawnRun struct {
	title    string
	subtitle string
	from, to time.Time // a zero one is not known: it goes on, or was killed
	points   pressure.Timeline
	bars     []plot.Bar
	unknown  string // why something of the pressure is not known
}

func (r drawnRun) chart() plot.Chart {
	return plot.Chart{Title: r.title, Subtitle: r.subtitle, From: r.from.Local(), To: r.to, Points: r.points, Bars: r.bars}
}

// readRun reads the directory of a run. What is missing there is said, and the
// rest is drawn.
func readRun(dir string, note func(string)) (r drawnRun, err error) {
	name := filepath.Base(dir)
	if filepath.Base(filepath.Dir(dir)) == buildsDir {
		r, err = readBuild(dir, name)
	} else {
		r, err = readGate(dir, name)
	}
	if err != nil {
		return r, err
	}
	r.points, err = pressure.ReadTimeline(filepath.Join(dir, "pressure.jsonl"))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		note("the pressure during " + name + " was not recorded: an older gpuci made it, or it was skipped")
	case err != nil:
		note(err.Error())
	case r.unknown != "":
		note("not all of the pressure during " + name + " is known: " + r.unknown)
	}
	events, err := buildlock.ReadLinkLog(filepath.Join(dir, "links.jsonl"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) { // a gate that builds nothing has none
		note(err.Error())
	}
	r.bars = append(r.bars, linkBars(events, !r.to.IsZero())...)
	if r.to.IsZero() && len(r.points) > 0 {
		r.to = r.points[len(r.points)-1].Time
	}
	return r, nil
}

// readGate reads what became of a gate: its verdict, or who began it.
func readGate(dir, name string) (r drawnRun, err error) {
	var v gates.Verdict
	found, err := readJSON(filepath.Join(dir, "verdict.json"), &v)
	if err != nil {
		return r, err
	}
	if !found {
		var s struct {
			Gate  string    `json:"gate"`
			Lane  string    `json:"lane"`
			Begun time.Time `json:"begun"`
		}
		_, err := readJSON(filepath.Join(dir, "started.json"), &s)
		return drawnRun{title: titleOf("gate "+s.Gate, s.Lane), subtitle: name + " · no verdict: it goes on, or was killed", from: s.Begun}, err
	}
	r.title = titleOf("gate "+v.Gate, v.Bound.Lane)
	r.subtitle = fmt.Sprintf("%s · %s · %s", v.Run, outcomeWord(v), buildlock.Round(seconds(v.Seconds)))
	r.from, r.to = v.Started, v.Started.Add(seconds(v.Seconds))
	at := v.Started
	for _, s := range v.Steps { // one after the other
		end := at.Add(seconds(s.Seconds))
		if s.Seconds > 0 {
			r.bars = append(r.bars, plot.Bar{Kind: plot.Phase, Label: s.Name, From: at, To: end})
		}
		if s.Name == "pressure" && v.Held > 0 {
			r.bars = append(r.bars, plot.Bar{Kind: plot.Hold, Label: "the gate", From: end.Add(-seconds(v.Held)), To: end})
		}
		at = end
	}
	r.unknown = v.StallUnknown
	return r, nil
}

// titleOf says what ran, and where.
func titleOf(what, lane string) string {
	if lane == "" {
		return what
	}
	return what + ", lane " + lane
}

// readBuild reads what became of a build.
func readBuild(dir, name string) (r drawnRun, err error) {
	b, err := gates.ReadBuild(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return drawnRun{title: "build", subtitle: name + " · no end: it goes on, or was killed"}, nil
	case err != nil:
		return r, fmt.Errorf("read record of build %s: %w", name, err)
	}
	r.title = titleOf(b.Command, b.Lane)
	r.subtitle = fmt.Sprintf("%s · exit %d · %s", name, b.Exit, buildlock.Round(seconds(b.Seconds)))
	r.from, r.to = b.Started, b.Started.Add(seconds(b.Seconds))
	r.unknown = b.StallUnknown
	return r, nil
}

// readJSON reads a file of a record; found is false when there is none.
func readJSON(path string, into any) (found bool, err error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err == nil {
		err = json.Unmarshal(data, into)
	}
	if err != nil {
		return false, fmt.Errorf("read record %s: %w", path, err)
	}
	return true, nil
}

// linkBars are the links at work, in line and held back. over says that the
// build is over, and so are all of its links.
func linkBars(events []buildlock.LinkEvent, over bool) (out []plot.Bar) {
	ended := make(map[string]time.Time)
	for _, e := range events {
		if e.Outcome == buildlock.Ended {
			ended[e.Ticket] = e.Time
		}
	}
	for _, e := range events {
		label := strings.TrimSpace(fmt.Sprintf("%s (pid %d) %s", e.Tool, e.PID, e.Ticket))
		held := min(e.Held, e.Waited)
		began := e.Time.Add(-held)
		switch e.Outcome {
		case buildlock.Ticketed, buildlock.TimedOut, buildlock.Failed:
			if e.Waited > held {
				out = append(out, plot.Bar{Kind: plot.Wait, Label: label, From: e.Time.Add(-e.Waited), To: began})
			}
			if held > 0 {
				out = append(out, plot.Bar{Kind: plot.Hold, Label: label, From: began, To: e.Time})
			}
		}
		if e.Outcome != buildlock.Ticketed {
			continue
		}
		to, seen := ended[e.Ticket]
		if !seen && over {
			label, to = label+", whose end was not seen", e.Time
		}
		out = append(out, plot.Bar{Kind: plot.Link, Label: label, From: e.Time, To: to})
	}
	return out
}
