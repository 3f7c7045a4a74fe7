package falsify

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"gpuci/gates"
	"gpuci/gates/config"
	"gpuci/gates/falsify/plant"
	"gpuci/gates/history"
	"gpuci/worktrees"
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
		p, err := s.plantOne(ctx, f)
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return err
		}
		s.report.Planted = append(s.report.Planted, p)
		s.report.Results = append(s.report.Results, p.Planting)
		if p.Outcome == gates.FaultCaught {
			s.report.Caught++
		}
		if s.o.Planted != nil {
			s.o.Planted(p)
		}
		if s.o.Keep && i == len(faults)-1 {
			return nil
		}
		if err := s.restore(ctx); err != nil {
			return err
		}
	}
	return nil
}

// plantOne plants a fault, and has the gate judge it.
func (s *session) plantOne(ctx context.Context, f config.Fault) (Planted, error) {
	p := Planted{Planting: history.Planting{Fault: f.Name}}
	paths, ok, err := s.apply(ctx, f, &p)
	if err != nil || !ok {
		return p, err
	}
	if err := s.scratch.Settle(ctx, paths); err != nil {
		return p, err
	}
	v, err := s.trial(ctx, s.o.Gate, "fault "+f.Name)
	if err != nil || ctx.Err() != nil {
		return p, err
	}
	return judged(s.o.Gate, f, s.clean, v), nil
}

// apply puts a fault into the scratch lane. It is not ok where it does not fit: then
// p says why.
func (s *session) apply(ctx context.Context, f config.Fault, p *Planted) (paths []string, ok bool, err error) {
	if len(f.Command) > 0 {
		return s.command(ctx, f, p)
	}
	paths, err = plant.Apply(ctx, s.scratch, s.root(), f)
	var rotted *plant.RottedError
	if errors.As(err, &rotted) {
		p.answer(gates.FaultRotted, rotted.Why, rotted.Next)
		return nil, false, nil
	}
	return paths, err == nil, err
}

// command runs the commands of a fault as a gate's are run: supervised, with a time
// limit and a log. They must succeed, and change something that git sees.
func (s *session) command(ctx context.Context, f config.Fault, p *Planted) (paths []string, ok bool, err error) {
	g := s.o.Gate
	before, _ := worktrees.ReadState(ctx, s.o.Lane)
	v, err := s.trial(ctx, config.Gate{
		Name: g.Name, Run: f.Command, Dir: g.Dir, Env: g.Env, Leave: g.Leave, Reader: "none",
		Timeout: g.BuildTimeout, BuildTimeout: g.BuildTimeout, NoProgress: g.NoProgress, Grace: g.Grace,
	}, "planting of "+f.Name)
	if err != nil || ctx.Err() != nil {
		return nil, false, err
	}
	p.Run, p.Log = v.Run, v.Log
	if after, err := worktrees.ReadState(ctx, s.o.Lane); err == nil && (after.Changes != before.Changes || after.Commit != before.Commit) {
		s.o.Note(fmt.Sprintf("lane %s changed while the command of fault %s ran: by somebody who works there, or by the command, which is to name files by paths from where it runs", s.o.Lane.Name, f.Name))
	}
	if v.Outcome == gates.Red {
		p.answer(gates.FaultRotted, "its command does not plant it: "+reason(v), "see "+v.Log)
		return nil, false, nil
	}
	if v.Outcome != gates.Green {
		p.answer(gates.FaultBroken, fmt.Sprintf("its command is %s: %s", v.Outcome, reason(v)), v.Next...)
		return nil, false, nil
	}
	paths, err = s.scratch.Changed(ctx)
	if err == nil && len(paths) == 0 {
		p.answer(gates.FaultRotted, "its command changes nothing that git sees", "let it change a file of the workspace, by a path from where it runs; see "+v.Log)
		return nil, false, nil
	}
	return paths, err == nil, err
}

// restore makes the scratch lane what it was, by making it anew where it must.
func (s *session) restore(ctx context.Context) error {
	err := s.scratch.Restore(ctx)
	if err == nil || ctx.Err() != nil {
		return nil // a scratch lane of somebody who stopped us is removed
	}
	s.o.Note(fmt.Sprintf("%v; it is made anew", err))
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
