package gates

import (
	"context"
	"slices"
	"strings"
	"time"

	"gpuci/gates/history"
	"gpuci/worktrees"
)

// Content is what is in a lane, as a verdict is bound to it.
type Content struct {
	Commit  string `json:"commit"`            // HEAD, "" where it has none
	Changes string `json:"changes,omitempty"` // hash of what is not committed, "" for nothing
	Tree    string `json:"tree,omitempty"`    // id of all that is there; "" where git cannot say, or not all is as git checks it out
}

// same says whether two contents are one: by all that is there where that is known of
// both, for an amended message and a commit of what was changed alter nothing of it.
func (c Content) same(other Content) bool {
	if c.Tree != "" && other.Tree != "" {
		return c.Tree == other.Tree
	}
	return c.Commit == other.Commit && c.Changes == other.Changes
}

// oddMark begins the mark of a verdict on files that are not as git checks them out.
const oddMark = "not as git checks it out"

// contentOf is what a gate judged: results with the same one are about the same thing,
// whichever lane they are of.
func contentOf(r history.Result) Content {
	c := Content{r.Commit, r.Changes, r.Tree}
	if slices.ContainsFunc(r.Marks, func(mark string) bool { return strings.HasPrefix(mark, oddMark) }) {
		c.Tree = "" // which says nothing of those
	}
	return c
}

// ReadContent reads it as a gate does that begins now.
func ReadContent(ctx context.Context, lane worktrees.Lane) (c Content, err error) {
	state, err := worktrees.ReadState(ctx, lane)
	if err != nil {
		return c, err
	}
	draft, err := worktrees.ReadDraft(ctx, lane, state)
	if err != nil {
		draft = worktrees.Draft{Commit: state.Commit}
	}
	raw, err := worktrees.ReadRaw(ctx, lane, draft)
	if err != nil && ctx.Err() != nil {
		return c, err
	}
	changes, odd := withOdd(state.Changes, raw)
	if c = (Content{state.Commit, changes, draft.Tree}); len(odd) > 0 {
		c.Tree = ""
	}
	return c, nil
}

// outcomes looks up what gates came to, each once.
type outcomes struct {
	ctx    context.Context
	store  *history.Store
	byGate map[string][]history.Result // the newest
}

func newOutcomes(ctx context.Context, store *history.Store) *outcomes {
	return &outcomes{ctx, store, make(map[string][]history.Result)}
}

// judging are the outcomes that say something of the content.
var judging = []string{string(Green), string(KnownRed), string(Attention), string(Red), string(BuildFailed), string(Broken), string(OutOfTime)}

func (o *outcomes) read(q history.Query, one func(history.Result) bool) {
	q.Outcomes = judging
	for r, err := range o.store.Results(o.ctx, q) {
		if err == nil && pays(r) && !one(r) {
			return
		}
	}
}

// onContent finds the newest outcome of a debt's gate on some content, in whichever
// lane, that began after a time.
func (o *outcomes) onContent(d Debt, c Content, after time.Time) (found history.Result, ok bool) {
	const most = 200 // they cost a fifth of a millisecond each
	list, read := o.byGate[d.Gate]
	if !read {
		o.read(history.Query{Gate: d.Gate, Believed: true, Limit: most}, func(r history.Result) bool {
			list = append(list, r)
			return true
		})
		o.byGate[d.Gate] = list
	}
	at := slices.IndexFunc(list, func(r history.Result) bool { return r.Started.After(after) && contentOf(r).same(c) })
	if at < 0 {
		return found, false
	}
	return list[at], true
}

// inLane finds an outcome of a debt's gate in its lane since it was refused, on
// whatever was there then.
func (o *outcomes) inLane(d Debt) (found history.Result, ok bool) {
	const most = 50
	q := history.Query{Gate: d.Gate, Lane: d.Lane, Since: d.Last, Believed: d.User == "", Limit: most}
	o.read(q, func(r history.Result) bool {
		if ok = o.store.Believes(r.UID, r.Started) || d.User != "" && r.UID == d.uid; ok {
			found = r
		}
		return !ok
	})
	return found, ok
}
