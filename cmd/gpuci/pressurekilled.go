package main

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"gpuci/pressure/plot"
	"gpuci/reaper/proc"
)

// underPressure is the mark of what ran though the pressure was not over.
const underPressure = "under pressure"

// readStarted reads who began a gate that has no verdict.
func readStarted(dir, name string) (drawnRun, error) {
	var s struct {
		Gate  string        `json:"gate"`
		Lane  string        `json:"lane"`
		Begun time.Time     `json:"begun"`
		Gpuci proc.Identity `json:"gpuci"`
		Host  string        `json:"host"`
		PIDs  string        `json:"pid-namespace"`
	}
	_, err := readJSON(filepath.Join(dir, "started.json"), &s)
	text, killed := goesOn(dir)
	host, _ := os.Hostname()
	pids, _ := os.Readlink("/proc/self/ns/pid")
	if host == s.Host && pids == s.PIDs { // else its pid means nothing here
		alive, err := proc.Real.Alive(s.Gpuci)
		switch {
		case err == nil && alive:
			text, killed = fmt.Sprintf("it goes on (pid %d)", s.Gpuci.PID), false
		case err == nil && !killed:
			text, killed = fmt.Sprintf("killed: gpuci (pid %d) is gone", s.Gpuci.PID), true
		}
	}
	return drawnRun{title: titleOf("gate "+s.Gate, s.Lane), subtitle: name + " · " + text, from: s.Begun, killed: killed}, err
}

// silence is how long nothing can be written of a run that goes on: a line
// comes every second, and a stalled disk holds the last ones back.
const silence = 30 * time.Second

// goesOn tells of a run without an end whether it has one all the same.
func goesOn(dir string) (text string, killed bool) {
	info, err := os.Stat(filepath.Join(dir, "pressure.jsonl"))
	switch {
	case err != nil:
		return "no end is written down: it goes on, or was killed", false
	case time.Since(info.ModTime()) < silence:
		return "it goes on, or was killed a moment ago", false
	}
	return "killed: it wrote nothing down after " + info.ModTime().Local().Format("15:04:05"), true
}

// close ends a run without an end where its last point is, and says in the
// row of the phases that it has none.
func (r *drawnRun) close() {
	if !r.to.IsZero() || len(r.points) == 0 {
		return
	}
	first, last := r.points[0], r.points[len(r.points)-1]
	r.to = last.Time
	if r.from.IsZero() {
		r.from = first.Time.Add(-first.Length)
	}
	if r.killed {
		r.bars = append(r.bars, plot.Bar{Kind: plot.Phase, Label: "until it was killed: phases are written down at the end", From: r.from, To: r.to})
	}
}

// fewPoints is how many points a run can have without two looks at one command:
// the last of them is its end.
const fewPoints = 2

// note is why something of the pressure is not known.
func (r drawnRun) note() string {
	if r.unknown != "" {
		return "unknown: " + r.unknown
	}
	for _, p := range r.points {
		if p.OwnIO.Full.Known {
			return ""
		}
	}
	switch n := len(r.points); {
	case n == 0:
		return ""
	case n <= fewPoints:
		return "own io full is unknown: it takes two looks at one command, a second apart"
	}
	return "own io full is unknown: the run had no cgroup (v2) of its own, or none for two looks, a second apart"
}
