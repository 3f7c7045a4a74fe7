package gates

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"gpuci/pressure"
	"gpuci/reaper"
	"gpuci/reaper/proc"
	"gpuci/worktrees"
)

// SweepSum is what the verdict says of the sweep of its lane.
type SweepSum struct {
	Text      string       `json:"text"`
	Swept     []KillRecord `json:"swept,omitempty"`          // what is gone
	Left      []KillRecord `json:"left,omitempty"`           // what was sent SIGKILL, and is still there
	Survivors []string     `json:"survivors,omitempty"`      // leaked, and not to be ended
	Chains    []string     `json:"chains,omitempty"`         // orphaned anew all the time, and let be
	Blind     []string     `json:"blind,omitempty"`          // what could not be looked at
	CutShort  string       `json:"cut-short,omitempty"`      // why it cannot be told whether more is left
	Before    *float64     `json:"io-full-before,omitempty"` // 0 to 1
	After     *float64     `json:"io-full-after,omitempty"`
}

// sweepTime is what a gate gives its sweep: what has not ended by then hangs.
const sweepTime = 5 * time.Second

// doSweep ends what builds that were killed have left in this lane.
func (f *flow) doSweep(ctx context.Context) StepState {
	if f.opt.Lane.Root == "" {
		return StepNone // there is no lane
	}
	runs, leave := Runs(f.opt.State)
	o := reaper.Options{
		Wanted: func(lane string) bool { return lane == f.opt.Lane.Name }, Deadline: sweepTime, Patient: true,
		Rules: SweepRules(f.opt.Tools, append(leave, f.gate.Leave...)),
		Lanes: []reaper.Lane{LaneOf(worktrees.TreeOf(f.opt.Lane))}, Runs: runs,
	}
	// With this lane alone, which costs no git: other lanes only take away from
	// what is this one's.
	var r reaper.Report
	found, err := f.lookForLeaks(ctx, o)
	if found {
		r, err = f.sweep(ctx, o)
	}
	switch {
	case err != nil && ctx.Err() != nil:
		return StepFailed // stopped
	case err != nil:
		f.mark("nothing was swept: " + err.Error())
		return StepDone
	}
	return f.swept(r)
}

// lookForLeaks takes one look. What is too young to be ended counts: who has just
// killed a build starts a gate next.
func (f *flow) lookForLeaks(ctx context.Context, o reaper.Options) (found bool, err error) {
	if err := proc.Real.Own(); err != nil {
		return false, err
	}
	limited, cancel := context.WithTimeout(ctx, sweepTime)
	defer cancel()
	p, err := reaper.Look(limited, "", o.Runs)
	if err != nil {
		return false, err
	}
	j, err := reaper.Judge(p, o.Lanes, o.Wanted, o.Rules)
	if err == nil && limited.Err() != nil { // what was not answered may only not have been waited for
		err = reaper.ErrNoLook
	}
	if err != nil {
		return false, err
	}
	return slices.ContainsFunc(j.Judged, func(x reaper.Judged) bool { return x.Leaked || x.Young }), nil
}

// sweep is the sweep itself, with every lane there is or was.
func (f *flow) sweep(ctx context.Context, o reaper.Options) (reaper.Report, error) {
	trees, err := ListLanes(ctx, f.opt.Lane)
	if err != nil {
		return reaper.Report{}, err // one of the others may be inside of this one
	}
	if !slices.ContainsFunc(trees, func(t worktrees.Tree) bool { return !t.Removed && t.Root == f.opt.Lane.Root }) {
		return reaper.Report{}, fmt.Errorf("git does not list %s among its worktrees (was it moved? git worktree repair)", f.opt.Lane.Root)
	}
	o.Lanes = nil
	for _, t := range trees {
		o.Lanes = append(o.Lanes, LaneOf(t))
	}
	o.Killed = func(k reaper.Kill) {
		f.sweptSum().Swept = append(f.sweptSum().Swept, NewKillRecord(k, f.v.Run))
	}
	f.sweptSum().Before = f.stallNow(ctx)
	r, err := reaper.Sweep(ctx, o)
	f.sweptSum().After = f.stallNow(ctx)
	for _, k := range r.Left {
		f.sweptSum().Left = append(f.sweptSum().Left, NewLeftRecord(k, f.v.Run))
	}
	f.writeKills(slices.Concat(f.sweptSum().Swept, f.sweptSum().Left))
	return r, err
}

// historyTime is what writing the history down may take: its disk can be the one
// that is stalled.
const historyTime = 5 * time.Second

func (f *flow) writeKills(list []KillRecord) {
	done := make(chan error, 1)
	go func() {
		var err error
		for _, line := range list {
			err = errors.Join(err, line.Append(f.opt.State))
		}
		done <- err
	}()
	select {
	case err := <-done:
		if err != nil {
			f.opt.note("%v", err)
		}
	case <-time.After(historyTime):
		f.opt.note("what was swept is not written down yet after %s: the disk of %s is slow", historyTime, f.opt.State)
	}
}

// SweepRules are the usual ones, with more tools in the family, and with daemons
// that may stay: sccache's server is some other build's, too.
func SweepRules(tools, leave []string) reaper.Rules {
	var r reaper.Rules
	if len(tools) > 0 {
		r.Family = append(reaper.DefaultFamily(), tools...)
	}
	if len(leave) > 0 {
		r.Protected = func(p reaper.Process) bool {
			return slices.Contains(leave, p.Comm) || p.Exe.Known() && slices.Contains(leave, filepath.Base(p.Exe.Path))
		}
	}
	return r
}

// LaneOf is a lane as the reaper takes it. A target directory that our own
// environment names is everybody's who has that environment: outside of the lane
// it shows nothing.
func LaneOf(t worktrees.Tree) reaper.Lane {
	l := reaper.Lane{Name: t.Name, Root: t.Root, Target: t.Target, Removed: t.Removed}
	named := os.Getenv("CARGO_TARGET_DIR") != "" || os.Getenv("CARGO_BUILD_TARGET_DIR") != ""
	if rel, err := filepath.Rel(t.Root, t.Target); named && (err != nil || rel == ".." || strings.HasPrefix(rel, "../")) {
		l.Target = ""
	}
	return l
}

func (f *flow) sweptSum() *SweepSum {
	if f.v.Sweep == nil {
		f.v.Sweep = &SweepSum{}
	}
	return f.v.Sweep
}

// stallLook is how long it takes to say how the disk does.
const stallLook = 300 * time.Millisecond

// stallNow is the share of a moment in which nothing moved for want of the disk.
func (f *flow) stallNow(ctx context.Context) *float64 {
	root := f.pressureRoot()
	if root == "" {
		root = pressure.Real
	}
	before := pressure.Read(root)
	select {
	case <-ctx.Done():
	case <-time.After(stallLook):
	}
	s := pressure.Between(before, pressure.Read(root)).IO.Full
	if !s.Known {
		return nil
	}
	return &s.Value
}

// swept says what came of it. While leaked processes are left that do not end,
// and hold the disk, nothing is built beside them.
func (f *flow) swept(r reaper.Report) StepState {
	s := f.v.Sweep
	if s == nil {
		return StepDone
	}
	s.Text, s.Blind = r.String(), r.Blind
	if s.Before != nil && s.After != nil {
		s.Text += fmt.Sprintf("; IO full of the machine %.0f%% before, %.0f%% after", 100**s.Before, 100**s.After)
	}
	f.opt.note("%s", s.Text)
	for _, c := range r.Chains {
		s.Chains = append(s.Chains, c.String())
		f.mark("orphaned anew all the time, and not ended (find what starts it, and end that): " + c.String())
	}
	if s.CutShort = r.CutShort(); s.CutShort != "" {
		f.mark("what leaked may not all be ended: " + s.CutShort)
	}
	for _, x := range r.Survivors {
		s.Survivors = append(s.Survivors, x.String())
	}
	if len(s.Survivors) == 0 {
		return StepDone
	}
	text := "leaked and not ended: " + s.Survivors[0]
	if n := len(s.Survivors) - 1; n > 0 {
		text += fmt.Sprintf(", and %d more", n)
	}
	if len(f.gate.Build) > 0 && f.saturated(s.After) {
		f.refuse(fmt.Sprintf("%s; the disk is saturated (IO full %.0f%%)", text, 100**s.After), "gpuci reaper list says whose they are; they end when the disk answers")
		return StepFailed
	}
	f.mark(text)
	return StepDone
}

// saturated says whether the disk is over the limit.
func (f *flow) saturated(full *float64) bool {
	limit := pressure.DefaultRule().Long
	if p := f.opt.Pressure; p != nil && !p.Rule.Off {
		limit = p.Rule.Long
	}
	return full != nil && 100**full > limit
}
