package proc

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// Leftover is what a gpuci that was killed may have left of its commands.
type Leftover struct {
	Cgroups string   // directory in which their leaves were made, from LeafParent; "" for none
	Name    string   // of the commands: Command.Name
	Since   uint64   // start ticks of that gpuci: nothing it started is older
	Leave   []string // names of daemons that may stay
	UID     *int     // whose they are; ours when nil
}

// LeafParent is the directory in which Start makes leaves, "" where it cannot
// tell. It is written down before a run, so that a later process can look there.
func LeafParent() string {
	_, dir, err := Real.cgroup2()
	if err != nil {
		return ""
	}
	return dir
}

// ErrOthers says that what is left is another user's, and nothing of it can be
// found: there is no leaf, and environments are not ours to read.
var ErrOthers = errors.New("what is left is another user's: it can be found by that user or by root")

// ErrInside says that this process belongs to what was to be ended.
var ErrInside = errors.New("this process is part of what is left")

// End ends what is left, and says what came of it: once for all when it can
// find a leaf, for then nothing is missed but what root moved out of it. Where
// there is none, processes are known by the cookie in the environment they were
// started with. It is read of that user's processes that are no older than the
// run, under a short deadline each; those that do not answer are Unknown, and
// not ended. One that was started without the cookie (env -i) is not found, and
// nobody can say that it is there.
//
// Of lim, Kill alone counts. ctx and hurry end it early; Err and Stuck then say
// what was not done.
func (l Leftover) End(ctx context.Context, lim Limits, hurry <-chan struct{}) Result {
	if l.Name == "" {
		return Result{}
	}
	if l.carries(marksIn(os.Environ())) {
		return Result{Err: ErrInside}
	}
	boot, err := Real.BootID()
	if err != nil {
		return Result{Err: err}
	}
	r := remains{of: l, ctx: ctx, asked: make(map[key]answer)}
	if r.leaves, err = l.leaves(); err != nil {
		return Result{Err: err}
	}
	if len(r.leaves) == 0 && l.user() != os.Geteuid() && os.Geteuid() != 0 {
		return Result{Err: ErrOthers}
	}
	stop, done := either(ctx, hurry)
	defer done()
	e := newEnder(&r, boot, lim, stop)
	if members, err := r.members(); err == nil {
		e.old = pendingOf(members)
	}
	e.kill()
	return r.close(e.result())
}

// user is whose processes they are.
func (l Leftover) user() int {
	if l.UID == nil {
		return os.Geteuid()
	}
	return *l.UID
}

// either is closed with ctx or with hurry. done ends the watch.
func either(ctx context.Context, hurry <-chan struct{}) (stop <-chan struct{}, done func()) {
	both, cancel := context.WithCancel(ctx)
	go func() {
		select {
		case <-hurry:
			cancel()
		case <-both.Done():
		}
	}()
	return both.Done(), cancel
}

func pendingOf(members []Stat) map[key]bool {
	old := make(map[key]bool)
	for _, s := range members {
		if killPending(s) {
			old[s.key()] = true
		}
	}
	return old
}

// leaves finds the leaves of the run. Only a directory with our prefix and the
// whole name, in a cgroup v2 file system, is one; and none that we are in.
func (l Leftover) leaves() ([]*leaf, error) {
	var fs unix.Statfs_t
	if l.Cgroups == "" || unix.Statfs(l.Cgroups, &fs) != nil || fs.Type != unix.CGROUP2_SUPER_MAGIC {
		return nil, nil
	}
	entries, err := os.ReadDir(l.Cgroups)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("look for leaves: %w", err)
	}
	_, own, _ := Real.cgroup2()
	var out []*leaf
	for _, e := range entries {
		mark, ours := strings.CutPrefix(e.Name(), leafPrefix)
		if !e.IsDir() || !ours || markName(mark) != l.Name {
			continue
		}
		dir := filepath.Join(l.Cgroups, e.Name())
		if within(own, dir) {
			return nil, ErrInside
		}
		out = append(out, &leaf{dir: dir})
	}
	return out, nil
}

// carries says whether a cookie names the run.
func (l Leftover) carries(marks []string) bool {
	for _, mark := range marks {
		if markName(mark) == l.Name {
			return true
		}
	}
	return false
}
