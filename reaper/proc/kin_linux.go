package proc

import (
	"fmt"
	"os/exec"
	"sync"

	"golang.org/x/sys/unix"
)

// kin is what this process knows of its children. It is the process's and not
// a Process's, because the children are: whoever reaps or ends orphans must
// leave every exit status to the one who waits for it, also that of a command
// which another goroutine starts just now, and must not end for one command
// what belongs to another.
var kin = struct {
	sync.RWMutex
	waiting map[int]bool      // pids that os/exec has not waited for yet: commands and readers
	running map[*Process]bool // commands that have not been ended or released
	left    map[int]bool      // readers that could not be killed at once
}{waiting: make(map[int]bool), running: make(map[*Process]bool), left: make(map[int]bool)}

// startCommand starts a command so that nobody can take it for an orphan. p is
// the Process it becomes, nil for a reader. What is our child by then and
// nobody's we wait for was there before p, and is none of its own.
func startCommand(cmd *exec.Cmd, p *Process) error {
	kin.Lock()
	defer kin.Unlock()
	if p != nil {
		p.before = strangers()
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	if p != nil {
		if err := p.identify(cmd); err != nil {
			return err
		}
		kin.running[p] = true
	}
	kin.waiting[cmd.Process.Pid] = true
	return nil
}

// identify reads who the command is. It is our child and not waited for, so
// the pid is still its own. What nobody can name, nobody can end: it is killed.
func (p *Process) identify(cmd *exec.Cmd) (err error) {
	if p.Identity, err = Real.Identity(cmd.Process.Pid); err != nil {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		return fmt.Errorf("say who it is: %w", err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.pid = cmd.Process.Pid
	var own unix.Rusage
	if unix.Getrusage(unix.RUSAGE_SELF, &own) == nil {
		p.floor = own.Maxrss << 10
	}
	return nil
}

// strangers are our children that nobody here waits for.
func strangers() map[key]bool {
	out := make(map[key]bool)
	if noChildren() {
		return out
	}
	pids, whole := children()
	for range maxLooks {
		if whole {
			break
		}
		pids, whole = children()
	}
	for _, pid := range pids {
		if s, err := Real.Stat(pid); err == nil && !kin.waiting[pid] {
			out[s.key()] = true
		}
	}
	return out
}

// waited takes a command off the list: its pid may be used again.
func waited(pid int) {
	kin.Lock()
	defer kin.Unlock()
	delete(kin.waiting, pid)
}

// spareForGood keeps a process from the end of every command that runs now. It
// is among the strangers of each that is started later.
func spareForGood(s Stat) {
	kin.RLock()
	defer kin.RUnlock()
	for p := range kin.running {
		p.mu.Lock()
		p.before[s.key()] = true
		p.mu.Unlock()
	}
}

// retire takes an ended command off the list.
func (p *Process) retire() {
	kin.Lock()
	defer kin.Unlock()
	delete(kin.running, p)
}

// others are the commands that run beside p.
func (p *Process) others() []*Process {
	kin.RLock()
	defer kin.RUnlock()
	var out []*Process
	for q := range kin.running {
		if q != p {
			out = append(out, q)
		}
	}
	return out
}

// leaveBehind notes a reader that did not die at once; collectReaders takes
// those that have since.
func leaveBehind(pid int) {
	kin.Lock()
	defer kin.Unlock()
	kin.left[pid] = true
}

func collectReaders() {
	kin.Lock()
	defer kin.Unlock()
	for pid := range kin.left {
		if got, err := unix.Wait4(pid, nil, unix.WNOHANG, nil); err != nil || got == pid {
			delete(kin.left, pid)
			delete(kin.waiting, pid)
		}
	}
}
