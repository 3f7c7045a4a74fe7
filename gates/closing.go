package gates

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"gpuci/reaper/proc"
)

// tellLeftover says what came of a run's leftovers, to the person who watches
// and in the run's record. Only a run without a verdict was killed; another one
// had said itself what it could not end.
func (f *flow) tellLeftover(s startedRecord, r proc.Result) {
	l := Leftover{At: time.Now(), By: f.v.Run, Ended: names(r.Ended), Left: names(r.Spared), Survivors: survivors(r)}
	for _, u := range r.Unknown {
		l.Unknown = append(l.Unknown, fmt.Sprintf("pid %d: %v", u.PID, u.Err))
	}
	dir := filepath.Join(f.opt.State, "runs", s.Run)
	_, err := os.Stat(filepath.Join(dir, "verdict.json"))
	what, killed := "could not end", err != nil
	if killed {
		what = "left when gpuci was killed"
	}
	of := fmt.Sprintf("what run %s of gate %s %s", s.Run, s.Gate, what)
	for _, line := range []struct {
		list []string
		text string
	}{
		{l.Ended, "ended " + of + ": "},
		{l.Left, "left running, as gpuci.toml says, of " + of + ": "},
		{l.Survivors, "still there of " + of + ": "},
		{l.Unknown, "perhaps of " + of + ", for it cannot be asked: "},
	} {
		if len(line.list) > 0 {
			f.opt.note("%s%s", line.text, strings.Join(line.list, ", "))
		}
	}
	f.writeKills(leftoverKills(s, r.Ended, f.v.Run, strings.TrimSpace(of)))
	if killed {
		f.closeKilled(s, dir, l)
	} else {
		if f.amend(dir, l); s.Trial != "" {
			return
		}
		f.keepFile(dir) // it may have been killed between the two
	}
}

// killedExit is what a shell shows for a process that SIGKILL ended.
const killedExit = 137

// closeKilled gives a killed run its verdict.
func (f *flow) closeKilled(s startedRecord, dir string, l Leftover) {
	r := &record{dir: dir}
	if err := os.MkdirAll(dir, 0o755); err != nil { // it can have been killed before it made one
		f.opt.note("close the record of run %s: %v", s.Run, err)
		return
	}
	v := Verdict{
		Type: kindOf(s.Trial), Trial: s.Trial, Schema: schema, Run: s.Run, Gate: s.Gate, Outcome: Interrupted, Exit: killedExit,
		Findings: []Finding{{Interrupted, "gpuci itself was killed before it could say anything"}},
		Next:     []string{"run it again"},
		Bound:    Bound{Lane: cmp.Or(s.As, s.Lane), Root: s.Root, Unread: true}, Started: s.Begun, Dir: dir, Steps: []Step{}, Leftover: &l,
	}
	for _, name := range []string{"run.log", "build.log"} {
		if path := filepath.Join(dir, name); v.Log == "" && exists(path) {
			v.Log, v.Next = path, append(v.Next, "read "+path)
		}
	}
	if r.json("verdict.json", v); r.err != nil {
		f.opt.note("close the record of run %s: %v", s.Run, r.err)
		return
	}
	if s.Trial == "" {
		f.keepFile(dir)
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// amend adds to a verdict that is there what became of what it left: to what
// was ended before, and in place of what was still there. All else in it stays
// as it was written, by whatever version.
func (f *flow) amend(dir string, l Leftover) {
	path := filepath.Join(dir, "verdict.json")
	data, err := os.ReadFile(path)
	var v map[string]json.RawMessage
	if err == nil {
		err = json.Unmarshal(data, &v)
	}
	var before Leftover
	if err == nil && v["leftover"] != nil {
		err = json.Unmarshal(v["leftover"], &before)
	}
	if err == nil && len(l.Ended)+len(l.Left)+len(l.Survivors)+len(l.Unknown)+len(before.Survivors)+len(before.Unknown) == 0 {
		return
	}
	if err == nil {
		l.Ended, l.Left = join(before.Ended, l.Ended), join(before.Left, l.Left)
		v["leftover"], err = json.Marshal(l)
	}
	if err != nil {
		f.opt.note("add to %s: %v", path, err)
		return
	}
	r := &record{dir: dir}
	if r.json("verdict.json", v); r.err != nil {
		f.opt.note("add to %s: %v", path, r.err)
	}
}

// join adds to a list what it has not.
func join(list, more []string) []string {
	for _, one := range more {
		if !slices.Contains(list, one) {
			list = append(list, one)
		}
	}
	return list
}
