package ci

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"gpuci/gates"
	"gpuci/gates/config"
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
	names, missing := l.names(cfg)
	if l.Dropped = missing; len(missing) > 0 {
		l.o.note("%s requires what lane %s has done away with: %s", l.Onto, l.Lane, strings.Join(missing, ", "))
	}
	var list []config.Gate
	for _, g := range ordered(cfg.Gates, unknownCost, nil) {
		if slices.Contains(names, g.Name) {
			list = append(list, g)
		}
	}
	if len(list) == 0 {
		l.end(Refused, "there is no gate to judge it by", "name gates in [ci] required, or mend those that are known red")
	}
	return list, nil
}

// names are the gates that a configuration and the base require, and those of the
// base's that the configuration has not.
func (l *landing) names(cfg *config.Config) (names, missing []string) {
	names = cfg.Required()
	for _, name := range l.baseNames() {
		if _, ok := cfg.Gate(name); !ok {
			missing = append(missing, name)
		} else if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names, missing
}

// unknownCost leaves the order of a file as it is, but for after: a landing runs
// all, and the person who wrote the file knows what fails first.
func unknownCost(string) (time.Duration, bool) { return 0, false }

// weigh says whether a gate's outcome lets the lane land. What asks for attention is
// weighed as what is beneath it: a note that is stale lets no red in.
func (l *landing) weigh(ctx context.Context, v gates.Verdict) error {
	done := LandedGate{Gate: v.Gate, Outcome: v.Outcome, Run: v.Run}
	defer func() { l.Gates = append(l.Gates, done) }()
	switch v.Beneath() {
	case gates.Green:
		return nil
	case gates.KnownRed:
		return l.weighKnown(ctx, v, &done)
	}
	if dir, full := l.fullDisk(); full { // nothing that says is of the lane
		l.endFull(dir)
		return nil
	}
	if v.Outcome == gates.Red {
		return l.weighRed(ctx, v, &done)
	}
	why := "gate " + v.Gate + ": " + string(v.Outcome)
	if len(v.Findings) > 0 {
		why += ": " + v.Findings[0].Text
	}
	l.end(LandOutcome(v.Outcome), why, strings.Join(v.Next, "; "))
	return nil
}

// weighRed holds a red against the base's own. Only a red of which everything has a
// name can be the same.
func (l *landing) weighRed(ctx context.Context, v gates.Verdict, done *LandedGate) error {
	mine := faultsOf(v)
	next := "gpuci gate " + v.Gate + ", in lane " + l.Lane + " after git rebase " + l.Onto
	known := "; or commit expect = \"red\" with an owner and an end, if it is so at " + l.Onto
	if mine.unnamed != "" {
		l.end(LandOutcome(gates.Red), fmt.Sprintf("gate %s is red, and it cannot be told whether %s is for the same: %s", v.Gate, l.Onto, mine.unnamed), next+known)
		return nil
	}
	base, err := l.baseRed(ctx, v.Gate)
	if err != nil {
		return err
	}
	done.BaseRun = base.run
	switch beyond := mine.beyond(base.faults); {
	case base.outcome != gates.Red:
		l.end(LandOutcome(gates.Red), fmt.Sprintf("gate %s is red, and %s: %s", v.Gate, base.not(l.Onto), mine.text()), next)
	case base.faults.unnamed != "":
		l.end(LandOutcome(gates.Red), fmt.Sprintf("gate %s is red, and so is %s, but it cannot be told whether for the same: there, %s", v.Gate, l.Onto, base.faults.unnamed), next+known)
	case len(beyond) > 0:
		l.end(LandOutcome(gates.Red), fmt.Sprintf("gate %s is red for more than it is at %s: %s", v.Gate, l.Onto, firstFew(beyond)), next)
	default:
		done.AsBase = true
		l.o.note("gate %s is red as it is at %s: %s", v.Gate, l.Onto, mine.text())
	}
	return nil
}

// weighKnown lets a known red land if the base knows it as well, or has no such
// gate, or is red by it: a lane that only declares so what it has broken stays out.
func (l *landing) weighKnown(ctx context.Context, v gates.Verdict, done *LandedGate) error {
	if l.baseCfg == nil {
		return nil
	}
	if g, ok := l.baseCfg.Gate(v.Gate); !ok || g.Expect == "red" {
		return nil
	}
	base, err := l.baseRed(ctx, v.Gate)
	if err != nil {
		return err
	}
	if done.BaseRun = base.run; base.outcome != gates.Red {
		l.end(LandOutcome(gates.Red), fmt.Sprintf("gate %s is a known red in lane %s alone: it is red there, and %s", v.Gate, l.Lane, base.not(l.Onto)),
			"mend it; what is red by "+l.Onto+" already can be made a known red")
	}
	return nil
}
