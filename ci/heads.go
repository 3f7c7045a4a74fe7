package ci

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"gpuci/gates"
	"gpuci/worktrees"
)

// newPlan takes the heads of all lanes, or of those that are named.
func (o *Options) newPlan(ctx context.Context, at time.Time) (Plan, error) {
	p := Plan{Night: gates.NewID(at), Schema: planSchema, Nightly: o.nightly(), Began: at, Force: o.Force, Gates: o.Gates, On: o.On}
	if p.On != "" {
		p.Schema = awaySchema
	}
	dir, err := dirOf(o.Here, o.Config)
	if err != nil {
		return p, err
	}
	p.Dir = dir
	base, err := worktrees.BaseOf(ctx, o.Here, o.Config.Workspace.Base)
	if err != nil && !errors.Is(err, worktrees.ErrNoBase) {
		return p, err
	}
	p.Base = base.Name
	if p.Heads, err = o.heads(ctx); err == nil {
		err = ctx.Err()
	}
	return p, err
}

// heads are where the lanes and branches stand that are meant.
func (o *Options) heads(ctx context.Context) (heads []Head, err error) {
	lanes, err := worktrees.Survey(ctx, o.Here, worktrees.SurveyOptions{})
	if err != nil {
		return nil, err
	}
	for _, st := range lanes {
		if _, scratch := worktrees.ScratchID(st.Tree); !scratch && o.meant(st) {
			heads = append(heads, headOf(st))
		}
	}
	if o.nightly() && len(heads) == 0 {
		return nil, &UnknownError{"lane", strings.Join(o.Config.CI.Lanes, ", ")}
	}
	for _, name := range o.Lanes {
		if !slices.ContainsFunc(heads, func(h Head) bool { return h.Lane == name }) {
			return nil, &UnknownError{"lane", name}
		}
	}
	for _, name := range o.Branches {
		if slices.ContainsFunc(heads, func(h Head) bool { return h.Branch == name }) {
			continue
		}
		base, err := worktrees.BaseOf(ctx, o.Here, name)
		switch {
		case errors.Is(err, worktrees.ErrNoBase):
			return nil, &UnknownError{"branch", name}
		case err != nil:
			return nil, err
		}
		heads = append(heads, Head{Lane: branchPrefix + name, Branch: name, Commit: base.Commit})
	}
	for i := range heads {
		heads[i].readTree(ctx, o.Here)
	}
	return heads, nil
}

// meant says whether a lane is one of the night's: one that is named, or that has
// out a branch that is.
func (o *Options) meant(st worktrees.Standing) bool {
	if !o.nightly() {
		return slices.Contains(o.Lanes, st.Name) || slices.Contains(o.Branches, st.State.Branch) && !st.Removed
	}
	return slices.ContainsFunc(o.Config.CI.Lanes, func(pattern string) bool {
		ok, err := path.Match(pattern, st.Name)
		return ok && err == nil
	})
}

// UnknownError says that there is no lane, branch or gate of a name.
type UnknownError struct{ What, Name string }

func (e *UnknownError) Error() string { return fmt.Sprintf("there is no %s %q", e.What, e.Name) }

// headOf is one lane as the plan has it. Of one whose files cannot be read the
// commit is known all the same, and is what the night is about; nobody looks into
// its directory again.
func headOf(st worktrees.Standing) Head {
	h := Head{Lane: st.Name, Root: st.Root, Branch: st.State.Branch, Commit: st.State.Commit, Changed: st.State.Count}
	switch {
	case st.Removed:
		h.Why = "its directory was removed (git worktree prune forgets it)"
	case st.Err != nil && h.Commit == "":
		h.Why, h.Exit = "it cannot be read: "+st.Err.Error(), gates.Broken.ExitCode()
	case st.Err != nil:
		h.Root, h.Unread = "", st.Err.Error()
	case h.Commit == "":
		h.Why = "it has no commit yet"
	}
	return h
}

// readTree finds the content of the head's commit.
func (h *Head) readTree(ctx context.Context, here worktrees.Lane) {
	if h.Why != "" {
		return
	}
	tree, err := worktrees.ContentID(ctx, here, worktrees.State{Commit: h.Commit})
	if err != nil {
		h.Why, h.Exit = fmt.Sprintf("its commit %.10s cannot be read: %v", h.Commit, err), gates.Broken.ExitCode()
	}
	h.Tree = tree
}
