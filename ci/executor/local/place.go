package local

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"gpuci/ci/executor"
	"gpuci/gates"
	"gpuci/worktrees"
)

// Bounds on scratch lanes.
const (
	FetchTime  = 10 * time.Minute // for submodules that are nowhere here
	RemoveTime = 5 * time.Minute  // a target directory has a hundred thousand files
)

// place is the scratch lane of a content.
type place struct {
	head    executor.Head
	scratch *worktrees.Scratch
	lane    worktrees.Lane // that it is
}

// of says whether a task can run in it.
func (p *place) of(t executor.Task) bool {
	return p != nil && p.head.Tree == t.Head.Tree && p.head.Commit == t.Head.Commit
}

// run runs one gate in the scratch lane of its content.
func (e *Executor) run(ctx context.Context, t executor.Task) (*gates.Verdict, *executor.Loss) {
	if t.Head.Dirty {
		why := "changes that are not committed are in no scratch lane; gpuci gate runs them in their lane"
		return nil, &executor.Loss{Outcome: gates.Broken, Kind: executor.KindContent, Why: why}
	}
	if !e.place.of(t) {
		e.drop()
		if err := e.checkOut(ctx, t.Head); err != nil {
			return nil, &executor.Loss{Outcome: gates.Broken, Kind: executor.KindContent, Why: err.Error()}
		}
	}
	p := e.place
	if err := Settle(ctx, p.scratch, t.Head.Commit); err != nil && ctx.Err() == nil {
		e.note("lane %s: tidy its scratch lane: %v", t.Head.Lane, err)
	}
	cfg := *t.Config
	cfg.Root = filepath.Join(p.scratch.Root, t.Dir)
	opt, err := e.o.Prepare(p.lane, &cfg, t.Gate)
	if err != nil {
		return nil, &executor.Loss{Outcome: gates.Refused, Kind: "refused", Why: "it cannot begin: " + err.Error()}
	}
	opt.Gate, opt.Root, opt.Lane = t.Gate, cfg.Root, p.lane
	opt.As = gates.As{Lane: t.Head.Lane, Branch: t.Head.Branch}
	opt.Env = append(opt.Env, p.scratch.Env...)
	v := gates.Run(ctx, opt)
	if at := p.movedTo(ctx); at != "" && v.Outcome != gates.Interrupted {
		v.Outcome, v.Exit = gates.Broken, gates.Broken.ExitCode()
		why := fmt.Sprintf("it moved its lane to %.10s: a gate is to leave HEAD where it is", at)
		v.Findings = append([]gates.Finding{{Outcome: gates.Broken, Text: why}}, v.Findings...)
	}
	return &v, nil
}

// checkOut makes the scratch lane of a content, from the lane itself: it knows its
// submodules and sparse patterns. Where it was removed meanwhile, its commit is in
// the repository all the same.
func (e *Executor) checkOut(ctx context.Context, h executor.Head) error {
	from := e.o.Here
	if h.Root != "" && !IsGone(h.Root) {
		if lane, err := worktrees.Find(ctx, h.Root); err == nil && lane.CommonDir == from.CommonDir {
			from = lane
		}
	}
	s, err := worktrees.NewScratch(ctx, from, worktrees.ScratchOptions{
		Dir: e.o.Dir, Commit: h.Commit, Fetch: FetchTime, For: e.o.For, Note: e.o.Note,
	})
	switch {
	case errors.Is(err, worktrees.ErrGone):
		return fmt.Errorf("its commit %.10s is gone from the repository", h.Commit)
	case err != nil:
		return fmt.Errorf("it cannot be checked out: %w", err)
	}
	for _, text := range s.Notes {
		e.note("lane %s: %s", h.Lane, text)
	}
	e.place = &place{head: h, scratch: s, lane: s.Lane}
	if lane, err := worktrees.Find(ctx, s.Root); err == nil {
		e.place.lane = lane // by the name under which the lanes are listed
	}
	return nil
}

// drop removes the scratch lane, also of a night that was stopped.
func (e *Executor) drop() {
	if e.place == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(e.ctx), RemoveTime)
	defer cancel()
	if err := e.place.scratch.Remove(ctx); err != nil {
		e.note("remove a scratch lane: %v (the next night tries again)", err)
	}
	e.place = nil
}

// movedTo is the commit to which a gate has moved its scratch lane; "" where that is
// where it was. What was judged is not what the outcome says then.
func (p *place) movedTo(ctx context.Context) string {
	st, err := worktrees.ReadState(context.WithoutCancel(ctx), p.scratch.Lane)
	if err != nil || st.Commit == p.head.Commit {
		return "" // settle says what is wrong
	}
	return st.Commit
}

// Settle sees to it that a scratch lane is at a commit, with nothing else in it: gates
// leave what they make, and some more than that. Build products stay where they have a
// directory of their own.
func Settle(ctx context.Context, s *worktrees.Scratch, commit string) error {
	st, err := worktrees.ReadState(ctx, s.Lane)
	if err == nil && !st.Dirty && st.Branch == "" && st.Commit == commit {
		return nil
	}
	return s.Move(ctx, commit)
}

// IsGone says that there is no such directory.
func IsGone(dir string) bool {
	_, err := os.Stat(dir)
	return errors.Is(err, os.ErrNotExist)
}
