package ci

import (
	"cmp"
	"context"
	"fmt"

	"gpuci/gates"
	"gpuci/gates/config"
)

// baseRun is what a gate gives on the base itself.
type baseRun struct {
	run     string
	outcome gates.Outcome // "" where the base cannot run it
	faults  faults        // of a red
}

// not says how a base stands that is not red.
func (r baseRun) not(onto string) string {
	switch r.outcome {
	case "", gates.Green, gates.Attention:
		return onto + " is not"
	case gates.KnownRed:
		return onto + " has it as a known red, which this takes back"
	}
	return "whether " + onto + " is cannot be told: " + string(r.outcome) + " there"
}

// baseRed says whether the base is red for a gate, and for what: as the history has
// it of the base's own tree, else by running it there, in the same scratch lane.
func (l *landing) baseRed(ctx context.Context, gate string) (baseRun, error) {
	if r, ok := l.red[gate]; ok {
		return r, nil
	}
	if v, ok := l.lookUp(ctx, gate); ok {
		return l.baseIs(v), nil
	}
	l.o.note("gate %s is red: is it at %s as well?", gate, l.Onto)
	if err := l.at(ctx, l.Base); err != nil {
		return baseRun{}, err
	}
	v, ok, err := l.runAtBase(ctx, gate)
	if err != nil || !ok {
		return baseRun{}, err
	}
	if v.Outcome == gates.Interrupted && ctx.Err() != nil {
		return baseRun{}, context.Cause(ctx)
	}
	return l.baseIs(v), l.at(ctx, l.Tip)
}

func (l *landing) baseIs(v gates.Verdict) baseRun {
	r := baseRun{run: v.Run, outcome: v.Beneath()}
	if r.outcome == gates.Red {
		r.faults = faultsOf(v)
	}
	l.red[v.Gate] = r
	return r
}

// runAtBase runs a gate on the base; ok is false where the base has no such gate.
func (l *landing) runAtBase(ctx context.Context, gate string) (v gates.Verdict, ok bool, err error) {
	cfg, err := l.load()
	if err != nil {
		return v, false, nil // the base cannot be red by it: it cannot run it
	}
	g, ok := cfg.Gate(gate)
	if !ok {
		return v, false, nil
	}
	as := gates.As{Lane: cmp.Or(l.holder.Name, branchPrefix+l.Onto), Branch: l.Onto}
	v, err = l.run(ctx, cfg, *g, l.Base, as)
	return v, err == nil, err
}

// readBase reads what the base requires and expects. A base whose configuration
// cannot be read keeps the lane out: what it requires must not be got round so.
func (l *landing) readBase(ctx context.Context) {
	cfg, err := configAt(ctx, l.o.Lane, l.Base, l.dir)
	if l.baseCfg = cfg; err != nil && ctx.Err() == nil {
		l.end(Refused, fmt.Sprintf("what %s requires cannot be told: %v", l.Onto, err), "commit a "+config.FileName+" at "+l.Onto+" that can be read; then land it again")
	}
}

// baseNames are the gates that the base requires, none where it has no
// configuration.
func (l *landing) baseNames() []string {
	if l.baseCfg == nil {
		return nil
	}
	return l.baseCfg.Required()
}

// dry says what would be done, and makes nothing for it.
func (l *landing) dry(ctx context.Context) error {
	cfg, err := configAt(ctx, l.o.Lane, l.Commit, l.dir)
	if err != nil {
		return err
	}
	names := l.baseNames()
	if cfg != nil {
		names, _ = l.names(cfg)
	}
	for _, name := range names {
		l.Gates = append(l.Gates, LandedGate{Gate: name})
	}
	l.In = l.holder.Name
	l.end(WouldTry, "", "")
	return nil
}
