package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"

	"gpuci/gates"
	"gpuci/gates/config"
	"gpuci/worktrees"
)

// several says that more than one lane is meant.
func (l laneFlags) several() bool { return l.every || len(l.lanes) > 1 }

// meant are the lanes that the flags of a command mean, in the order of the flags
// or of git's list, and where in each of them we would stand.
type meant struct {
	lanes []worktrees.Lane
	at    string // our directory, from the root of the lane we stand in
	torn  error  // why lanes may be missing
}

// lanesMeant finds the lanes of this repository that are there. Scratch lanes are
// gpuci's own, and not among them.
func (a *app) lanesMeant(ctx context.Context, f laneFlags) (meant, error) {
	dir, err := a.standing()
	if err != nil {
		return meant{}, err
	}
	here, err := findLane(ctx, dir)
	if err != nil {
		return meant{}, err
	}
	if here.Root == "" {
		return meant{}, coded{gates.ExitNothing, "there are no lanes: this is no git worktree", "cd into a lane, or name its directory by -C"}
	}
	trees, torn := gates.LanesHere(ctx, here)
	if ctx.Err() != nil {
		return meant{}, context.Cause(ctx)
	}
	trees = slices.DeleteFunc(trees, func(t worktrees.Tree) bool { _, ok := worktrees.ScratchID(t); return ok })
	m := meant{torn: torn}
	if m.at, err = filepath.Rel(here.Root, dir); err != nil {
		return m, err
	}
	names := f.lanes
	for _, t := range trees {
		if f.every {
			names = append(names, t.Name)
		}
	}
	for _, name := range names {
		at := slices.IndexFunc(trees, func(t worktrees.Tree) bool { return t.Name == name })
		if at < 0 {
			return m, ground{lanes: trees}.noLane(name)
		}
		if !slices.Contains(m.lanes, trees[at].Lane) {
			m.lanes = append(m.lanes, trees[at].Lane)
		}
	}
	if len(m.lanes) == 0 {
		return m, ground{lane: here, torn: torn}.errUntold()
	}
	return m, nil
}

// config is what holds in one of the lanes, at the place where we stand in ours.
func (m meant) config(lane worktrees.Lane) (*config.Config, error) {
	at := m.at
	for at != "." && !isDir(filepath.Join(lane.Root, at)) { // that lane has no such directory
		at = filepath.Dir(at)
	}
	path, err := config.Find(filepath.Join(lane.Root, at), lane.Root)
	if err != nil {
		return nil, err
	}
	return config.Load(config.DefaultSources(path))
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// isGone says whether a lane was removed; the zero lane, outside of git, is none.
func isGone(l worktrees.Lane) bool {
	for _, dir := range []string{l.Root, l.GitDir} {
		if _, err := os.Lstat(dir); dir != "" && errors.Is(err, os.ErrNotExist) {
			return true
		}
	}
	return false
}
