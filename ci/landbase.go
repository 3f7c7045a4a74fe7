package ci

import (
	"cmp"
	"context"
	"encoding/json"
	"os"
	"path/filepath"

	"gpuci/gates"
	"gpuci/gates/history"
)

// baseRun is what a gate gives on the base itself.
type baseRun struct {
	run    string
	red    bool
	faults []string
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
	return l.baseIs(v), l.at(ctx, l.Tip)
}

func (l *landing) baseIs(v gates.Verdict) baseRun {
	r := baseRun{run: v.Run, red: v.Outcome == gates.Red}
	if r.red {
		r.faults = faults(v)
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

// mostResults is how far back the history is searched: a base that was not judged
// among so many runs of the gate is judged anew.
const mostResults = 200

// landJudged are the outcomes that say how a gate stands.
var landJudged = []string{string(gates.Green), string(gates.KnownRed), string(gates.Attention), string(gates.Red)}

// lookUp finds the last outcome of a gate on the base's own tree, with all that its
// verdict says. Only our own count: what others wrote is no reason to land red.
func (l *landing) lookUp(ctx context.Context, gate string) (v gates.Verdict, ok bool) {
	store, err := l.o.History.Store()
	if err != nil {
		return v, false
	}
	for r, err := range store.Results(ctx, history.Query{Gate: gate, Outcomes: landJudged, Limit: mostResults}) {
		if err != nil {
			return v, false
		}
		if r.UID != os.Geteuid() || r.Changes != "" || r.Commit != l.Base {
			continue
		}
		data, err := os.ReadFile(filepath.Join(l.o.State, "runs", filepath.Base(r.Run), "verdict.json"))
		if err != nil || json.Unmarshal(data, &v) != nil || v.Run != r.Run || v.Gate != gate {
			return gates.Verdict{}, false // its names are not known any more
		}
		return v, true
	}
	return v, false
}

// baseNames are the gates that the base requires, none where that cannot be told.
func (l *landing) baseNames(ctx context.Context) []string {
	cfg, err := configAt(ctx, l.o.Lane, l.Base, l.dir)
	if err != nil {
		l.o.note("what %s requires cannot be told: %v", l.Onto, err)
	}
	if err != nil || cfg == nil {
		return nil
	}
	return requiredNames(cfg)
}

// dry says what would be done, and makes nothing for it.
func (l *landing) dry(ctx context.Context) error {
	cfg, err := configAt(ctx, l.o.Lane, l.Commit, l.dir)
	if err != nil {
		return err
	}
	names := l.baseNames(ctx)
	if cfg != nil {
		names = requiredNames(cfg)
	}
	for _, name := range names {
		l.Gates = append(l.Gates, LandedGate{Gate: name})
	}
	l.In = l.holder.Name
	l.end(WouldTry, "", "")
	return nil
}
