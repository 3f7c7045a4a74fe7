package proc

import (
	"errors"
	"os"
	"os/signal"
	"time"

	"golang.org/x/sys/unix"
)

// errTooQuick says that a family forks faster than it can be looked at.
var errTooQuick = errors.New("list orphans: they fork and end quicker than they can be listed")

// maxLooks bounds the looks; each takes a fraction of a millisecond, and only a
// family that forks as fast makes all of them fail.
const maxLooks = 100

// lookTime bounds them all together, as a backlog of the dead that grows as
// fast as it is reaped makes each look long. One look at a thousand children
// takes 20 ms.
const lookTime = 250 * time.Millisecond

// look is one look at our children on behalf of a command.
type look struct {
	command *Stat        // the command itself, while it lives
	orphans []Stat       // alive, and nobody's here that we wait for
	held    map[key]bool // dead, and not to be reaped: somebody traces them
	stable  bool
	died    bool // the command was seen to end while we looked
	until   time.Time
}

// children looks until a look can be believed. Dead orphans are reaped by pid
// on the way; never "any child": that would steal an exit status.
//
// A process that ends hands its children to us at that moment. So a look in
// which one of the listed has ended is a look too early, and is taken again:
// else a family that forks faster than we read would seem to be gone.
func (p *Process) children() (look, error) {
	awaitStarts()
	kin.looks.Lock()
	defer kin.looks.Unlock()
	l := look{held: make(map[key]bool), until: time.Now().Add(lookTime)}
	for range maxLooks {
		if p.lookOnce(&l); l.stable {
			return l, nil
		}
		if time.Now().After(l.until) {
			break
		}
	}
	return l, errTooQuick
}

// lookOnce needs kin.looks.
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
	l.stable = whole && allWaiting()
	for _, pid := range pids {
		if time.Now().After(l.until) {
			l.stable = false
			break
		}
		s, err := Real.Stat(pid)
		p.killGroup(s)
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
	l.see(command)
}

// see looks at the command itself. It is our child until it was waited for,
// whatever the lists say. One that has ended since they were read (pid is 0 of
// one that had before) left its children to us after that: the look was too
// early.
func (l *look) see(command int) {
	if command == 0 {
		return
	}
	if s, err := Real.Stat(command); err == nil && !s.Zombie() {
		l.command = &s
	} else if !l.died {
		l.died, l.stable = true, false
	}
}

// killGroup has the kernel kill the whole process group of the command once it
// is to be killed and has no leaf: those that fork meanwhile as well, which one
// by one are dead before their turn. A child of its session that nobody has
// reaped, as s is, keeps the group's number from being used again.
func (p *Process) killGroup(s Stat) {
	if p.killing.Load() && p.inSession(s) {
		_ = unix.Kill(-p.Identity.PID, unix.SIGKILL)
	}
}

// reapOnce reaps the orphans that are dead.
func (p *Process) reapOnce() {
	kin.looks.Lock()
	defer kin.looks.Unlock()
	p.lookOnce(&look{held: make(map[key]bool), until: time.Now().Add(lookTime)})
}

// mayReap says whether a dead child is an orphan. Whatever else runs in this
// program (git) is started in our session and waited for by its own starter,
// and nothing comes back into a session that it left. In our session there are
// the orphans of interactive commands: those that were known alive, and those
// that lie in the leaf of one.
//
// While a command is being started, a child that is nobody's may be that one.
func (p *Process) mayReap(s Stat) bool {
	if s.Session != ourSession() {
		return len(kin.starting) == 0 || owner(s) != nil
	}
	for q := range kin.running {
		if q.cmd.Interactive && (q.has(s) || q.leaf != nil && q.leaf.holds(s.PID)) {
			return true
		}
	}
	return false
}

func ourSession() int {
	sid, _ := unix.Getsid(0) // fails for nobody's own
	return sid
}

// owner is the running command that a child certainly belongs to, by what can
// be read of the dead at no price: a family that forks fast leaves thousands of
// them. It is nil when that is not known. kin is locked.
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
	q := p
	if len(kin.running) > 1 {
		q = owner(s)
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
			p.reapOnce()
		}
	}
}
