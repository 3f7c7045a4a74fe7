package main

import (
	"context"
	"errors"
	"os"

	"gpuci/buildlock"
	"gpuci/gates"
	"gpuci/gates/config"
	"gpuci/worktrees"
)

// place is where we stand, for the commands that work anywhere: outside git
// there is no lane, and without a gpuci.toml the machine's and the user's own
// file say what there is to say.
type place struct {
	dir    string // absolute, free of symbolic links
	lane   worktrees.Lane
	config *config.Config // what the files that hold here say together
}

// place finds out. A lane that cannot be told is none here; a file that is
// wrong is an error, since it may name the lock directory. workspace says
// whether the workspace's file counts.
func (a *app) place(ctx context.Context, workspace bool) (place, error) {
	dir, err := a.standing()
	if errors.Is(err, errNowhere) { // a command can be run from there all the same
		p := place{}
		if p.config, err = config.Load(config.DefaultSources(os.DevNull)); err == nil {
			a.locks = p.lockDir()
		}
		return p, err
	}
	if err != nil {
		return place{}, err
	}
	p := place{dir: dir}
	if p.lane, err = findLane(ctx, dir); err != nil {
		a.console.note(err.Error())
	}
	file := os.DevNull // a workspace that says nothing
	if workspace {
		found, err := config.Find(dir, p.lane.Root)
		switch {
		case err == nil:
			file = found
		case !errors.Is(err, config.ErrNotFound):
			return p, err
		}
	}
	if p.config, err = config.Load(config.DefaultSources(file)); err != nil {
		return p, err
	}
	if file == os.DevNull {
		p.config.Root = "" // there is no workspace
	}
	a.locks = p.lockDir()
	return p, nil
}

// lockDir is the directory of the tickets: $GPUCI_LOCK_DIR, the configured
// one, or the usual one.
func (p place) lockDir() string {
	if p.config.LockDir != "" && os.Getenv("GPUCI_LOCK_DIR") == "" {
		return p.config.LockDir
	}
	return buildlock.DefaultDir()
}

// childDir is where a command is started: with -C in that directory, else
// where we are, which need not have a path that we may follow.
func (a *app) childDir(p place) string {
	if a.dir == "" {
		return ""
	}
	return p.dir
}

// who is what our tickets say of us.
func (p place) who(argv []string) buildlock.Who {
	return buildlock.Who{Lane: p.lane.Name, Root: p.lane.Root, Command: commandText(argv), Dir: p.dir}
}

// errNoLanes is the error of a command that works on lanes, outside of git.
func errNoLanes() error {
	return coded{gates.ExitNothing, "there are no lanes: this is no git worktree", "cd into a lane, or name its directory by -C"}
}
