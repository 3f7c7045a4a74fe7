package proc

import (
	"fmt"
	"os/exec"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// kin is what this process knows of its children. It is the process's and not
// a Process's, because the children are: whoever reaps or ends orphans must
// leave every exit status to the one who waits for it, also that of a command
// which another goroutine starts just now, and must not end for one command
// what belongs to another.
var kin = struct {
	sync.RWMutex
	looks   sync.Mutex        // one at a time: reaping meanwhile makes the kernel's list skip some
	waiting map[int]bool      // pids that os/exec has not waited for yet: commands and readers
	running map[*Process]bool // commands that have not been ended or released
	left    map[int]bool      // readers that could not be killed at once

	starting map[*exec.Cmd]time.Time // since when: of their children no pid is known yet
}{waiting: make(map[int]bool), running: make(map[*Process]bool), left: make(map[int]bool), starting: make(map[*exec.Cmd]time.Time)}

// startTime is how long a look waits for a start to be over; one takes a
// millisecond. A program on a dead server may never start.
const startTime = 100 * time.Millisecond

// startCommand starts a command so that nobody can take it for an orphan. p is
// the Process it becomes, nil for a reader. What is our child by then and
// nobody's we wait for was there before p, and is none of its own.
//
// The lock is not held while the program starts, which a dead server can hang.
func startCommand(cmd *exec.Cmd, p *Process) error {
	kin.Lock()
	if p != nil { // a reader stays in our session, and is nobody's there
		p.before = strangers()
		kin.starting[cmd] = time.Now()
	}
	kin.Unlock()
	err := cmd.Start()
	kin.Lock()
	defer kin.Unlock()
	delete(kin.starting, cmd)
	if err != nil {
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

// allWaiting says that nobody whom os/exec waits for has been reaped: what that
// does to a list which is being read, see kin.
func allWaiting() bool {
	for pid := range kin.waiting {
		if err := unix.Kill(pid, 0); err == unix.ESRCH {
			return false
		}
	}
	return true
}

// starting is how many commands are being started.
func starting() int {
	kin.RLock()
	defer kin.RUnlock()
	return len(kin.starting)
}

// awaitStarts waits until no start is going on but those that take too long.
func awaitStarts() {
	until := time.Now().Add(startTime)
	for recent := true; recent && time.Now().Before(until); {
		recent = false
		kin.RLock()
		for _, since := range kin.starting {
			recent = recent || time.Since(since) < startTime
		}
		kin.RUnlock()
		if recent {
			time.Sleep(startTime / 200)
		}
	}
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
	for until := time.Now().Add(lookTime); !whole && time.Now().Before(until); {
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

// retire takes an ended command off the list. What the others did not take for
// theirs they may have denied because of this one.
func (p *Process) retire() {
	kin.Lock()
	defer kin.Unlock()
	delete(kin.running, p)
	for q := range kin.running {
		q.mu.Lock()
		clear(q.denied)
		q.mu.Unlock()
	}
}

// others are the commands that run beside p, and those that do so aside.
func (p *Process) others() (others, asides []*Process) {
	kin.RLock()
	defer kin.RUnlock()
	for q := range kin.running {
		switch {
		case q == p:
		case q.cmd.Aside && !p.cmd.Aside:
			asides = append(asides, q)
		default:
			others = append(others, q)
		}
	}
	return others, asides
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
