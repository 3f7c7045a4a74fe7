package proc

import (
	"errors"
	"os"
	"os/signal"

	"golang.org/x/sys/unix"
)

// errTooQuick says that a family forks faster than it can be looked at.
var errTooQuick = errors.New("list orphans: they fork and end quicker than they can be listed")

// maxLooks bounds the looks; each takes a fraction of a millisecond, and only a
// family that forks as fast makes all of them fail.
const maxLooks = 100

// look is one look at our children on behalf of a command.
type look struct {
	command *Stat        // the command itself, while it lives
	orphans []Stat       // alive, and nobody's here that we wait for
	held    map[key]bool // dead, and not to be reaped: somebody traces them
	stable  bool
}

// children looks until a look can be believed. Dead orphans are reaped by pid
// on the way; never "any child": that would steal an exit status.
//
// A process that ends hands its children to us at that moment. So a look in
// which one of the listed has ended is a look too early, and is taken again:
// else a family that forks faster than we read would seem to be gone.
func (p *Process) children() (look, error) {
	l := look{held: make(map[key]bool)}
	for range maxLooks {
		if p.lookOnce(&l); l.stable {
			return l, nil
		}
	}
	return l, errTooQuick
}

func (p *Process) lookOnce(l *look) {
	l.command, l.orphans, l.stable = nil, nil, true
	if noChildren() {
		return
	}
	p.mu.Lock()
	command := p.pid
	p.mu.Unlock()
	kin.RLock() // nobody starts one while we look
	defer kin.RUnlock()
	pids, whole := children()
	l.stable = whole
	for _, pid := range pids {
		s, err := Real.Stat(pid)
		switch {
		case pid == command: // below
		case err != nil || s.PPID != os.Getpid():
			l.stable = false
		case kin.waiting[pid]: // os/exec's
		case !s.Zombie():
			l.orphans = append(l.orphans, s)
		case !p.mayReap(s):
		case p.reap(s):
			l.stable = false
		case !l.held[s.key()]:
			l.held[s.key()], l.stable = true, false
		}
	}
	// It is our child until it was waited for, whatever the lists say.
	if s, err := Real.Stat(command); command > 0 && err == nil && !s.Zombie() {
		l.command = &s
	}
}

// mayReap says whether a dead child is an orphan. Whatever else runs in this
// program (git) is started in our session and waited for by its own starter,
// and nothing comes back into a session that it left. In our session there are
// the orphans of interactive commands: those that were known alive, and those
// that lie in the leaf of one.
func (p *Process) mayReap(s Stat) bool {
	if s.Session != ourSession() {
		return true
	}
	q := owner(s)
	return q != nil && q.cmd.Interactive
}

func ourSession() int {
	sid, _ := unix.Getsid(0) // fails for nobody's own
	return sid
}

// owner is the running command that a child certainly belongs to, by what can
// be read of the dead too; nil when that is not known. kin is locked.
func owner(s Stat) *Process {
	for q := range kin.running {
		if q.has(s) {
			return q
		}
	}
	return nil
}

// reap collects one dead orphan and what it used, for the command it was of.
func (p *Process) reap(s Stat) bool {
	q := owner(s)
	if q == nil && len(kin.running) == 1 {
		q = p
	}
	var ws unix.WaitStatus
	var ru unix.Rusage
	got, err := unix.Wait4(s.PID, &ws, unix.WNOHANG, &ru)
	if err != nil || got != s.PID {
		return false
	}
	if q != nil {
		q.mu.Lock()
		defer q.mu.Unlock()
		q.orphans.add(ru)
	}
	return true
}

// reapAlong reaps orphans as they die, so that a long run does not fill the
// process table with them. It ends when stop is closed.
func (p *Process) reapAlong(stop <-chan struct{}) {
	died := make(chan os.Signal, 1)
	signal.Notify(died, unix.SIGCHLD)
	defer signal.Stop(died)
	for {
		select {
		case <-stop:
			return
		case <-died:
			_, _ = p.children()
		}
	}
}
