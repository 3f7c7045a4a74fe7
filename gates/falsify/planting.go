package falsify

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"gpuci/gates"
	"gpuci/gates/config"
	"gpuci/gates/falsify/plant"
	"gpuci/gates/history"
)

// faults are those that are asked for.
func (s *session) faults() (list []config.Fault) {
	for _, f := range s.o.Gate.Faults {
		if len(s.o.Only) == 0 || slices.Contains(s.o.Only, f.Name) {
			list = append(list, f)
		}
	}
	return list
}

// plantAll takes one fault after the other.
func (s *session) plantAll(ctx context.Context) error {
	faults := s.faults()
	for i, f := range faults {
		last := i == len(faults)-1
		if s.o.Keep && last { // which stays as it is: what came before is looked at now
			if err := s.check(ctx); err != nil || ctx.Err() != nil {
				return err
			}
		}
		if err := s.plantNext(ctx, f, s.o.Keep && last); err != nil || ctx.Err() != nil {
			return err
		}
	}
	if s.o.Keep {
		s.mark("not recorded: with --keep no run without a fault follows, which could be red as well")
		return nil
	}
	return s.check(ctx)
}

// plantNext plants a fault and takes down what came of it. It stays in the scratch lane
// where that is to be kept.
func (s *session) plantNext(ctx context.Context, f config.Fault, keep bool) error {
	if s.spoilt != "" {
		p := Planted{Planting: history.Planting{Fault: f.Name}, fault: f}
		p.answer(gates.FaultBroken, "it was not planted: "+s.spoilt, "gpuci falsify "+s.o.Gate.Name+" --fault "+f.Name)
		s.take(p)
		return nil
	}
	p, err := s.plantOne(ctx, f)
	if err != nil || ctx.Err() != nil {
		return err
	}
	at := s.take(p)
	if keep {
		return nil
	}
	if err := s.restore(ctx); err != nil || ctx.Err() != nil {
		return err
	}
	return s.suspect(ctx, at)
}

// take adds what came of a fault to the others, and gives its place among them.
func (s *session) take(p Planted) int {
	s.report.Planted = append(s.report.Planted, p)
	if s.o.Planted != nil {
		s.o.Planted(p)
	}
	return len(s.report.Planted) - 1
}

// plantOne plants a fault, and has the gate judge it. What the times of files do not
// tell, an incremental build may not have seen: where the gate does not show such a
// fault, it is planted once more where nothing is built yet. So it is where a product
// was left that is older than its source: a build that does not know of a header has
// kept what there was, be it with this fault, without it, or with the one before.
func (s *session) plantOne(ctx context.Context, f config.Fault) (Planted, error) {
	renewed := s.worn
	p, err := s.plantHere(ctx, f)
	if err != nil || ctx.Err() != nil || renewed {
		return p, err
	}
	outdated := p.trial.Outdated
	s.worn = s.worn || outdated
	if p.Outcome == gates.FaultCaught || !outdated && (p.Outcome != gates.FaultBlind || p.dated) {
		return p, nil
	}
	if err := s.restore(ctx); err != nil || ctx.Err() != nil {
		return p, err
	}
	p, err = s.plantHere(ctx, f)
	if outdated { // nor will the next build see that it is gone
		p.dated, s.worn = false, true
	}
	return p, err // what was built with it is worn by that, and removed
}

// plantHere plants a fault in the scratch lane as it is.
func (s *session) plantHere(ctx context.Context, f config.Fault) (Planted, error) {
	p := Planted{Planting: history.Planting{Fault: f.Name}, fault: f, dated: true}
	if err := s.renew(ctx); err != nil || ctx.Err() != nil {
		return p, err
	}
	paths, ok, err := s.apply(ctx, f, &p)
	if err != nil || !ok {
		return p, err
	}
	dated, err := s.scratch.Dated(ctx, paths)
	if err == nil {
		err = s.scratch.Settle(ctx, paths)
	}
	if err != nil {
		return p, err
	}
	s.worn = s.worn || !dated
	v, err := s.trial(ctx, s.gate(), "fault "+f.Name)
	if err != nil || ctx.Err() != nil {
		return p, err
	}
	p = judged(s.gate(), f, s.clean, v)
	p.dated = dated
	if p.Outcome == gates.FaultCaught && !steady(f, v) {
		err = s.twice(ctx, &p)
	}
	s.unplanted(paths, &p)
	return p, err
}

// unplanted is for a fault that changes the settings alone: a trial runs the gate as
// the lane has it.
func (s *session) unplanted(paths []string, p *Planted) {
	rel, err := filepath.Rel(s.o.Lane.Root, filepath.Join(s.o.Root, config.FileName))
	if err != nil || p.Outcome != gates.FaultBlind || p.trial.Outcome == gates.Red || !slices.Contains(paths, rel) {
		return
	}
	const next = "plant it in what the gate builds and runs"
	if len(paths) > 1 {
		p.Next = append(p.Next, fmt.Sprintf("it changes %s, too, and settings are not planted: the gate is the lane's; %s", rel, next))
		return
	}
	p.answer(gates.FaultRotted, fmt.Sprintf("it changes %s alone, and settings are not planted: the gate is run as the lane has it", rel), next)
}

// apply puts a fault into the scratch lane. It is not ok where it does not fit: then
// p says why.
func (s *session) apply(ctx context.Context, f config.Fault, p *Planted) (paths []string, ok bool, err error) {
	if len(f.Command) > 0 {
		return s.command(ctx, f, p)
	}
	fit, err := plant.Apply(ctx, s.scratch, s.root(), f)
	var rotted *plant.RottedError
	if errors.As(err, &rotted) {
		p.answer(gates.FaultRotted, rotted.Why, rotted.Next)
		return nil, false, nil
	}
	if len(fit.Moved) > 0 {
		s.mark(fmt.Sprintf("the patch of fault %s is older than what it changes: %s", f.Name, strings.Join(fit.Moved, ", ")))
	}
	return fit.Paths, err == nil, err
}

// mark adds a reservation.
func (s *session) mark(text string) {
	if !slices.Contains(s.report.Marks, text) {
		s.report.Marks = append(s.report.Marks, text)
	}
}

// restore makes the scratch lane what it was, by making it anew where it must.
func (s *session) restore(ctx context.Context) error {
	err := s.scratch.Restore(ctx)
	if err == nil || ctx.Err() != nil {
		return nil // a scratch lane of somebody who stopped us is removed
	}
	s.o.Note(fmt.Sprintf("%v; it is made anew", err))
	return s.anew(ctx)
}

// anew makes another scratch lane in place of the one there is.
func (s *session) anew(ctx context.Context) error {
	was := s.scratch.Kept()
	if err := s.scratch.Remove(ctx); err != nil {
		return err
	}
	s.scratch = nil
	if err := s.copy(ctx); err != nil {
		return err
	}
	if now := s.scratch.Kept(); now.Commit != was.Commit || !slices.Equal(now.Leaves, was.Leaves) {
		return errors.New("the scratch lane had to be made anew, and the lane has changed meanwhile: run it again when nobody writes there")
	}
	return nil
}
