package main

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"slices"
	"time"

	"gpuci/ci"
	"gpuci/gates"
	"gpuci/gates/config"
	"gpuci/gates/history"
	"gpuci/worktrees"
)

// lanesPast is what the history has of the gates of all lanes.
type lanesPast struct {
	latest  map[string][]history.Result // by lane: the last of each gate, whatever it came to
	telling map[string][]history.Result // by gate: those that say something of the code, the newest first
}

// tellingOutcomes are those that say something of the code: all but refused and
// interrupted, behind which the one before still holds.
var tellingOutcomes = [...]gates.Outcome{gates.Green, gates.KnownRed, gates.Attention, gates.Red, gates.BuildFailed, gates.Broken, gates.OutOfTime}

func tells(r history.Result) bool {
	return slices.Contains(tellingOutcomes[:], gates.Outcome(r.Outcome))
}

// lookedBack is how many outcomes of a gate are read to find one of a lane's content
// in another lane, beside each lane's own: they cost some milliseconds.
const lookedBack = 200

// pastOfLanes reads the history. Where gpuci has never run there is none, and none is
// made.
func (a *app) pastOfLanes(ctx context.Context, p place) (k lanesPast, err error) {
	o := a.historyOptions(p.config, p.lane)
	if _, err := os.Stat(o.State); errors.Is(err, fs.ErrNotExist) {
		return k, nil
	}
	store, err := history.Open(ctx, o)
	if err != nil {
		return k, err
	}
	defer store.Close()
	list, err := store.Latest(ctx)
	k = lanesPast{make(map[string][]history.Result), make(map[string][]history.Result)}
	read := func(q history.Query) {
		for _, outcome := range tellingOutcomes {
			q.Outcomes = append(q.Outcomes, string(outcome))
		}
		for r, failed := range store.Results(ctx, q) {
			if err = cmp.Or(err, failed); failed == nil && store.Believes(r.UID, r.Started) {
				k.telling[r.Gate] = append(k.telling[r.Gate], r)
			}
		}
	}
	for _, r := range list {
		k.latest[r.Lane] = append(k.latest[r.Lane], r)
		if _, ok := k.telling[r.Gate]; !ok {
			k.telling[r.Gate] = nil
			read(history.Query{Gate: r.Gate, Limit: lookedBack})
		}
		if tells(r) {
			k.telling[r.Gate] = append(k.telling[r.Gate], r)
		} else {
			read(history.Query{Gate: r.Gate, Lane: r.Lane, Limit: 1})
		}
	}
	for _, list := range k.telling {
		slices.SortStableFunc(list, func(a, b history.Result) int { return b.Started.Compare(a.Started) })
	}
	return k, err
}

// laneOutcome is what a gate last came to for a lane.
type laneOutcome struct {
	latestLine
	in string // the other lane in which that was judged
}

// of tells, of each gate, what holds for a lane: the newest outcome that stands, of its
// own or of another lane's with the same content; else what its own last one was. One
// that says nothing of the code is told where there is no other.
func (k lanesPast) of(ctx context.Context, l laneLook, cfg *config.Config) (out []laneOutcome) {
	var results []history.Result
	var in []string
	for gate, list := range k.candidates(ctx, l) {
		for _, r := range list {
			judged := r.Lane
			if judged == l.Name {
				judged = ""
			}
			r.Gate, r.Lane = gate, l.Name // held against this lane
			results, in = append(results, r), append(in, judged)
		}
	}
	best := make(map[string]laneOutcome)
	for i, line := range (past{cfg: cfg, lane: l.Lane}).latest(ctx, results) {
		mine := laneOutcome{line, in[i]}
		if other, ok := best[line.Gate]; !ok || mine.before(other) {
			best[line.Gate] = mine
		}
	}
	for _, o := range best {
		out = append(out, o)
	}
	slices.SortFunc(out, func(a, b laneOutcome) int { return cmp.Compare(a.Gate, b.Gate) })
	return out
}

// candidates are by gate: a lane's last result, the last that tells something, and the
// last one of the very content that is committed in it.
func (k lanesPast) candidates(ctx context.Context, l laneLook) map[string][]history.Result {
	tree := k.tree(ctx, l)
	out := make(map[string][]history.Result)
	for _, r := range k.latest[l.Name] {
		out[r.Gate] = append(out[r.Gate], r)
	}
	for gate, list := range k.telling {
		own := slices.IndexFunc(list, func(r history.Result) bool { return r.Lane == l.Name })
		same := slices.IndexFunc(list, func(r history.Result) bool { return tree != "" && r.Tree == tree && !ci.Unsettled(r) })
		for _, at := range []int{own, same} {
			if at >= 0 && !slices.ContainsFunc(out[gate], func(r history.Result) bool { return r.Run == list[at].Run }) {
				out[gate] = append(out[gate], list[at])
			}
		}
	}
	return out
}

// tree is the id of what is committed in a lane, "" where something else is there than
// that: to tell what, filters would run, which may write. Git is asked only for a
// commit that nothing was judged at.
func (k lanesPast) tree(ctx context.Context, l laneLook) string {
	if l.State.Dirty || l.State.Commit == "" || len(k.telling) == 0 {
		return ""
	}
	for _, list := range k.telling {
		for _, r := range list {
			if r.Commit == l.State.Commit && r.Changes == "" && r.Tree != "" && !ci.Unsettled(r) {
				return r.Tree
			}
		}
	}
	id, _ := worktrees.ContentID(ctx, l.Lane, l.State) // with an error nothing is of this content
	return id
}

// before says whether an outcome is to be told rather than another one of its gate.
func (o laneOutcome) before(other laneOutcome) bool {
	if a, b := o.rank(), other.rank(); a != b {
		return a < b
	}
	return o.Started.After(other.Started)
}

// rank is 0 of what stands.
func (o laneOutcome) rank() int {
	switch {
	case !tells(o.Result):
		return 3
	case o.Stale != "":
		return 2
	case o.Unknown != "":
		return 1
	}
	return 0
}

// lastRun is when a gate last began to run in a lane; zero for never.
func (k lanesPast) lastRun(lane string) (at time.Time) {
	for _, r := range k.latest[lane] {
		if r.Started.After(at) {
			at = r.Started
		}
	}
	return at
}
