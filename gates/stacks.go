package gates

import (
	"bytes"
	"context"
	"debug/buildinfo"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"gpuci/buildlock"
	"gpuci/reaper/proc"
)

// Bounds on the time that a hung gate costs after its time is up. What the
// kernel says of a process costs nothing, and stands there for each; gdb stops
// a process and reads its symbols.
const (
	stackTime = 10 * time.Second // gdb's in all
	oneStack  = 3 * time.Second  // a process: gdb waits for ever on one that is frozen or in D
	maxStacks = 16               // processes that gdb is asked about
	maxHangs  = 16               // lines on the terminal
)

// stacks writes down where a command hangs before it is ended: each process
// with its state, what it waits for and its stack in the kernel, and of the
// first ones all threads' own stacks by gdb, or why they are not there.
func (f *flow) stacks(child *proc.Process) {
	members, err := child.Members()
	if f.rec == nil {
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
	fmt.Fprintln(&text, together(members))
	if err != nil {
		fmt.Fprintf(&text, "not all could be listed: %v\n", err)
	}
	for i, s := range members {
		waits := wchan(s.PID)
		if i < maxHangs {
			f.opt.note("hangs: %s (pid %d), state %c, waits in %s", s.Comm, s.PID, s.State, waits)
		}
		fmt.Fprintf(&text, "\npid %d %s, state %c, waits in %s, %s old, CPU %s\n", s.PID, s.Comm, s.State, waits,
			buildlock.Round(proc.Real.Age(s)), buildlock.Round(proc.CPUTime(s.CPU)))
		fmt.Fprintf(&text, "in the kernel: %s\n", kernelStack(s.PID))
		if i < maxStacks {
			text.Write(f.gdb(ctx, s.PID))
		}
	}
	if n := len(members) - maxStacks; n > 0 {
		fmt.Fprintf(&text, "\ngdb was asked about the first %d and not about the other %d\n", maxStacks, n)
	}
	if n := len(members) - maxHangs; n > 0 {
		f.opt.note("hangs: and %d more, all in %s", n, filepath.Join(f.rec.dir, "stacks.txt"))
	}
	f.rec.write("stacks.txt", text.Bytes())
}

// together is what all of them have used so far.
func together(members []proc.Stat) string {
	table, pids := make(proc.Table), []int(nil)
	for _, s := range members {
		table[s.PID] = s
		pids = append(pids, s.PID)
	}
	u := proc.Real.TreeUsage(table, pids...)
	text := fmt.Sprintf("%s, CPU %s, %d bytes read from storage, %d written", countOf(u.Processes, "process", "processes"), buildlock.Round(u.CPU), u.IO.Fetched, u.IO.Sent)
	if len(u.Unread) > 0 {
		text += fmt.Sprintf(" (without %d that could not be read)", len(u.Unread))
	}
	return text
}

// kernelStack is one line, innermost function first.
func kernelStack(pid int) string {
	list, err := proc.Real.KernelStack(pid)
	switch {
	case errors.Is(err, os.ErrPermission):
		return "not shown (only root may look)"
	case err != nil:
		return "not shown: " + err.Error()
	case len(list) == 0:
		return "nothing: it runs"
	}
	return strings.Join(list, " < ")
}

// lastWords asks a Go program for its traceback, which it prints on SIGQUIT
// and ends. It is asked after SIGTERM had its time: a program that cleans up
// on SIGTERM must not be cut short.
func lastWords(child *proc.Process, s proc.Stat) {
	if _, err := buildinfo.ReadFile(filepath.Join("/proc", strconv.Itoa(s.PID), "exe")); err == nil {
		_ = proc.Real.Signal(s.Identity(child.Identity.BootID), unix.SIGQUIT)
	}
}

func wchan(pid int) string {
	text, err := proc.Real.WaitChannel(pid)
	if err != nil || text == "" {
		return "(unknown)"
	}
	return text
}

// gdb prints all threads' stacks, or one line that says why not. A process in D
// cannot be attached to, hence the time limit.
func (f *flow) gdb(ctx context.Context, pid int) []byte {
	if ctx.Err() != nil {
		return []byte("gdb: not asked, the time for all of them is over\n")
	}
	argv := []string{"gdb", "--batch", "-nx", "-ex", "thread apply all bt 32", "-p", strconv.Itoa(pid)}
	a, err := f.ask(ctx, oneStack, argv, "/", os.Environ())
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return []byte("gdb: not installed (apt-get install gdb), so no stacks of its own\n")
	case err != nil:
		return fmt.Appendf(nil, "gdb: no answer within %s, as from a process that is frozen or in D\n", oneStack)
	case !bytes.Contains(a.out, []byte("#0")):
		said := bytes.TrimSpace(a.err)
		return fmt.Appendf(nil, "gdb: refused: %s\n", said[bytes.LastIndexByte(said, '\n')+1:])
	}
	return a.out
}
