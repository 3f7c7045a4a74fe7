package gates

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"gpuci/reaper/proc"
)

// Bounds on ending what a killed gpuci left.
const (
	leftoverTime = 5 * time.Second  // for SIGKILL to work
	cookieTime   = 20 * time.Second // for reading the environments of all processes
)

// live is the file that stands for a run while it goes on. It is made before
// the first command and removed after the last: one that is found with its
// gpuci dead is a run that was killed.
func live(state, run string) string { return filepath.Join(state, "live", run+".json") }

// goLive writes the run down as going on.
func (r *record) goLive(state string, started startedRecord) {
	r.live = live(state, started.Run)
	data, err := json.Marshal(started)
	if err == nil {
		err = os.MkdirAll(filepath.Dir(r.live), 0o755)
	}
	if err == nil {
		err = os.WriteFile(r.live, data, 0o644)
	}
	if err != nil {
		r.err = fmt.Errorf("write run down as going on: %w", err)
	}
}

// endLeftovers ends what runs of this workspace left whose gpuci was killed,
// and closes their records. It is bounded, and a failure is told and stops
// nothing: the next run tries again.
func (f *flow) endLeftovers(ctx context.Context) {
	entries, err := os.ReadDir(filepath.Join(f.opt.State, "live"))
	if err != nil {
		return // there is none yet
	}
	for _, e := range entries {
		path := filepath.Join(f.opt.State, "live", e.Name())
		data, err := os.ReadFile(path)
		if err != nil {
			continue // it has just ended
		}
		var started startedRecord
		if json.Unmarshal(data, &started) != nil || started.Run == "" {
			f.stale(path)
			continue
		}
		if alive, err := proc.Real.Alive(started.Gpuci); err != nil || alive {
			continue
		}
		f.endLeftover(ctx, path, started)
	}
}

// stale removes a live file that says nothing, once it cannot be one that is
// being written at this moment.
func (f *flow) stale(path string) {
	if info, err := os.Stat(path); err == nil && time.Since(info.ModTime()) > time.Minute {
		_ = os.Remove(path)
	}
}

func (f *flow) endLeftover(ctx context.Context, path string, s startedRecord) {
	ctx, cancel := context.WithTimeout(ctx, cookieTime)
	defer cancel()
	left := proc.Leftover{Cgroups: s.Cgroups, Name: s.Run + "-", Cookie: runVariable + "=" + s.Run}
	ended, stuck, err := left.End(ctx, leftoverTime)
	if err != nil || len(stuck) > 0 {
		f.opt.note("run %s of gate %s was killed, and what it left could not be ended: %v %v", s.Run, s.Gate, names(stuck), err)
		return
	}
	if len(ended) > 0 {
		f.opt.note("ended what run %s of gate %s left when gpuci was killed: %s", s.Run, s.Gate, listed(names(ended))[2:])
	}
	f.closeKilled(s)
	_ = os.Remove(path)
}

// closeKilled gives a killed run its verdict, unless it reached one.
func (f *flow) closeKilled(s startedRecord) {
	r := &record{dir: filepath.Join(f.opt.State, "runs", s.Run)}
	if _, err := os.Stat(filepath.Join(r.dir, "verdict.json")); err == nil {
		return
	}
	r.json("verdict.json", Verdict{
		Type: "verdict", Schema: schema, Run: s.Run, Gate: s.Gate, Outcome: Interrupted, Exit: killedExit,
		Findings: []Finding{{Interrupted, "gpuci itself was killed before it could say anything"}},
		Bound:    Bound{Lane: s.Lane}, Started: s.Begun, Dir: r.dir, Steps: []Step{},
	})
}

// killedExit is what a shell shows for a process that SIGKILL ended.
const killedExit = 137
