// Package beside tells who else waits for the disk: the processes in state D
// that are no part of one's own build. It decides nothing.
//
// What runs outside of our pid namespace is not seen, and what a hidepid mount
// keeps from us is said to be hidden.
package beside

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"gpuci/reaper/proc"
)

// ErrHidden says that the processes of other users are not shown to us.
var ErrHidden = errors.New("processes of other users are hidden (hidepid); root can see them")

// NotDisk says that a process in state D does not wait for the disk: it has
// called vfork(2) and waits for its child, or was frozen. Where the kernel does
// not tell what it waits for, as of other users' processes, it may.
func NotDisk(r proc.Root, pid int) bool {
	channel, err := r.WaitChannel(pid)
	return err == nil && slices.Contains(notDisk, channel)
}

// notDisk are the functions of the kernel in which such a process waits, by
// their names of several versions: kernel/fork.c, kernel/freezer.c and
// kernel/signal.c.
var notDisk = []string{"kernel_clone", "_do_fork", "do_fork", "wait_for_vfork_done", "__refrigerator", "do_freezer_trap", "get_signal"}

// Waiting lists the processes that wait for the disk as far as can be told
// (state D, and not NotDisk), longest running first, but for threads of the
// kernel and what belongs to the same build as pid.
//
// A build is all that is in one leaf of gpuci's; outside of one it is the job
// that pid belongs to: everything in its session below the highest of its
// ancestors there that is not the shell that started the job.
func Waiting(r proc.Root, pid int) ([]proc.Stat, error) {
	p, err := r.Scan(proc.ScanOptions{})
	if err != nil {
		return nil, err
	}
	own := ownOf(r, p.Table, pid)
	var out []proc.Stat
	for _, s := range p.Table {
		if s.State == 'D' && !s.Kernel && !own(s) && !NotDisk(r, s.PID) {
			out = append(out, s)
		}
	}
	slices.SortFunc(out, func(a, b proc.Stat) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.PID, b.PID))
	})
	if _, err := r.Stat(1); err != nil || len(p.Hidden) > 0 {
		return out, ErrHidden
	}
	return out, nil
}

// ownOf says of a process whether it is part of pid's build.
func ownOf(r proc.Root, t proc.Table, pid int) func(proc.Stat) bool {
	above := map[int]bool{}
	for _, s := range r.Lineage(pid) {
		above[s.PID] = true
	}
	if leaf, _ := r.Leaf(pid); leaf != "" { // without cgroup v2 there is none
		return func(s proc.Stat) bool {
			its, err := r.Leaf(s.PID)
			return above[s.PID] || err == nil && its == leaf
		}
	}
	job := Job(r, pid)
	below := map[int]bool{}
	for _, s := range t.Below(job.PID) {
		below[s.PID] = s.Session == job.Session
	}
	return func(s proc.Stat) bool { return above[s.PID] || below[s.PID] }
}

// Job is the highest process of the job that pid belongs to. The leader of the
// session is part of it unless it is a shell that gives each job a process
// group of its own.
func Job(r proc.Root, pid int) proc.Stat {
	line := r.Lineage(pid)
	if len(line) == 0 {
		return proc.Stat{PID: pid}
	}
	top := line[0]
	for _, s := range line[1:] {
		leads := s.PID == s.Session
		if s.PID <= 1 || s.Session != top.Session || leads && s.TTY != 0 && s.PGRP != top.PGRP {
			break
		}
		top = s
	}
	return top
}

// maxPlace bounds the directory of a process in a line, in bytes: numbers stand
// in that line, too.
const maxPlace = 60

// named is how many processes are told by name.
const named = 2

// Text names them for people, with where they are as far as that can be seen.
func Text(r proc.Root, list []proc.Stat) string {
	var parts []string
	for i, s := range list {
		if i == named {
			parts = append(parts, rest(len(list)-named))
			break
		}
		text := fmt.Sprintf("%s (pid %d)", s.Comm, s.PID)
		if cwd, err := r.Cwd(s.PID); err == nil && cwd.Known() {
			text += " in " + tail(cwd.Path)
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, ", ")
}

func rest(n int) string {
	if n == 1 {
		return "1 other"
	}
	return fmt.Sprintf("%d others", n)
}

// tail is the end of a long path, which tells more than its beginning.
func tail(path string) string {
	if len(path) <= maxPlace {
		return path
	}
	return "…" + strings.ToValidUTF8(path[len(path)-maxPlace:], "")
}
