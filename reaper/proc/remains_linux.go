package proc

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"
	"time"
)

// remains is a Leftover that is being ended.
type remains struct {
	of     Leftover
	ctx    context.Context
	leaves []*leaf
	asked  map[key]answer // whose environment was read
}

// answer is what an environment said.
type answer struct {
	stat    Stat
	carries bool
	err     error
	tries   int
	again   bool // it was changing, and is asked once more
}

// maxTries bounds how often a process is asked that changes while it is read.
const maxTries = 3

// readers is how many environments are read at once: those that hang cost
// their deadline together then, and not one after the other.
const readers = 8

// members are what is alive of it, less the daemons that may stay.
func (r *remains) members() ([]Stat, error) {
	all, err := r.all()
	_, rest := spare(all, r.of.Leave, 0)
	return rest, err
}

func (r *remains) all() (all []Stat, err error) {
	for _, l := range r.leaves {
		members, lerr := l.members()
		all, err = append(all, members...), errors.Join(err, lerr)
	}
	if len(r.leaves) > 0 {
		return all, err
	}
	return r.carriers()
}

// killLeaves has the kernel kill what is in the leaves.
func (r *remains) killLeaves(wait time.Duration) {
	if len(r.of.Leave) > 0 {
		return
	}
	for _, l := range r.leaves {
		_ = l.kill()
	}
	end := time.Now().Add(wait)
	for _, l := range r.leaves {
		l.empty(time.Until(end), r.ctx.Done())
	}
}

// close moves the daemons that stay out of the leaves, takes these away, and
// adds what could not be told.
func (r *remains) close(res Result) Result {
	all, err := r.all()
	res.Spared, _ = spare(all, r.of.Leave, 0)
	res.Err = errors.Join(res.Err, err)
	for _, s := range res.Spared {
		for _, l := range r.leaves {
			if err := l.release(s.PID); err != nil {
				res.Err = errors.Join(res.Err, fmt.Errorf("move %s (pid %d) out of its leaf: %w", s.Comm, s.PID, err))
			}
		}
	}
	for _, l := range r.leaves {
		if on, err := l.populated(); err == nil && !on {
			_ = l.remove()
		}
	}
	for _, a := range r.asked {
		if now, err := Real.Stat(a.stat.PID); a.err != nil && err == nil && now.key() == a.stat.key() {
			res.Unknown = append(res.Unknown, Unread{a.stat.PID, a.err})
		}
	}
	return res
}

// carriers lists the processes that were started with the cookie.
func (r *remains) carriers() (out []Stat, err error) {
	p, err := Real.Scan(ScanOptions{UID: true})
	if err != nil {
		return nil, err
	}
	list := r.candidates(p)
	r.askAll(list)
	for _, s := range list {
		if r.asked[s.key()].carries {
			out = append(out, s)
		}
	}
	return out, r.ctx.Err()
}

// askAll reads the environments of those that were not asked yet: nobody comes
// to have the cookie later.
func (r *remains) askAll(list []Stat) {
	list = slices.DeleteFunc(slices.Clone(list), func(s Stat) bool { return r.asked[s.key()].tries > 0 && !r.asked[s.key()].again })
	answers := make([]answer, len(list))
	slots := make(chan struct{}, readers)
	var all sync.WaitGroup
	for i, s := range list {
		slots <- struct{}{}
		all.Go(func() {
			text, err := marks(r.ctx, s.PID)
			answers[i] = answer{stat: s, carries: r.of.carries(text), err: err}
			<-slots
		})
	}
	all.Wait()
	if r.ctx.Err() != nil {
		return // then no answer may only mean that nobody waited for it
	}
	for _, a := range answers {
		k := a.stat.key()
		if a.tries = r.asked[k].tries + 1; errors.Is(a.err, ErrPartial) && a.tries < maxTries {
			a.again = true
		}
		r.asked[k] = a
	}
}

// candidates are the processes that could be of the run: of its user, not
// older than the run, and not in a session that is.
func (r *remains) candidates(p Picture) (out []Stat) {
	uid, self := uint32(r.of.user()), os.Getpid()
	for pid, s := range p.Table {
		leader, led := p.Table[s.Session]
		switch {
		case s.Zombie() || s.Kernel || pid == self || s.Start < r.of.Since:
		case led && leader.Start < r.of.Since:
		case p.UID[pid] == uid || p.UID[pid] == 0 && r.isOurs(pid):
			out = append(out, s)
		}
	}
	return out
}

// isOurs says whether a process is that user's though root owns its files, as
// it does of one that may not be dumped. Its environment is not ours to read.
func (r *remains) isOurs(pid int) bool {
	st, err := Real.Status(pid)
	return err == nil && st.EUID == r.of.user()
}
