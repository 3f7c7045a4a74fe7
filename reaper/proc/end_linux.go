package proc

import (
	"slices"
	"time"

	"golang.org/x/sys/unix"
)

// Limits bounds the end of a process tree. The zero value works.
type Limits struct {
	Grace  time.Duration // between SIGTERM and SIGKILL; 0 means no SIGTERM at all
	Settle time.Duration // what may still end by itself before it is signalled
	Kill   time.Duration // how long SIGKILL may take, 5 s when 0, from the first one on

	// Last, if set, is told of every member that the grace did not end, just
	// before SIGKILL: the moment to ask a Go program for its stacks.
	Last func(Stat)
}

// defaultKill bounds the wait for processes that SIGKILL does not end. One in
// D stays as long as its disk does; waiting longer would hang us with it.
const defaultKill = 5 * time.Second

// hurriedKill is the same once somebody is in a hurry.
const hurriedKill = 500 * time.Millisecond

// settleLast is what a program may take to write its last words.
const settleLast = 300 * time.Millisecond

// poll is the pause between two looks at the members.
const poll = 10 * time.Millisecond

// Result is what came of ending something. Each process is in one list only.
type Result struct {
	Ended   []Stat   // were alive, had to be signalled, and are gone
	Spared  []Stat   // daemons that may stay: alive, and left so
	Stuck   []Stuck  // SIGKILL did not end them within the limit
	Unknown []Unread // of a Leftover: whose environment could not be read
	Err     error    // what could not be listed: nobody can say then that all are gone
}

// Gone says that nothing is left but what may stay.
func (r Result) Gone() bool { return len(r.Stuck) == 0 && r.Err == nil }

// End ends everything that is alive of the command: it lets it settle, asks
// with SIGTERM, then kills until nothing is left or the limit is reached.
// hurry, when closed, skips what is left of settling and grace, and most of the
// wait for SIGKILL. It can be called again, and from elsewhere at the same
// time: the first one does it.
func (p *Process) End(lim Limits, hurry <-chan struct{}) Result {
	p.ending.Lock()
	defer p.ending.Unlock()
	if p.ended != nil {
		return *p.ended
	}
	e := newEnder(p, p.Identity.BootID, lim, hurry)
	if !p.gone(lim.Settle, hurry) {
		p.ask(e, lim, hurry)
	}
	e.kill()
	spared, serr := p.release()
	r := e.result()
	if r.Spared = spared; r.Err == nil {
		r.Err = serr
	}
	if r.Gone() {
		p.close()
	}
	p.ended = &r
	p.retire()
	close(p.over)
	return r
}

// ask is the polite part.
func (p *Process) ask(e *ender, lim Limits, hurry <-chan struct{}) {
	if lim.Grace > 0 {
		_, _ = e.signal(unix.SIGTERM)
		_, _ = e.signal(unix.SIGCONT) // a stopped process acts on SIGTERM only when continued
		if p.gone(lim.Grace, hurry) {
			return
		}
	}
	if lim.Last == nil {
		return
	}
	if members, err := p.Members(); err == nil {
		for _, s := range members {
			lim.Last(s)
		}
		p.gone(settleLast, hurry)
	}
}

// maxReaps bounds the reaping at the end, lookTime each: ten thousand dead take
// about a quarter of a second.
const maxReaps = 4

// close reaps what is dead and takes the leaf away.
func (p *Process) close() {
	select { // nothing is alive, so the command has ended too
	case <-p.done:
	case <-time.After(defaultKill):
	}
	for range maxReaps { // what is dead
		if _, err := p.children(); err == nil {
			break
		}
	}
	if p.leaf != nil {
		p.measure()
		_ = p.leaf.remove()
	}
}

// gone waits up to d for the members to end by themselves.
func (p *Process) gone(d time.Duration, hurry <-chan struct{}) bool {
	deadline := time.Now().Add(d)
	for {
		if !p.inhabited() {
			if m, err := p.Members(); err == nil && len(m) == 0 {
				return true
			}
		}
		left := time.Until(deadline)
		if left <= 0 {
			return false
		}
		if p.inhabited() && p.leaf.empty(left, hurry) {
			continue // the kernel woke us; some may have left it
		}
		select {
		case <-hurry:
			return false
		case <-time.After(poll):
		}
	}
}

// inhabited says that members are in the leaf, and have to go. Nobody needs to
// be listed to know that, and a family that forks fast cannot be.
func (p *Process) inhabited() bool {
	if p.leaf == nil || len(p.cmd.Leave) > 0 {
		return false
	}
	on, err := p.leaf.populated()
	return err == nil && on
}

// members and killLeaves make a Process what an ender ends.
func (p *Process) members() ([]Stat, error) { return p.Members() }

// killLeaves has the kernel kill all that is in the leaf. With daemons in it
// that may stay, members are signalled one by one.
func (p *Process) killLeaves(limit time.Duration) {
	if len(p.cmd.Leave) > 0 {
		return
	}
	if p.leaf == nil {
		p.killing.Store(true) // by the next look
		return
	}
	if on, err := p.leaf.populated(); err != nil || on {
		_ = p.leaf.kill()
		p.leaf.empty(limit, nil)
	}
}

// release moves the daemons that stay out of the leaf, into our own cgroup, so
// that the leaf can go and no later kill of it meets them.
func (p *Process) release() ([]Stat, error) {
	if len(p.cmd.Leave) == 0 {
		return nil, nil
	}
	all, err := p.all()
	spared, _ := p.spare(all)
	for _, s := range spared {
		spareForGood(s)
		if p.leaf != nil {
			_ = p.leaf.release(s.PID)
		}
	}
	return slices.Clip(spared), err
}
