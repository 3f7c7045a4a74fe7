package ci

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"gpuci/gates"
	"gpuci/gates/config"
	"gpuci/gates/metric"
	"gpuci/worktrees"
)

// judge runs the required gates on what is to be landed, until one keeps it from
// that: others wait behind it.
func (l *landing) judge(ctx context.Context) error {
	list, err := l.required(ctx)
	if err != nil {
		return err
	}
	for _, g := range list {
		v, err := l.run(ctx, l.cfg, g, l.Tip, gates.As{Lane: l.Lane})
		if err != nil {
			return err
		}
		if err := l.weigh(ctx, v); err != nil || l.Outcome != "" {
			return err
		}
	}
	return nil
}

// required reads the configuration that the base will have, and what it requires.
// What the base itself requires counts as well, if the lane still has it: what it
// has done away with is said.
func (l *landing) required(ctx context.Context) ([]config.Gate, error) {
	cfg, err := l.load()
	if err != nil {
		return nil, err
	}
	l.cfg = cfg
	names := requiredNames(cfg)
	var missing []string
	for _, name := range l.baseNames(ctx) {
		if _, ok := cfg.Gate(name); !ok {
			missing = append(missing, name)
		} else if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if l.Dropped = missing; len(missing) > 0 {
		l.o.note("%s requires what lane %s has done away with: %s", l.Onto, l.Lane, strings.Join(missing, ", "))
	}
	var list []config.Gate
	for _, g := range ordered(cfg.Gates, unknownCost) {
		if slices.Contains(names, g.Name) {
			list = append(list, g)
		}
	}
	if len(list) == 0 {
		l.end(Refused, "there is no gate to judge it by", "name gates in [ci] required, or mend those that are known red")
	}
	return list, nil
}

// unknownCost leaves the order of a file as it is, but for after: a landing runs
// all, and the person who wrote the file knows what fails first.
func unknownCost(string) (time.Duration, bool) { return 0, false }

// requiredNames are those of [ci] required, else all that are not known red.
func requiredNames(cfg *config.Config) (names []string) {
	if len(cfg.CI.Required) > 0 {
		return slices.Clone(cfg.CI.Required)
	}
	for _, g := range cfg.Gates {
		if g.Expect != "red" {
			names = append(names, g.Name)
		}
	}
	return names
}

// load reads the configuration in the scratch lane.
func (l *landing) load() (*config.Config, error) {
	path, err := config.Find(l.root(), l.scratch.Root)
	if err != nil {
		return nil, err
	}
	return config.Load(config.DefaultSources(path))
}

// run runs a gate in the scratch lane, which is at a commit, in somebody's name.
func (l *landing) run(ctx context.Context, cfg *config.Config, g config.Gate, commit string, as gates.As) (v gates.Verdict, err error) {
	st, err := worktrees.ReadState(ctx, l.scratch.Lane)
	if err == nil && st.Dirty { // by the gate before
		err = l.scratch.Move(ctx, commit)
	}
	if err != nil {
		return v, err
	}
	o, err := l.o.Prepare(l.scratch.Lane, cfg, g)
	if err != nil {
		return v, err
	}
	o.Gate, o.Root, o.Lane, o.As = g, cfg.Root, l.scratch.Lane, as
	o.Env = append(o.Env, l.scratch.Env...)
	l.o.note("gate %s", g.Name)
	v = gates.Run(ctx, o)
	if l.o.Verdict != nil {
		l.o.Verdict(v)
	}
	return v, nil
}

// weigh says whether a gate's outcome lets the lane land.
func (l *landing) weigh(ctx context.Context, v gates.Verdict) error {
	done := LandedGate{Gate: v.Gate, Outcome: v.Outcome, Run: v.Run}
	defer func() { l.Gates = append(l.Gates, done) }()
	next := "gpuci gate " + v.Gate + ", in lane " + l.Lane + " after git rebase " + l.Onto
	switch v.Outcome {
	case gates.Green, gates.KnownRed, gates.Attention:
		return nil
	case gates.Red:
	default:
		why := "gate " + v.Gate + ": " + string(v.Outcome)
		if len(v.Findings) > 0 {
			why += ": " + v.Findings[0].Text
		}
		l.end(LandOutcome(v.Outcome), why, strings.Join(v.Next, "; "))
		return nil
	}
	base, err := l.baseRed(ctx, v.Gate)
	if err != nil {
		return err
	}
	done.BaseRun = base.run
	switch beyond := without(faults(v), base.faults); {
	case !base.red:
		l.end(LandOutcome(gates.Red), fmt.Sprintf("gate %s is red, and %s is not: %s", v.Gate, l.Onto, firstFew(faults(v))), next)
	case len(beyond) > 0:
		l.end(LandOutcome(gates.Red), fmt.Sprintf("gate %s is red for more than it is at %s: %s", v.Gate, l.Onto, firstFew(beyond)), next)
	default:
		done.AsBase = true
		l.o.note("gate %s is red as it is at %s: %s", v.Gate, l.Onto, firstFew(faults(v)))
	}
	return nil
}

// faults are what a gate is red for: failed tests, bars, witnesses, the command.
func faults(v gates.Verdict) (out []string) {
	failed := v.Tests != nil && v.Tests.Failed > 0
	if failed && len(v.Tests.Names) == 0 {
		out = append(out, "tests whose names are not known")
	}
	if failed {
		for _, name := range v.Tests.Names {
			out = append(out, "test "+name)
		}
	}
	for _, b := range v.Bars {
		if b.State == metric.Crossed {
			out = append(out, "bar "+b.Metric)
		}
	}
	for _, w := range v.Witnesses {
		if w.State == metric.Crossed {
			out = append(out, "witness "+w.Name)
		}
	}
	if c := v.Command; !failed && c != nil && (c.Exit != 0 || c.Signal != "") || len(out) == 0 {
		out = append(out, "the command failed")
	}
	return out
}

// without are those of a list that another one has not.
func without(list, other []string) (out []string) {
	for _, s := range list {
		if !slices.Contains(other, s) {
			out = append(out, s)
		}
	}
	return out
}
