package reaper

import (
	"context"
	"fmt"
	"maps"
	"os"

	"gpuci/reaper/proc"
)

// Look takes a picture of the machine: one pass over its processes. What the
// picture's Facts tell, and whose processes are and where they stand, is read
// when it is asked for, for as long as ctx lives.
// runs are the runs and builds that gpuci knows of. A process table that cannot
// be read, or not parsed, is an error.
func Look(ctx context.Context, root proc.Root, runs map[string]Run) (Picture, error) {
	return newEye(root, runs).look(ctx)
}

// eye looks again and again. Of what it has seen it keeps the cookies: they do
// not change, and reading one costs a child process and can cost a deadline. So it
// does with the scripts of wrappers.
type eye struct {
	root    proc.Root
	runs    map[string]Run
	cookies map[bearer]cookie
	scripts map[bearer]answer[string]
	hung    int             // how many questions to the file system had no answer
	blind   map[string]bool // what could not be looked at
}

// bearer is one process for as long as this machine is up.
type bearer struct {
	pid   int
	start uint64
}

func bearerOf(s proc.Stat) bearer { return bearer{s.PID, s.Start} }

func newEye(root proc.Root, runs map[string]Run) *eye {
	if root == "" {
		root = proc.Real
	}
	return &eye{root: root, runs: runs, cookies: make(map[bearer]cookie), scripts: make(map[bearer]answer[string]), blind: make(map[string]bool)}
}

func (e *eye) look(ctx context.Context) (Picture, error) {
	if err := ctx.Err(); err != nil {
		return Picture{}, err
	}
	// Before the pass, so that nobody seems older than he is.
	up := e.root.Age(proc.Stat{})
	last, _ := e.root.LastPID()
	seen, err := e.root.Scan(proc.ScanOptions{Exe: true})
	if err != nil {
		return Picture{}, fmt.Errorf("look for what leaked: %w", err)
	}
	for _, pid := range seen.Hidden {
		e.blind[fmt.Sprintf("pid %d: not ours to look at (hidepid)", pid)] = true
	}
	e.forget(seen.Table)
	processes := make(map[int]Process, len(seen.Table))
	for pid, s := range seen.Table {
		processes[pid] = Process{
			Stat: s, Exe: seen.Exe[pid],
			Age: max(0, up-proc.CPUTime(s.Start)), // 0, and too young, where the time since boot is not known
		}
	}
	f := newFacts(ctx, e, processes)
	e.glance(f, last)
	return Picture{
		Self: os.Getpid(), UID: uint32(os.Geteuid()), Systemd: e.root.Systemd(),
		Processes: processes, Runs: e.runs, Facts: f,
	}, nil
}

// forget drops the cookies, and the scripts, of those that are gone.
func (e *eye) forget(now proc.Table) {
	gone := func(key bearer) bool {
		s, ok := now[key.pid]
		return !ok || bearerOf(s) != key
	}
	maps.DeleteFunc(e.cookies, func(key bearer, _ cookie) bool { return gone(key) })
	maps.DeleteFunc(e.scripts, func(key bearer, _ answer[string]) bool { return gone(key) })
}
