package main

import (
	"context"
	"errors"
	"fmt"
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
		return meant{}, errNoLanes()
	}
	all, torn := gates.ListLanes(ctx, here)
	if ctx.Err() != nil {
		return meant{}, context.Cause(ctx)
	}
	var trees, removed []worktrees.Tree
	for _, t := range all {
		switch _, scratch := worktrees.ScratchID(t); {
		case scratch:
		case t.Removed:
			removed = append(removed, t)
		default:
			trees = append(trees, t)
		}
	}
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
		if at < 0 && slices.ContainsFunc(removed, func(t worktrees.Tree) bool { return t.Name == name }) {
			return m, coded{gates.ExitNothing, fmt.Sprintf("lane %s was removed: its directory is not there any more", name), "git worktree prune forgets it; git worktree repair DIR, if it was moved there"}
		}
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
	cfg, err := config.Load(config.DefaultSources(path))
	return cfg, placed(err, filepath.Dir(path))
}

// placed names the files of mistakes by their whole paths: of several lanes each has a
// gpuci.toml.
func placed(err error, dir string) error {
	var problems config.Problems
	if !errors.As(err, &problems) {
		return err
	}
	problems = slices.Clone(problems)
	for i, p := range problems {
		if !filepath.IsAbs(p.File) {
			problems[i].File = filepath.Join(dir, p.File)
		}
	}
	return problems
}

// mistakeText is the first mistake of a lane's configuration on one line, by its file's
// path from the lane's root, and how many more there are.
func mistakeText(err error, root string) string {
	var problems config.Problems
	if !errors.As(err, &problems) || len(problems) == 0 {
		return oneLine(err.Error())
	}
	p := problems[0]
	if rel, err := filepath.Rel(root, p.File); err == nil && filepath.IsLocal(rel) {
		p.File = rel
	}
	text := fmt.Sprintf("%s:%d: %s", p.File, p.Line, p.Msg)
	if more := len(problems) - 1; more > 0 {
		text += fmt.Sprintf(" (and %d more)", more)
	}
	return oneLine(text)
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
