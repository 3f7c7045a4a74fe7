package proc

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// Limits bounds the end of a process tree. The zero value works.
type Limits struct {
	Grace  time.Duration // between SIGTERM and SIGKILL; 0 means no SIGTERM at all
	Settle time.Duration // what may still end by itself before it is signalled
	Kill   time.Duration // how long SIGKILL may take, 5 s when 0

	// Last, if set, is told of every member that the grace did not end, just
	// before SIGKILL: the moment to ask a Go program for its stacks.
	Last func(Stat)
}

// defaultKill bounds the wait for processes that SIGKILL does not end. One in
// D stays as long as its disk does; waiting longer would hang us with it.
const defaultKill = 5 * time.Second

// settleLast is what a program may take to write its last words.
const settleLast = 300 * time.Millisecond

// poll is the pause between two looks at the members.
const poll = 10 * time.Millisecond

// Result is what ending a command took.
type Result struct {
	Ended  []Stat  // were still alive and had to be signalled
	Spared []Stat  // daemons that Command.Leave names: alive, and left so
	Stuck  []Stuck // SIGKILL did not end them within the limit
}

// Stuck is a process that SIGKILL has not ended (yet).
type Stuck struct {
	Stat
	Age     time.Duration // since it was started
	Waits   string        // wait channel in the kernel, "" when unknown
	Pending bool          // SIGKILL was sent and waits for it to run
}

// End ends everything that is alive of the command: it lets it settle, asks
// with SIGTERM, then kills until nothing is left or the limit is reached.
// hurry, when closed, skips what is left of settling and grace. It can be
// called again, and from elsewhere at the same time: the first one does it.
func (p *Process) End(lim Limits, hurry <-chan struct{}) Result {
	p.ending.Lock()
	defer p.ending.Unlock()
	if p.ended != nil {
		return *p.ended
	}
	if lim.Kill == 0 {
		lim.Kill = defaultKill
	}
	e := ender{p: p, seen: make(map[Identity]bool)}
	e.run(lim, hurry)
	r := Result{Ended: e.ended, Spared: p.release()}
	left, err := p.Members()
	r.Stuck = stuck(left)
	if err != nil { // what cannot be listed is not gone
		r.Stuck = append(r.Stuck, Stuck{Stat: Stat{Comm: "(" + err.Error() + ")", State: '?'}})
	}
	if len(r.Stuck) == 0 {
		p.close()
	}
	p.ended = &r
	close(p.over)
	return r
}

// close reaps what is dead and takes the leaf away.
func (p *Process) close() {
	select { // nothing is alive, so the command has ended too
	case <-p.done:
	case <-time.After(defaultKill):
	}
	p.foreign() // reaps what is dead
	if p.leaf != nil {
		p.leafCPU, _ = p.leaf.cpu()
		_ = p.leaf.remove()
	}
}

// ender remembers whom it signalled, so that each is told once.
type ender struct {
	p     *Process
	seen  map[Identity]bool
	ended []Stat
}

func (e *ender) run(lim Limits, hurry <-chan struct{}) {
	if e.p.gone(lim.Settle, hurry) {
		return
	}
	if lim.Grace > 0 {
		e.signal(unix.SIGTERM)
		e.signal(unix.SIGCONT) // a stopped process acts on SIGTERM only when continued
		if e.p.gone(lim.Grace, hurry) {
			return
		}
	}
	if members, err := e.p.Members(); err == nil && lim.Last != nil {
		for _, s := range members {
			lim.Last(s)
		}
		e.p.gone(settleLast, hurry)
	}
	deadline := time.Now().Add(lim.Kill)
	for empty := 0; empty < 2 && time.Now().Before(deadline); {
		if e.kill(time.Until(deadline)) {
			empty++
		} else {
			empty = 0
		}
	}
}

// kill kills all members once and says whether there were none. In a leaf the
// kernel does it, for members that fork meanwhile too, and wakes us when the
// leaf is empty; those that left it are signalled one by one.
func (e *ender) kill(left time.Duration) (none bool) {
	if e.p.leaf != nil && len(e.p.cmd.Leave) == 0 {
		members, err := e.p.leaf.members()
		e.note(members)
		if err != nil || len(members) > 0 {
			_ = e.p.leaf.kill()
			e.p.leaf.empty(min(left, time.Second), nil)
		}
	}
	n := e.signal(unix.SIGKILL)
	time.Sleep(poll / 2)
	return n == 0
}

// signal sends sig to every member and returns how many there were.
func (e *ender) signal(sig unix.Signal) int {
	members, err := e.p.Members()
	for _, s := range members {
		if Real.Signal(e.identity(s), sig) == nil {
			e.note([]Stat{s})
		}
	}
	if err != nil {
		return -1 // nobody may conclude that all are gone
	}
	return len(members)
}

func (e *ender) identity(s Stat) Identity {
	return Identity{PID: s.PID, Start: s.Start, BootID: e.p.Identity.BootID}
}

func (e *ender) note(members []Stat) {
	for _, s := range members {
		if id := e.identity(s); !e.seen[id] {
			e.seen[id] = true
			e.ended = append(e.ended, s)
		}
	}
}

// gone waits up to d for the members to end by themselves.
func (p *Process) gone(d time.Duration, hurry <-chan struct{}) bool {
	deadline := time.Now().Add(d)
	for {
		if m, err := p.Members(); err == nil && len(m) == 0 {
			return true
		}
		left := time.Until(deadline)
		if left <= 0 {
			return false
		}
		if p.leaf != nil && len(p.cmd.Leave) == 0 {
			if on, _ := p.leaf.populated(); on && p.leaf.empty(left, hurry) {
				continue // the kernel woke us; some may have left it
			}
		}
		select {
		case <-hurry:
			return false
		case <-time.After(poll):
		}
	}
}

// release moves the daemons that stay out of the leaf, into our own cgroup, so
// that the leaf can go and no later kill of it meets them.
func (p *Process) release() []Stat {
	if len(p.cmd.Leave) == 0 {
		return nil
	}
	all, err := p.all()
	if err != nil {
		return nil
	}
	spared, _ := p.spare(all)
	for _, s := range spared {
		spareForGood(s)
		if p.leaf != nil {
			_ = p.leaf.release(s.PID)
		}
	}
	return spared
}

func stuck(left []Stat) []Stuck {
	var out []Stuck
	for _, s := range left {
		one := Stuck{Stat: s, Age: Real.age(s)}
		one.Waits, _ = Real.WaitChannel(s.PID)
		if st, err := Real.Status(s.PID); err == nil {
			// kill(2) leaves it with the process, cgroup.kill with a thread.
			one.Pending = st.SharedPending.Has(unix.SIGKILL) || st.Pending.Has(unix.SIGKILL)
		}
		out = append(out, one)
	}
	return out
}

// age is the time since a process was started, 0 when it cannot be told.
func (r Root) age(s Stat) time.Duration {
	data, err := os.ReadFile(filepath.Join(string(r), "uptime"))
	if err != nil {
		return 0
	}
	up, _, _ := strings.Cut(string(data), " ")
	seconds, err := strconv.ParseFloat(up, 64)
	if err != nil {
		return 0
	}
	return max(0, time.Duration(seconds*float64(time.Second))-CPUTime(s.Start))
}
