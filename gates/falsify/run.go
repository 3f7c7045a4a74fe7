package falsify

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"gpuci/gates"
	"gpuci/gates/config"
	"gpuci/gates/falsify/plant"
	"gpuci/gates/history"
	"gpuci/gates/metric"
	"gpuci/worktrees"
)

// Options say what is falsified. Gate, Lane, Root, ScratchDir and Prepare are
// required.
type Options struct {
	Gate       config.Gate
	Lane       worktrees.Lane // that is copied
	Root       string         // directory of gpuci.toml in it
	ScratchDir string         // of scratch lanes
	Only       []string       // names of faults; none means all of the gate
	Keep       bool           // leave the scratch lane, with the last fault in it; then nothing is recorded
	Past       *gates.Past    // that it is recorded in; nil for none

	// Prepare gives the options under which the gate runs in the scratch lane: the
	// queue of the links, the pressure, the place of runs. root is the directory of
	// gpuci.toml in it.
	Prepare func(scratch worktrees.Lane, root string) (gates.Options, error)

	Note    func(string)  // one line a change for who watches; may be nil
	Planted func(Planted) // told what came of each fault as it comes; may be nil
}

// Report is what came of the faults of one gate.
type Report struct {
	history.Falsification
	Clean   gates.Verdict // the trial without a fault
	Bare    Planted       // the same as a row of the others
	Planted []Planted     // in the order of gpuci.toml
	Kept    string        // the scratch lane, where it was kept
	Notes   []string      // what is otherwise in the scratch lane than in a real checkout
	Marks   []string      // reservations about what came of the faults
	Broken  string        // why nothing can be said of any fault, "" where something can
	Next    []string      // what to do about that
	Stopped error         // its cause, where somebody stopped it: then it is not whole
	Exit    int
}

// fetchTime bounds how long submodules may be fetched that are nowhere here.
const fetchTime = 10 * time.Minute

// session is one gate on its way.
type session struct {
	o       Options
	report  *Report
	scratch *worktrees.Scratch
	lane    worktrees.Lane // that it is, by the name under which lanes are listed
	clean   gates.Verdict

	base     string // the branch that numbers are held against, "" where Prepare does not say
	suspects []int  // of report.Planted: not green, and since then no run showed that it is so by its fault
	worn     bool   // what was built is not to be built upon: times do not tell what is otherwise
	spoilt   string // why nothing can be said of the faults that are left
}

// Run plants the faults of a gate and says what came of each. ctx ends it early.
// The error says why it could not be recorded; the report is whole all the same.
func Run(ctx context.Context, o Options) (*Report, error) {
	if o.Note == nil {
		o.Note = func(string) {}
	}
	s := &session{o: o, report: &Report{}}
	r := s.report
	r.Gate, r.Lane, r.Root, r.Started, r.Partial = o.Gate.Name, o.Lane.Name, o.Root, time.Now(), len(o.Only) > 0
	r.Settings, r.Faults, r.Files = gates.SettingsID(o.Gate), gates.FaultsID(o.Gate), plant.Files(o.Root, o.Gate)
	defer s.drop(ctx)
	err := s.begin(ctx)
	if err == nil && r.Broken == "" {
		err = s.plantAll(ctx)
		s.sum()
	}
	r.Seconds = time.Since(r.Started).Seconds()
	if err != nil && ctx.Err() == nil {
		r.Broken, r.Next = err.Error(), []string{"mend that, and run it again; what came of it so far is not recorded"}
	}
	s.close(ctx)
	if ctx.Err() != nil || r.Broken != "" || o.Past == nil || o.Keep {
		return r, nil
	}
	if err := s.record(ctx); err != nil {
		return r, fmt.Errorf("falsify gate %s: %w", o.Gate.Name, err)
	}
	return r, nil
}

// begin makes the scratch lane, and runs the gate there without a fault: what is
// not green by itself cannot be made red.
func (s *session) begin(ctx context.Context) error {
	o, r := s.o, s.report
	if err := s.copy(ctx); err != nil {
		return err
	}
	r.Notes = s.scratch.Notes
	v, err := s.trial(ctx, s.gate(), "nothing")
	if err != nil || ctx.Err() != nil {
		return err
	}
	s.clean, r.Clean = v, v
	b := v.Bound
	r.Run, r.Commit, r.Branch, r.Changes, r.Tree, r.Host, r.Gpuci = v.Run, b.Commit, b.Branch, b.Changes, s.scratch.Kept().Tree, b.Host, b.Gpuci
	r.Bare = Planted{Planting: history.Planting{Outcome: string(v.Outcome), Gate: string(v.Outcome), Run: v.Run, Seconds: v.Seconds, Moves: moves(o.Gate, config.Fault{}, v, v)}, Log: v.Log}
	r.Of = len(s.faults())
	o.Note(fmt.Sprintf("%s without a fault: %s (%s)", o.Gate.Name, v.Outcome, lasted(v.Seconds)))
	if v.Outcome != gates.Green && v.Outcome != gates.Attention {
		r.Broken = fmt.Sprintf("without a fault it is %s in the scratch lane: %s", v.Outcome, reason(v))
		r.Next = append(v.Next, fmt.Sprintf("let gpuci gate %s be green first; what git ignores is in no scratch lane", o.Gate.Name))
		return nil
	}
	if first := firsts(v); first != "" {
		r.Broken = fmt.Sprintf("%s is held against earlier greens, and there is none yet", first)
		on := cmp.Or(s.base, "the base branch")
		if base, err := worktrees.BaseOf(ctx, o.Lane, s.base); err == nil {
			on = base.Name
		}
		r.Next = []string{fmt.Sprintf("run gpuci gate %s on %s first, with nothing uncommitted", o.Gate.Name, on)}
		return nil
	}
	return s.restore(ctx)
}

// firsts names a metric that would become its own reference: with a fault in the lane
// there would be none to hold it against.
func firsts(v gates.Verdict) string {
	for _, b := range v.Bars {
		if slices.ContainsFunc(b.Held, func(a metric.Against) bool { return a.Standing == metric.First }) {
			return b.Metric
		}
	}
	return ""
}

// gate is the one that is falsified, without what is agreed upon its red: here a red
// is one.
func (s *session) gate() config.Gate {
	g := s.o.Gate
	g.Expect = ""
	return g
}

// copy makes the scratch lane of the lane as it is.
func (s *session) copy(ctx context.Context) error {
	scratch, err := worktrees.NewScratch(ctx, s.o.Lane, worktrees.ScratchOptions{
		Dir: s.o.ScratchDir, Fetch: fetchTime, For: "falsification of " + s.o.Gate.Name, Note: s.o.Note,
	})
	if err != nil {
		return err
	}
	s.scratch, s.lane = scratch, scratch.Lane
	if lane, err := worktrees.Find(ctx, scratch.Root); err == nil {
		s.lane = lane
	}
	return scratch.Keep(ctx)
}

// root is the directory of gpuci.toml in the scratch lane.
func (s *session) root() string {
	rel, err := filepath.Rel(s.o.Lane.Root, s.o.Root)
	if err != nil || !filepath.IsLocal(rel) {
		return s.scratch.Root
	}
	return filepath.Join(s.scratch.Root, rel)
}

// trial runs a gate in the scratch lane.
func (s *session) trial(ctx context.Context, g config.Gate, what string) (gates.Verdict, error) {
	opt, err := s.o.Prepare(s.lane, s.root())
	if err != nil {
		return gates.Verdict{}, err
	}
	s.base = opt.Base
	opt.Gate, opt.Root, opt.Lane, opt.Trial = g, s.root(), s.lane, what
	opt.As = gates.As{Lane: s.o.Lane.Name}
	opt.Env = append(opt.Env, s.scratch.Env...)
	opt.Strict, opt.Workspace = false, nil
	v := gates.Run(ctx, opt)
	opt.History.Rest()
	return v, nil
}
