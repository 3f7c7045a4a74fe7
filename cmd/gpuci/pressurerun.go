package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
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
	killed   bool   // it did not come to write its end down
}

func (r drawnRun) chart() plot.Chart {
	return plot.Chart{
		Title: r.title, Subtitle: r.subtitle, From: r.from.Local(), To: r.to, Points: r.points, Bars: r.bars,
		Note: r.note(),
	}
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
	r.bars = append(r.bars, linkBars(events, r.killed || !r.to.IsZero())...)
	r.close()
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
		return readStarted(dir, name)
	}
	r.title = titleOf("gate "+v.Gate, v.Bound.Lane)
	r.from = v.Started
	if v.Seconds == 0 && v.Outcome == gates.Interrupted { // a later gpuci wrote that down, and knows no end
		r.killed = true
		r.subtitle = fmt.Sprintf("%s · %s: gpuci was killed", v.Run, outcomeWord(v))
		return r, nil
	}
	r.subtitle = fmt.Sprintf("%s · %s · %s", v.Run, outcomeWord(v), buildlock.Round(seconds(v.Seconds)))
	if slices.ContainsFunc(v.Marks, func(m string) bool { return strings.Contains(m, underPressure) }) {
		r.subtitle += " · " + underPressure
	}
	r.to = v.Started.Add(seconds(v.Seconds))
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
		text, killed := goesOn(dir)
		return drawnRun{title: "build", subtitle: name + " · " + text, killed: killed}, nil
	case err != nil: // the pressure can be drawn all the same
		return drawnRun{title: "build", subtitle: name + " · its record cannot be read"}, nil
	}
	r.title = titleOf(b.Command, b.Lane)
	r.subtitle = fmt.Sprintf("%s · exit %d · %s", name, b.Exit, buildlock.Round(seconds(b.Seconds)))
	if b.Under != "" {
		r.subtitle += " · " + underPressure
	}
	r.from, r.to = b.Started, b.Started.Add(seconds(b.Seconds))
	r.unknown = b.StallUnknown
	return r, nil
}

// maxRecord bounds what is read of a record, in bytes; a verdict has some hundred
// kilobytes at most.
const maxRecord = 16 << 20

// readJSON reads a file of a record; found is false when there is none.
func readJSON(path string, into any) (found bool, err error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	var data []byte
	if err == nil {
		defer f.Close()
		if info, serr := f.Stat(); serr != nil || !info.Mode().IsRegular() {
			return false, fmt.Errorf("read record %s: it is no regular file", path)
		}
		data, err = io.ReadAll(io.LimitReader(f, maxRecord))
	}
	if err == nil {
		err = json.Unmarshal(data, into)
	}
	if err != nil {
		return false, fmt.Errorf("read record %s: %w", path, err)
	}
	return true, nil
}
