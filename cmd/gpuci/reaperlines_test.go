package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gpuci/gates"
	"gpuci/reaper/proc"
)

// anyLine is a line of any command of the reaper's.
type anyLine struct {
	listedLine
	Event     string `json:"event"`
	Pending   bool   `json:"sigkill-pending"`
	Exit      int    `json:"exit"`
	Swept     int    `json:"swept"`
	Survivors int    `json:"survivors"`
	NotListed int    `json:"not-listed"`
	What      string `json:"what"`
	Who       string `json:"who"`
}

// reaperLines parses what is printed with --json, and returns the lines of a
// type.
func reaperLines(t *testing.T, stdout, kind string) (out []anyLine) {
	t.Helper()
	for line := range strings.Lines(stdout) {
		var l anyLine
		if err := json.Unmarshal([]byte(line), &l); err != nil || l.Type == "" {
			t.Fatalf("%q: %v", line, err)
		}
		if l.Type == kind {
			out = append(out, l)
		}
	}
	return out
}

// sweptJSON runs a sweep and returns its report.
func (s stage) sweptJSON(t *testing.T, args ...string) (code int, report anyLine, stdout, stderr string) {
	t.Helper()
	code, stdout, stderr = s.run(t, append([]string{"reaper", "sweep", "--json"}, args...)...)
	if found := reaperLines(t, stdout, "report"); len(found) == 1 {
		report = found[0]
	} else {
		t.Fatalf("%d reports: exit %d, %s%s", len(found), code, stdout, stderr)
	}
	if report.Exit != code {
		t.Errorf("exit %d, and the report says %d", code, report.Exit)
	}
	return code, report, stdout, stderr
}

// killed reads the history of a repository.
func killed(t *testing.T, repo string) (out []gates.KillRecord) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(repo, ".git", "gpuci", "reaper.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		var k gates.KillRecord
		if err := json.Unmarshal([]byte(line), &k); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		out = append(out, k)
	}
	return out
}

// in is the stage with another directory to stand in.
func (s stage) in(dir string) stage {
	s.dir = dir
	return s
}

// pidsOf are those of some lines, in order.
func pidsOf(lines []anyLine) (out []int) {
	for _, l := range lines {
		out = append(out, l.PID)
	}
	slices.Sort(out)
	return out
}

func pidsOfStats(list []proc.Stat) (out []int) {
	for _, p := range list {
		out = append(out, p.PID)
	}
	slices.Sort(out)
	return out
}

func pidsOfKills(list []gates.KillRecord) (out []int) {
	for _, k := range list {
		out = append(out, k.PID)
	}
	slices.Sort(out)
	return out
}
