package gates

import (
	"bytes"
	"context"
	"debug/buildinfo"
	"fmt"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"

	"golang.org/x/sys/unix"

	"gpuci/reaper/proc"
)

// Bounds on the time that a hung gate costs after its time is up.
const (
	stackTime = 10 * time.Second // in all
	oneStack  = 3 * time.Second  // a process: gdb waits for ever on one that is frozen or in D
	maxStacks = 16
)

// stacks writes down where a command hangs before it is ended: each process
// with its state and what it waits for in the kernel, and the threads' stacks
// when gdb is there.
func (f *flow) stacks(child *proc.Process) {
	members, err := child.Members()
	if err != nil || f.rec == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), stackTime)
	defer cancel()
	go func() { // a second Ctrl-C does not wait for stacks
		select {
		case <-f.opt.Hurry:
			cancel()
		case <-ctx.Done():
		}
	}()
	var text bytes.Buffer
	for i, s := range members {
		if i == maxStacks {
			fmt.Fprintf(&text, "and %d more processes\n", len(members)-i)
			break
		}
		fmt.Fprintf(&text, "pid %d %s, state %c, waits in %s\n", s.PID, s.Comm, s.State, wchan(s.PID))
		f.opt.note("hangs: %s (pid %d), state %c, waits in %s", s.Comm, s.PID, s.State, wchan(s.PID))
		text.Write(gdb(ctx, s.PID))
	}
	f.rec.write("stacks.txt", text.Bytes())
}

// lastWords asks a Go program for its traceback, which it prints on SIGQUIT
// and ends. It is asked after SIGTERM had its time: a program that cleans up
// on SIGTERM must not be cut short.
func lastWords(child *proc.Process, s proc.Stat) {
	if _, err := buildinfo.ReadFile(filepath.Join("/proc", strconv.Itoa(s.PID), "exe")); err == nil {
		_ = proc.Real.Signal(proc.Identity{PID: s.PID, Start: s.Start, BootID: child.Identity.BootID}, unix.SIGQUIT)
	}
}

func wchan(pid int) string {
	text, err := proc.Real.WaitChannel(pid)
	if err != nil || text == "" {
		return "(unknown)"
	}
	return text
}

// gdb prints all threads' stacks; nothing where there is no gdb or it may not
// attach. A process in D cannot be attached to, hence the time limit.
func gdb(ctx context.Context, pid int) []byte {
	ctx, cancel := context.WithTimeout(ctx, oneStack)
	defer cancel()
	cmd := exec.CommandContext(ctx, "gdb", "--batch", "-nx", "-ex", "thread apply all bt 32", "-p", strconv.Itoa(pid))
	cmd.WaitDelay = time.Second
	out, err := cmd.Output()
	if err != nil {
		return nil
	}
	return out
}
