package ci

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"time"

	"gpuci/gates"
	"gpuci/gates/history"
)

// mostResults is how far back the history is searched: a base that was not judged
// among so many runs of the gate is judged anew.
const mostResults = 200

// landJudged are the outcomes that say how a gate stands.
var landJudged = []string{string(gates.Green), string(gates.KnownRed), string(gates.Attention), string(gates.Red)}

// lookUp finds the last outcome of a gate on the base's own commit, with all that
// its verdict says. Only our own count: what others wrote is no reason to land red.
func (l *landing) lookUp(ctx context.Context, gate string) (v gates.Verdict, ok bool) {
	store, err := l.o.History.Store()
	if err != nil {
		return v, false
	}
	for r, err := range store.Results(ctx, history.Query{Gate: gate, Outcomes: landJudged, Believed: true, Limit: mostResults}) {
		if err != nil {
			return v, false
		}
		if r.UID != os.Geteuid() || !l.ofBase(r) || l.overdue(r) {
			continue
		}
		data, err := os.ReadFile(filepath.Join(l.o.State, "runs", filepath.Base(r.Run), "verdict.json"))
		if err != nil || json.Unmarshal(data, &v) != nil || v.Run != r.Run || v.Gate != gate || v.Bound.Commit != l.Base {
			return gates.Verdict{}, false // its names are not known any more
		}
		return v, true
	}
	return v, false
}

// ofBase says whether a result is of the base's commit and of nothing else: the
// whole gate with the base's settings, in a scratch lane that stayed where it was.
// In a lane where people work, a run by hand can be red for what they have there.
func (l *landing) ofBase(r history.Result) bool {
	g, ok := l.baseGate(r.Gate)
	return ok && r.Commit == l.Base && r.Changes == "" && !r.Partial && r.Config == g &&
		inScratch(l.scratchDir, r) && !Unsettled(r)
}

// baseGate is the id of the settings that the base has of a gate.
func (l *landing) baseGate(name string) (id string, ok bool) {
	if l.baseCfg == nil {
		return "", false
	}
	g, ok := l.baseCfg.Gate(name)
	if !ok {
		return "", false
	}
	return gates.SettingsID(*g), true
}

// overdue says that a result of the base was a known red whose end has come since.
func (l *landing) overdue(r history.Result) bool {
	g, ok := l.baseCfg.Gate(r.Gate)
	return ok && overdue(r, *g, time.Now())
}
