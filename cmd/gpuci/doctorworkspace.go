package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

	"gpuci/buildlock"
	"gpuci/gates"
	"gpuci/pressure"
	"gpuci/worktrees"
)

func (d *doctor) checkWorkspace(ctx context.Context) []check {
	out := []check{d.checkLane(), d.checkGates()}
	if d.place.lane.Root != "" {
		out = append(out, d.checkBase(ctx))
	}
	if d.file == "" && d.place.lane.Root == "" {
		return out // nothing is recorded
	}
	state, note := gates.StateDir(d.place.lane, d.root())
	return append(out, checkState(state, note), checkHistory(gates.HistoryDir(d.place.lane, d.root())))
}

func (d *doctor) checkLane() check {
	lane := d.place.lane
	switch {
	case errors.Is(d.noLane, errNowhere):
		return broken("lane", d.noLane.Error(), "gates cannot tell what they judge", "cd to a directory that is there, or name one by -C").stops(exitUnfit)
	case d.noLane != nil:
		return broken("lane", d.noLane.Error(), "gates cannot tell what they judge", "git worktree repair, in the main worktree, puts links between worktrees right").stops(exitUnfit)
	case lane.Root == "":
		return lost("lane", "none: this is no git worktree", "outcomes are bound to no commit, and whose a leaked process is cannot be told", "stand in a checkout, or git init")
	}
	return fine("lane", lane.Name).at(lane.Root)
}

func (d *doctor) checkGates() check {
	n := len(d.place.config.Gates)
	switch {
	case d.file == "":
		return lost("gates", "there is no gpuci.toml in this directory, nor in one that it is in", "no gates; build, env, lock, pressure and reaper work", "gpuci init")
	case d.wrong != nil:
		return unsure("gates", "the configuration cannot be read")
	case n == 0:
		return lost("gates", "none in gpuci.toml", "nothing is checked", "gpuci gate --help has one to begin with")
	}
	return fine("gates", count(n, "gate", "gates")).at(d.file)
}

// baseTime bounds the search for a branch, which git may have to be asked about.
const baseTime = 5 * time.Second

func (d *doctor) checkBase(ctx context.Context) check {
	ctx, cancel := context.WithTimeout(ctx, baseTime)
	defer cancel()
	base, err := worktrees.BaseOf(ctx, d.place.lane, d.place.config.Workspace.Base)
	switch {
	case errors.Is(err, worktrees.ErrNoBase):
		return lost("base branch", "none found", "numbers are held against nothing of the branch that lanes are landed on", `[workspace] base = "BRANCH" in gpuci.toml`)
	case err != nil:
		return unsure("base branch", err.Error())
	}
	return fine("base branch", fmt.Sprintf("%s at %.10s", base.Name, base.Commit))
}

// lowSpace is what a night of logs may take.
const lowSpace = 1 << 30 // bytes

// checkState looks at the directory that runs are recorded in, or would be made
// in. note says why it is not where one looks for it.
func checkState(dir, note string) check {
	at := standing(dir)
	if err := unix.Access(at, unix.W_OK|unix.X_OK); err != nil {
		return broken("records", fmt.Sprintf("%s may not be written to: %v", at, err), "a run that cannot be recorded is refused", "make it writable for you, or set XDG_STATE_HOME").at(dir).stops(exitUnfit)
	}
	fs, err := buildlock.FileSystemOf(at)
	switch {
	case err != nil:
		return unsure("records", err.Error()).at(dir)
	case fs.Full:
		return broken("records", "its file system is full", "a run that cannot be recorded is refused", "free space in "+at).at(dir).stops(exitUnfit)
	}
	value := pressure.Bytes(fs.Free) + " free"
	switch {
	case note != "":
		return lost("records", note, "who works here as somebody else does not see them", "make the git directory writable for you").at(dir)
	case fs.Network != "":
		return lost("records", fmt.Sprintf("on a network file system (%s), %s", fs.Network, value), "the history is kept in journals and joined later", "a clone on a disk of this machine").at(dir)
	case fs.Free < lowSpace:
		return lost("records", "only "+value, "the logs of a few runs fill it", "free space in "+at+"; [history] keep-runs keeps fewer").at(dir)
	}
	return fine("records", value).at(dir)
}

// standing is the nearest directory at or above a path that is there.
func standing(path string) string {
	for ; path != "/" && path != "."; path = filepath.Dir(path) {
		if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
			return path
		}
	}
	return path
}

// historyFile is the database among the records; the file itself is not opened
// here, which would drop the locks that its own reader has on it.
const historyFile = "history.db"

func checkHistory(state string) check {
	path := filepath.Join(state, historyFile)
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return fine("history", "none yet").at(path)
	case err != nil:
		return unsure("history", err.Error()).at(path)
	}
	return fine("history", pressure.Bytes(info.Size())).at(path)
}
