package proc

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// Leftover is what a gpuci that was killed may have left of one run.
type Leftover struct {
	Cgroups string   // directory in which its leaves were made, from LeafParent; "" for none
	Name    string   // what the names of its leaves begin with, as in Command.Name
	Key     string   // a variable in the environment of its commands,
	Value   string   // and what stands in it, among others parted by colons
	Leave   []string // names of daemons that may stay
}

// LeafParent is the directory in which Start makes leaves, "" where it cannot
// tell. It is written down before a run, so that a later process can look there.
func LeafParent() string {
	dir, err := Real.cgroup2()
	if err != nil {
		return ""
	}
	return dir
}

// End ends what is left, and says what that was and what would not end. In a
// leaf nothing is missed. Without one, processes are known by the cookie in
// the environment they were started with: one that was started without it
// (env -i) is not found, and nobody can say that it is there. ctx bounds the
// reading of environments.
func (l Leftover) End(ctx context.Context, limit time.Duration) (ended []Stat, stuck []Stat, err error) {
	var errs []error
	for _, dir := range l.leaves() {
		e, s, err := l.endLeaf(dir, limit)
		ended, stuck, errs = append(ended, e...), append(stuck, s...), append(errs, err)
	}
	boot, err := Real.BootID()
	if err != nil {
		return ended, stuck, errors.Join(append(errs, err)...)
	}
	// Twice in a row nothing: a member may have forked while we looked.
	deadline := time.Now().Add(limit)
	for empty := 0; empty < 2; {
		left, err := l.withCookie(ctx)
		if err != nil {
			return ended, stuck, errors.Join(append(errs, err)...)
		}
		if len(left) == 0 {
			empty++
			continue
		}
		if empty = 0; !time.Now().Before(deadline) {
			return ended, append(stuck, left...), errors.Join(errs...)
		}
		for _, s := range left {
			if Real.Signal(Identity{s.PID, s.Start, boot}, unix.SIGKILL) == nil && !slices.ContainsFunc(ended, same(s)) {
				ended = append(ended, s)
			}
		}
		time.Sleep(poll)
	}
	return ended, stuck, errors.Join(errs...)
}

func same(a Stat) func(Stat) bool {
	return func(b Stat) bool { return a.PID == b.PID && a.Start == b.Start }
}

// leaves finds the leaves of the run. Only a directory with our prefix, in a
// cgroup v2 file system, is one.
func (l Leftover) leaves() []string {
	var fs unix.Statfs_t
	if l.Cgroups == "" || l.Name == "" || unix.Statfs(l.Cgroups, &fs) != nil || fs.Type != unix.CGROUP2_SUPER_MAGIC {
		return nil
	}
	entries, err := os.ReadDir(l.Cgroups)
	if err != nil {
		return nil
	}
	var out []string
	for _, e := range entries {
		if e.IsDir() && strings.HasPrefix(e.Name(), leafPrefix+l.Name) {
			out = append(out, filepath.Join(l.Cgroups, e.Name()))
		}
	}
	return out
}

// endLeaf kills what is in a leaf and takes it away.
func (o Leftover) endLeaf(dir string, limit time.Duration) (ended, stuck []Stat, err error) {
	l := &leaf{dir: dir}
	all, err := l.members()
	if err != nil {
		return nil, nil, err
	}
	stay, ended := spare(all, o.Leave, 0)
	for _, s := range stay {
		if err := l.release(s.PID); err != nil {
			return nil, all, fmt.Errorf("move %s (pid %d) out of %s: %w", s.Comm, s.PID, dir, err)
		}
	}
	if err := l.kill(); err != nil {
		return nil, ended, fmt.Errorf("end cgroup %s: %w", dir, err)
	}
	if !l.empty(limit, nil) {
		stuck, _ = l.members()
		return ended, stuck, nil
	}
	return ended, nil, l.remove()
}

// withCookie lists this user's processes that were started with the cookie,
// less the daemons that may stay.
func (l Leftover) withCookie(ctx context.Context) ([]Stat, error) {
	if l.Key == "" || l.Value == "" {
		return nil, nil
	}
	table, err := Real.Table()
	if err != nil {
		return nil, err
	}
	uid := uint32(os.Getuid())
	var out []Stat
	for pid, s := range table {
		var st unix.Stat_t
		if s.Zombie() || s.Kernel || pid == os.Getpid() || unix.Stat(filepath.Join(string(Real), fmt.Sprint(pid)), &st) != nil || st.Uid != uid {
			continue
		}
		env, err := Real.Environ(ctx, pid)
		var hung *HungError
		switch {
		case err == nil && l.carries(env):
			out = append(out, s)
		case ctx.Err() != nil && !errors.As(err, &hung):
			return out, ctx.Err()
		}
	}
	_, rest := spare(out, l.Leave, 0)
	return rest, nil
}

// carries says whether an environment has the cookie.
func (l Leftover) carries(env []string) bool {
	for _, e := range env {
		if list, ok := strings.CutPrefix(e, l.Key+"="); ok && slices.Contains(strings.Split(list, ":"), l.Value) {
			return true
		}
	}
	return false
}
