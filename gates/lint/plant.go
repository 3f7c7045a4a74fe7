package lint

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"gpuci/gates"
	"gpuci/gates/config"
)

// plant replaces the command, runs the gate, and puts all back. A red is doubted.
func (p *prover) plant(ctx context.Context, f *Finding, g config.Gate, e edit) error {
	v, reached, err := p.run(ctx, f, g, e, fails)
	if why := (unplantable{}); errors.As(err, &why) {
		f.Proof = why.Error()
		return nil
	}
	if err != nil {
		return err
	}
	f.Log = v.Log
	if f.State, f.Proof = f.judge(v, e, reached); f.State == Withdrawn {
		return p.doubt(ctx, f, g, e)
	}
	return nil
}

// unplantable says why nothing can be written in the place of a command.
type unplantable struct{ error }

// run runs a gate with something in the command's place, and puts all back.
func (p *prover) run(ctx context.Context, f *Finding, g config.Gate, e edit, how plant) (v gates.Verdict, reached bool, err error) {
	g.Build, g.Run = slices.Clone(g.Build), slices.Clone(g.Run)
	path, err := p.apply(&g, e, how)
	if err != nil {
		return v, false, unplantable{err}
	}
	if err := os.Remove(p.reached); err != nil && !errors.Is(err, os.ErrNotExist) {
		return v, false, err
	}
	if path != "" {
		if err := p.scratch.Settle(ctx, []string{path}); err != nil {
			return v, false, err
		}
		p.hide(ctx, path, true)
	}
	before := p.ignored(ctx)
	v, err = p.trial(ctx, g, fmt.Sprintf("%s:%d", f.File, f.Line))
	if path != "" {
		p.hide(ctx, path, false)
	}
	if err != nil {
		return v, false, err
	}
	return v, exists(p.reached), p.tidy(ctx, before)
}

// judge says what a trial showed. One that ends with a failure shows that the status is
// not lost on this way.
func (f *Finding) judge(v gates.Verdict, e edit, reached bool) (State, string) {
	does, exit := "failing at its end", "0"
	switch {
	case e.succeed:
		does = "succeeding"
	case e.once:
		does = "failing at its end, the first time"
	}
	if v.Command != nil && !ended(v, 0) {
		exit = fmt.Sprint(v.Command.Exit)
		if v.Command.Signal != "" {
			exit = v.Command.Signal
		}
	}
	switch {
	case ended(v, 0) && reached:
		return Proven, fmt.Sprintf("with `%s` %s, the commands of gate %s still end with 0", f.Command, does, v.Gate)
	case !reached:
		return NotProven, fmt.Sprintf("gate %s never came to it", v.Gate)
	case v.Outcome == gates.Red && v.Command != nil:
		return Withdrawn, fmt.Sprintf("with `%s` %s, they end with %s", f.Command, does, exit)
	}
	return NotProven, fmt.Sprintf("gate %s is %s with `%s` %s%s", v.Gate, v.Outcome, f.Command, does, reason(v))
}

// ended says whether the commands all ended by themselves, with this status.
func ended(v gates.Verdict, exit int) bool {
	return (v.Outcome == gates.Green || v.Outcome == gates.Attention) && v.Command != nil && v.Command.Exit == exit
}

func reason(v gates.Verdict) string {
	if len(v.Findings) == 0 {
		return ""
	}
	return ": " + strings.ReplaceAll(v.Findings[0].Text, "\n", "; ")
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
