package reaper

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"golang.org/x/sys/unix"

	"gpuci/reaper/proc"
)

// facts are those of a picture, read when they are asked for and kept. Each is
// known only if the pid still was the picture's process after it was read.
type facts struct {
	ctx       context.Context
	eye       *eye
	processes map[int]Process

	status     map[int]answer[proc.Status]
	cwds       map[int]answer[proc.Place]
	namespaces map[int]answer[proc.Namespaces]
	files      map[int]answer[[]string]
	unit, leaf map[int]answer[string]
	autogroup  map[int]answer[uint64]
	checkouts  map[checkoutAsked]answer[string]
}

// answer is a fact, and whether it is known.
type answer[T any] struct {
	value T
	known bool
}

func newFacts(ctx context.Context, e *eye, processes map[int]Process) *facts {
	return &facts{
		ctx: ctx, eye: e, processes: processes,
		status: make(map[int]answer[proc.Status]), cwds: make(map[int]answer[proc.Place]),
		namespaces: make(map[int]answer[proc.Namespaces]), files: make(map[int]answer[[]string]),
		unit: make(map[int]answer[string]), leaf: make(map[int]answer[string]),
		autogroup: make(map[int]answer[uint64]), checkouts: make(map[checkoutAsked]answer[string]),
	}
}

// ask reads a fact of a process once.
func ask[T any](f *facts, kept map[int]answer[T], pid int, what string, read func(int) (T, error)) (value T, known bool) {
	a, ok := kept[pid]
	if !ok {
		var err error
		a.value, err = read(pid)
		if a.known = err == nil && f.still(pid); !a.known {
			var none T
			a.value = none
		}
		kept[pid] = a // before the next line asks for another fact
		if err != nil {
			f.eye.missed(f.owned(pid), what, err)
		}
	}
	return a.value, a.known
}

// still says whether a pid is the process's that the picture has.
func (f *facts) still(pid int) bool {
	now, err := f.eye.root.Stat(pid)
	return err == nil && bearerOf(now) == bearerOf(f.processes[pid].Stat)
}

// missed notes what could not be read, if it has a name. That a process has
// ended is no news, and neither is that another user's are not ours to read.
func (e *eye) missed(p Process, what string, err error) {
	var hung *proc.HungError
	switch {
	case err == nil, what == "", errors.Is(err, proc.ErrGone):
	case errors.As(err, &hung):
		e.blind[fmt.Sprintf("%s of %s: no answer", what, label(p))] = true
	case errors.Is(err, fs.ErrPermission) && (!p.UIDKnown || p.UID != uint32(os.Geteuid())):
	case errors.Is(err, fs.ErrPermission):
		e.blind[fmt.Sprintf("%s of %s: not ours to read", what, label(p))] = true
	default:
		e.blind[fmt.Sprintf("%s of %s: %v", what, label(p), err)] = true
	}
}

// complete reads what a look leaves out: each would cost it one more call for
// each of thousands.
func (f *facts) complete(p Process) Process {
	p = f.owned(p.PID)
	p.Cwd, _ = ask(f, f.cwds, p.PID, "working directory", f.eye.root.Cwd)
	return p
}

// owned is a process of the picture, with whose it is.
func (f *facts) owned(pid int) Process {
	p := f.processes[pid]
	s, known := ask(f, f.status, pid, "user", f.eye.root.Status)
	p.UID, p.UIDKnown = uint32(s.EUID), known
	return p
}

func (f *facts) Tracer(pid int) (tracer int, known bool) {
	s, known := ask(f, f.status, pid, "user", f.eye.root.Status)
	return s.Tracer, known
}

func (f *facts) Autogroup(pid int) (number uint64, known bool) {
	return ask(f, f.autogroup, pid, "", f.eye.root.Autogroup) // not every kernel has them
}

func (f *facts) Namespaces(pid int) (proc.Namespaces, bool) {
	return ask(f, f.namespaces, pid, "namespaces", f.eye.root.Namespaces)
}

// errMany says that a process has more open files than are read: the rest may
// say something else.
var errMany = errors.New("too many to read")

func (f *facts) Files(pid int) ([]string, bool) {
	return ask(f, f.files, pid, "open files", func(pid int) (paths []string, err error) {
		list, whole, err := f.eye.root.FDs(pid)
		if err == nil && !whole {
			err = errMany
		}
		for _, fd := range list {
			if !fd.Deleted && strings.HasPrefix(fd.Path, "/") {
				paths = append(paths, fd.Path)
			}
		}
		return paths, err
	})
}

func (f *facts) IgnoresHUP(pid int) (ignores, known bool) {
	s, known := ask(f, f.status, pid, "user", f.eye.root.Status)
	return s.Ignored.Has(unix.SIGHUP), known
}

func (f *facts) Unit(pid int) (unit string, known bool) {
	return ask(f, f.unit, pid, "unit", f.eye.root.Unit)
}

func (f *facts) Leaf(pid int) (run string, known bool) {
	// Without cgroup v2 there are no leaves to miss.
	return ask(f, f.leaf, pid, "", func(pid int) (string, error) {
		path, err := f.eye.root.Leaf(pid)
		return runOfLeaf(path), err
	})
}

func (f *facts) Cookie(pid int) (runs []string, known bool) {
	if _, ok := f.processes[pid]; !ok {
		return nil, false
	}
	c := f.eye.cookie(f.ctx, f.owned(pid))
	return c.runs, c.known
}
