package worktrees

import (
	"context"
	"fmt"
)

// maxPaths is how many changed paths a State names: more than a reader reads.
const maxPaths = 100

// State is what a verdict is bound to.
type State struct {
	// Commit is HEAD in hex, "" when the branch is unborn.
	Commit string
	// Branch is the branch's short name, "" when HEAD is detached.
	Branch string
	// Dirty is git status's word, ignored files left out and submodules
	// included whatever the configuration says; and those files that git was told
	// not to look at, where they differ.
	Dirty bool
	// Changes is a SHA-256 in hex over all that is on disk otherwise than in
	// Commit: path, mode and content; "" when the lane is not dirty. Staging
	// does not alter it, and neither does staging something and undoing it on
	// disk alone: then Dirty is true, and Changes the hash of no change.
	Changes string
	// Paths are the changed paths from the lane's root, sorted, at most 100. A
	// rename is two paths; a nested repository is one.
	Paths []string
	// Count is the number of changed paths.
	Count int
}

// ReadState says what is in a lane that Find returned. A clean lane needs git
// only to name HEAD's tree and for what is ignored, and no git where go-git
// can do the first and there is none of the second.
//
// The error wraps exec.ErrNotFound when git is needed and not installed, and
// the context's error when that ended it.
func ReadState(ctx context.Context, l Lane) (State, error) {
	return read(ctx, l, nil)
}

// ReadAndWatch is ReadState, and watches the lane from then on. The watch must
// be closed; it is nil with an error.
func ReadAndWatch(ctx context.Context, l Lane) (State, *Watch, error) {
	return readAndWatch(ctx, l, smallLane)
}

func readAndWatch(ctx context.Context, l Lane, least int) (State, *Watch, error) {
	w := &Watch{lane: l, least: least, fd: -1}
	st, err := read(ctx, l, w)
	if err != nil {
		w.Close()
		return State{}, nil, err
	}
	return st, w, nil
}

func read(ctx context.Context, l Lane, w *Watch) (State, error) {
	st, proven, err := readState(ctx, l, w)
	if err != nil {
		return State{}, fmt.Errorf("read state of lane %s: %w", l.Name, err)
	}
	if w != nil {
		w.commit, w.whole = st.Commit, w.whole && proven
	}
	return st, nil
}

// readState says also whether the walk alone has proven the lane clean: then
// every directory that matters is watched.
func readState(ctx context.Context, l Lane, w *Watch) (st State, proven bool, err error) {
	h := readHead(ctx, l)
	ask, watched, err := candidates(ctx, l, h.commit, w)
	if ctx.Err() != nil {
		return State{}, false, ctx.Err()
	}
	if err == nil && len(ask) == 0 {
		return State{Commit: h.commit, Branch: h.branch}, watched, nil
	}
	// Not proven is no failure: with nothing to ask about, git says it all.
	r, err := readStatus(ctx, l, ask)
	if err == nil && len(ask) > 0 && r.commit != h.commit {
		// A commit or a checkout came between: the candidates are of the past.
		r, err = readStatus(ctx, l, nil)
	}
	var unseen []record
	if err == nil {
		unseen, err = hidden(ctx, l)
	}
	if err != nil {
		return State{}, false, err
	}
	r.reveal(unseen)
	st, err = r.state(ctx, l)
	return st, false, err
}

// state turns git's report into a State.
func (r report) state(ctx context.Context, l Lane) (State, error) {
	st := State{Commit: r.commit, Branch: r.branch, Count: len(r.changes)}
	if st.Count == 0 {
		return st, nil
	}
	st.Dirty = true
	for _, c := range r.changes[:min(st.Count, maxPaths)] {
		st.Paths = append(st.Paths, c.path)
	}
	var err error
	st.Changes, err = hashChanges(ctx, l, r.changes)
	return st, err
}
