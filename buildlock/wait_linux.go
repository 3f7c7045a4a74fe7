package buildlock

import (
	"cmp"
	"context"
	"time"

	"golang.org/x/sys/unix"
)

// lookAgain is how often a waiter looks without having been woken: for a
// ticket that was declared void, and for a directory that was removed. The end
// of a ticket needs no looking.
const lookAgain = 2 * time.Second

// wait is a place in line.
type wait struct {
	o       Options
	t       *Ticket
	slots   int // as of the last look
	began   time.Time
	blocked map[uint64]bool // tickets that a goroutine of ours waits on
	ended   chan uint64

	looked  time.Time     // when we last looked who is ahead
	foreign bool          // then, all slots were somebody else's
	charged time.Duration // of the wait, behind somebody else
	idle    bool          // as of the last look, all that are ahead are held back themselves
	behind  time.Duration // of the wait, while that was so
}

// untilFirst returns when fewer live tickets than slots are ahead of ours.
func (w *wait) untilFirst(ctx context.Context) error {
	ahead, err := w.look()
	if err != nil || len(ahead) < w.slots {
		return err
	}
	if w.o.Wait == 0 {
		return &BusyError{w.line()}
	}
	w.o.tell(w.line())
	done := make(chan struct{}) // lets go of goroutines that waited for nothing
	defer close(done)
	remind, look := time.NewTicker(cmp.Or(w.o.Every, RemindEvery)), time.NewTicker(lookAgain)
	defer remind.Stop()
	defer look.Stop()
	for {
		w.block(ahead, done)
		out := w.limit()
		select {
		case n := <-w.ended:
			delete(w.blocked, n)
		case <-look.C:
		case <-remind.C:
			w.o.tell(w.line())
		case <-out.C:
		case <-ctx.Done():
			out.Stop()
			return context.Cause(ctx)
		}
		out.Stop()
		if ahead, err = w.look(); err != nil || len(ahead) < w.slots {
			return err
		}
		if w.o.Wait >= 0 && w.charged >= w.o.Wait {
			return &BusyError{w.line()}
		}
	}
}

// never is longer than any wait.
const never = 365 * 24 * time.Hour

// limit fires when the time for the wait is over, should nothing change until
// then. The timer goes by the monotonic clock: setting the other one back
// changes nothing.
func (w *wait) limit() *time.Timer {
	if w.o.Wait < 0 || !w.foreign {
		return time.NewTimer(never)
	}
	return time.NewTimer(w.o.Wait - w.charged)
}

// look lists who is ahead, from a ticket that still is one before and after:
// a directory that was removed lists nobody. The number of slots may have
// changed meanwhile.
func (w *wait) look() ([]uint64, error) {
	ahead, err := w.t.queue.ahead(w.t.Number)
	if err != nil {
		return nil, err
	}
	if w.slots, err = w.o.slots(); err != nil {
		return nil, err
	}
	w.charge(ahead)
	return ahead, w.t.check()
}

// charge counts the time since the last look, if the lock was somebody else's
// then. Behind one that is held back because of the pressure the machine is
// waited for, not the lock. A large build whose links come one after the other is not at the end
// of its patience because of itself.
func (w *wait) charge(ahead []uint64) {
	now := time.Now()
	switch {
	case w.idle:
		w.behind += now.Sub(w.looked)
	case w.foreign:
		w.charged += now.Sub(w.looked)
	}
	first := ahead[:min(w.slots, len(ahead))]
	w.looked, w.foreign, w.idle = now, true, len(first) > 0
	for _, n := range first {
		r, g, err := w.t.queue.record(n)
		if err == nil && w.o.Who.Build != "" && r.Build == w.o.Who.Build {
			w.foreign = false
		}
		w.idle = w.idle && err == nil && g.waits()
	}
}

// block waits, each in a goroutine, on as many of the nearest tickets ahead as
// there are slots. Our turn cannot come before one of these ends: while all of
// them live, as many as there are slots are ahead of us. With a single one, a
// slot that another one frees would stay empty.
func (w *wait) block(ahead []uint64, done <-chan struct{}) {
	for _, n := range ahead[max(0, len(ahead)-w.slots):] {
		if w.blocked[n] {
			continue
		}
		w.blocked[n] = true
		onEnd(w.t.queue, n, n, w.ended, done)
	}
}

// onEnd sends what to ended at the end of a ticket, from a goroutine that is
// blocked in flock(2) until then, whoever still wants to know.
func onEnd[T any](q queue, n uint64, what T, ended chan<- T, done <-chan struct{}) {
	fd, err := q.ticketFD(n)
	go func() {
		if err == nil { // else it has ended since
			_ = retry(func() error { return unix.Flock(fd, unix.LOCK_SH) })
			_ = unix.Close(fd)
		}
		select {
		case ended <- what:
		case <-done:
		}
	}()
}
