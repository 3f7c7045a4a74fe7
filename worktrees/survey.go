package worktrees

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"
)

const (
	// usualParallel is how many lanes are read at a time. Each is read by as many
	// threads as there are processors, and by git.
	usualParallel = 2
	// usualLimit is how long a lane may take: one of 50,000 files on a cold disk
	// answers within some seconds.
	usualLimit = 30 * time.Second
)

// SurveyOptions are those of Survey; their zero value is the usual one.
type SurveyOptions struct {
	Base     string        // branch that the lanes are held against; "" leaves it to BaseOf
	Parallel int           // lanes that are read at a time; 2 when 0
	Limit    time.Duration // for each lane; 30 s when 0
}

// Standing is a lane and how it stands.
type Standing struct {
	// Tree is the lane. Of one that did not answer Root is as git's books have it,
	// with symbolic links, and Target is "".
	Tree
	// Locked says that git worktree lock keeps it from being pruned, Reason why.
	Locked bool
	Reason string
	// Prunable says that git worktree prune forgets it: it was removed, nothing
	// stands in its place, and it is not locked.
	Prunable bool
	// MovedFrom is where git's books have it, if it stands where the survey was
	// asked for and not there. git worktree repair puts that right.
	MovedFrom string
	// State is what is in it. Of a lane that was removed or has Err it is commit
	// and branch alone, as far as the repository still has them.
	State State
	// Committed is the committer's time of State.Commit, zero where it has none or
	// that is not known.
	Committed time.Time
	// Base is what it is held against, zero where the repository has no such
	// branch. Ahead are the commits that the lane has and Base has not, Behind
	// those that Base has and the lane has not.
	Base          Base
	Ahead, Behind int
	// Counted says that both are known, CountErr why they are not; it is nil where
	// there is nothing to count.
	Counted  bool
	CountErr error
	// Err is why its state is not known; nil of one that was removed.
	Err error
}

// Survey says of every lane of a repository how it stands, the main one first,
// then the linked ones by their paths, then those that were removed. Scratch
// lanes are among them; see ScratchID.
//
// A lane that is broken, or hangs, does not keep the others: Err of its Standing
// says so, after Limit of one that hangs, and what was asked of its disk is left
// waiting. One that git worktree remove has meanwhile forgotten is left out. All
// are held against the commit that Base had at the beginning.
//
// No git runs for references and commits, unless go-git refuses the repository
// (extensions.worktreeConfig, SHA-256, reftable). The error wraps ErrNoBase when
// there is no branch that o names, and the context's error when that ended it.
func Survey(ctx context.Context, lane Lane, o SurveyOptions) ([]Standing, error) {
	o.Parallel, o.Limit = cmp.Or(o.Parallel, usualParallel), cmp.Or(o.Limit, usualLimit)
	list, err := readBooks(lane)
	if err != nil {
		return nil, fmt.Errorf("survey the lanes of %s: %w", lane.CommonDir, err)
	}
	base, err := BaseOf(ctx, lane, o.Base)
	if err != nil && (o.Base != "" || !errors.Is(err, ErrNoBase)) {
		return nil, fmt.Errorf("survey the lanes of %s: %w", lane.CommonDir, err)
	}
	reading, stop := context.WithCancel(ctx)
	defer stop()
	s := surveyor{SurveyOptions: o, here: lane, base: base, commits: openCommits(reading, lane)}
	defer s.commits.close()
	out := s.all(ctx, list)
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("survey the lanes of %s: %w", lane.CommonDir, err)
	}
	out = slices.DeleteFunc(out, func(st Standing) bool {
		return (st.Removed || st.Err != nil) && booked{lane: st.Lane}.forgotten()
	})
	slices.SortStableFunc(out, func(a, b Standing) int { return rank(a.Removed) - rank(b.Removed) })
	return out, nil
}

// rank sorts what is removed behind what is not.
func rank(removed bool) int {
	if removed {
		return 1
	}
	return 0
}

// surveyor is one survey.
type surveyor struct {
	SurveyOptions
	here    Lane
	base    Base
	commits *commits
}

// all looks at the lanes, some at a time.
func (s surveyor) all(ctx context.Context, list []booked) []Standing {
	out := make([]Standing, len(list))
	turn := make(chan struct{}, s.Parallel)
	var lanes sync.WaitGroup
	for i, b := range list {
		turn <- struct{}{}
		lanes.Go(func() {
			out[i] = s.one(ctx, b)
			<-turn
		})
	}
	lanes.Wait()
	return out
}

// one looks at a lane, and then at the repository for where it stands.
func (s surveyor) one(ctx context.Context, b booked) Standing {
	st := s.bounded(ctx, b)
	st.Locked, st.Reason, st.Base = b.locked, b.reason, s.base
	if st.Removed || st.Err != nil {
		h := bookedHead(ctx, s.here, b.lane.GitDir)
		st.State = State{Commit: h.commit, Branch: h.branch}
	}
	s.count(ctx, &st)
	return st
}

// bounded gives a lane its time. A disk that hangs cannot be interrupted: what
// was asked of it stays behind.
func (s surveyor) bounded(ctx context.Context, b booked) Standing {
	ctx, cancel := context.WithTimeoutCause(ctx, s.Limit, fmt.Errorf("it does not answer within %s: %w", s.Limit, context.DeadlineExceeded))
	defer cancel()
	found := make(chan Standing, 1)
	go func() { found <- s.look(ctx, b) }()
	select {
	case st := <-found:
		return st
	case <-ctx.Done():
	}
	select {
	case st := <-found:
		return st
	case <-time.After(2 * gitGrace): // a git that is being ended takes one
		return Standing{Tree: Tree{Lane: b.lane}, Err: context.Cause(ctx)}
	}
}

// look reads a lane.
func (s surveyor) look(ctx context.Context, b booked) (st Standing) {
	st.Tree.Lane = b.lane
	if b.err != nil {
		st.Err = b.err
		return st
	}
	t, moved, err := b.treeOf(s.here)
	if errors.Is(err, errNotHere) {
		return b.missing(st)
	}
	if err == nil {
		st.Tree = t
		st.State, err = ReadState(withCommits(ctx, s.commits), t.Lane)
	}
	if moved {
		st.MovedFrom = b.lane.Root
	}
	if err == nil {
		return st
	}
	if _, _, gone := b.treeOf(s.here); errors.Is(gone, errNotHere) { // it was removed while it was being read
		return s.look(ctx, b)
	}
	if st.Err = err; ctx.Err() != nil {
		st.Err = context.Cause(ctx)
	}
	return st
}

// count says how far a lane is from its base, and how old its commit is.
func (s surveyor) count(ctx context.Context, st *Standing) {
	if st.State.Commit == "" {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, s.Limit)
	defer cancel()
	st.Committed, st.CountErr = s.commits.when(ctx, st.State.Commit)
	if st.CountErr != nil || s.base.Commit == "" {
		return
	}
	st.Ahead, st.Behind, st.CountErr = s.commits.aheadBehind(ctx, st.State.Commit, s.base.Commit)
	st.Counted = st.CountErr == nil
}
