package falsify

import (
	"context"
	"fmt"
	"slices"

	"gpuci/gates"
	"gpuci/gates/config"
	"gpuci/gates/history"
)

// A fault is caught where the gate is red with it and green without it. The run without
// any, at the beginning, shows the latter for the first fault alone: those that follow
// may be red by what an earlier one has left behind (a build product that no time
// tells to be old, a file that git ignores), or because the machine is not what it was.
//
// A run without a fault between every two would say so, and would be twice the work. So
// there is one at the end, for all. It also shows that nothing is left of the one
// before; what it cannot show is that nothing was left in between, and healed by a
// later build. Therefore a fault that looks like an earlier one is followed by such a
// run at once, and one that times do not tell is followed by a build from nothing. A
// fault with which the gate is green is as good as no fault for all this.

// suspect is told of the fault that was planted last.
func (s *session) suspect(ctx context.Context, at int) error {
	p := s.report.Planted[at]
	switch {
	case p.trial.Run == "":
		return nil
	case p.trial.Outcome == gates.Green || p.trial.Outcome == gates.Attention:
		s.suspects = nil
		return nil
	}
	looks := slices.ContainsFunc(s.suspects, func(i int) bool { return s.alike(s.report.Planted[i], p) })
	s.suspects = append(s.suspects, at)
	if looks && s.spoilt == "" {
		return s.check(ctx)
	}
	return nil
}

// alike says whether all that a fault shows may be what is left of an earlier one: what
// was built is what was built with that, or what it must move has the very same value,
// or, where it names no metric, the gate has the very same reasons.
func (s *session) alike(earlier, p Planted) bool {
	if unchanged(earlier.trial, p.trial) && !unchanged(s.clean, p.trial) {
		return true
	}
	if p.fault.MustMove == "" {
		return slices.Equal(earlier.trial.Findings, p.trial.Findings)
	}
	same := func(m history.Move) bool {
		return slices.ContainsFunc(earlier.Moves, func(e history.Move) bool {
			return e.Metric == m.Metric && e.Value != nil && m.Value != nil && *e.Value == *m.Value
		})
	}
	return slices.ContainsFunc(p.Moves, func(m history.Move) bool { return m.Must == mustMove && same(m) })
}

// check runs the gate without a fault, where anything hangs on that. It must be green
// and give what it gave at first: then what was red was so by its fault.
func (s *session) check(ctx context.Context) error {
	if !slices.ContainsFunc(s.suspects, func(i int) bool { return s.depends(s.report.Planted[i]) }) {
		return nil
	}
	why, err := s.unfaulted(ctx)
	if err != nil || ctx.Err() != nil {
		return err
	}
	if why != "" {
		return s.again(ctx, why)
	}
	s.suspects = nil
	return nil
}

// depends says whether an outcome would be another one if an earlier fault were still
// there.
func (s *session) depends(p Planted) bool {
	return p.Outcome == gates.FaultCaught || p.Outcome == gates.FaultBlind
}

// unfaulted runs the gate without a fault, and says how it is otherwise than at first.
func (s *session) unfaulted(ctx context.Context) (why string, err error) {
	if err := s.renew(ctx); err != nil || ctx.Err() != nil {
		return "", err
	}
	if err := s.scratch.Settle(ctx, nil); err != nil {
		return "", err
	}
	v, err := s.trial(ctx, s.gate(), "nothing, again")
	if err != nil || ctx.Err() != nil {
		return "", err
	}
	return unlike(s.gate(), s.clean, v), s.restore(ctx)
}

// unlike says how a run without a fault is otherwise than the first: not green, or in
// what the faults speak of. Other numbers may well depend on how much was built anew.
func unlike(g config.Gate, clean, v gates.Verdict) string {
	if v.Outcome != gates.Green && v.Outcome != gates.Attention {
		return fmt.Sprintf("it is %s: %s (see %s)", v.Outcome, reason(v), v.Log)
	}
	if a, b := clean.Tests, v.Tests; a != nil && b != nil && a.Ran() != b.Ran() {
		return fmt.Sprintf("%d tests run, and not %d (see %s)", b.Ran(), a.Ran(), v.Log)
	}
	for _, f := range g.Faults {
		for _, name := range append([]string{f.MustMove}, f.MustNotMove...) {
			if name == "" {
				continue
			}
			m, bar, r := move(g, name, clean, v)
			x, _ := times(m)
			if r[0].there && !r[1].there {
				return fmt.Sprintf("%s was not given (see %s)", name, v.Log)
			}
			if moved := stays(bar, x, r[0], r[1]); r[0].there && moved != "" {
				return fmt.Sprintf("%s is not what it was: %s (see %s)", name, moved, v.Log)
			}
		}
	}
	return ""
}

// again plants those anew that are not told from what was left behind, each where
// nothing is built yet; unless the gate is not what it was there either: then it goes
// by chance, or by something that is not in the scratch lane, and nothing can be told.
func (s *session) again(ctx context.Context, why string) error {
	s.o.Note("without a fault " + why + ": what was planted since the last green is planted again, each in a lane where nothing is built yet")
	s.worn = true
	still, err := s.unfaulted(ctx)
	if err != nil || ctx.Err() != nil {
		return err
	}
	suspects := s.suspects
	s.suspects = nil
	if still != "" {
		s.untold(suspects, still)
		return nil
	}
	for _, i := range suspects {
		s.worn = true
		p, err := s.plantHere(ctx, s.report.Planted[i].fault)
		if err != nil || ctx.Err() != nil {
			return err
		}
		s.report.Planted[i] = p
		if s.o.Planted != nil {
			s.o.Planted(p)
		}
		if err := s.restore(ctx); err != nil || ctx.Err() != nil {
			return err
		}
	}
	s.worn = true
	return nil
}

// untold closes those of which nothing can be said after all.
func (s *session) untold(suspects []int, still string) {
	s.spoilt = "without a fault the gate is not what it was at first, though nothing is left that was built: " + still
	for _, i := range suspects {
		p := &s.report.Planted[i]
		p.answer(gates.FaultBroken, "it is not told from chance, or from what an earlier fault left outside of the lane: without a fault "+still,
			"run it alone: gpuci falsify "+s.o.Gate.Name+" --fault "+p.Fault)
	}
}

// renew makes the scratch lane one in which nothing is built yet, where it is worn.
func (s *session) renew(ctx context.Context) error {
	if !s.worn {
		return nil
	}
	s.worn = false
	err := s.scratch.Clean(ctx)
	if err == nil || ctx.Err() != nil {
		return nil
	}
	s.o.Note(fmt.Sprintf("%v; it is made anew", err))
	return s.anew(ctx)
}

// inKernels is whether what was compiled and did not hold is what caught a fault: a
// source that does not compile is no finding there.
func inKernels(v gates.Verdict) bool {
	return slices.ContainsFunc(v.Kernels, func(k gates.KernelSum) bool { return k.Failed == 0 && len(k.Findings) > 0 })
}

// sum counts what came of the faults.
func (s *session) sum() {
	r := s.report
	r.Caught, r.Results = 0, nil
	var bare []string
	for _, p := range r.Planted {
		r.Results = append(r.Results, p.Planting)
		if p.Outcome != gates.FaultCaught {
			continue
		}
		r.Caught++
		if vague(p.fault) && !config.Counts(s.o.Gate.Reader) && len(s.o.Gate.Build) == 0 && !inKernels(p.trial) {
			bare = append(bare, p.Fault)
		}
	}
	if len(bare) > 0 {
		s.mark("caught by nothing but an exit status: " + few(bare) + ". A source that does not run at all looks the same: a `build` of its own, a reader or must-move tells them apart")
	}
}
