package buildlock

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"
)

// Options says which lock is wanted, for whom, and for how long to wait. The
// zero value asks for the link lock and does not wait at all.
type Options struct {
	Dir   string        // the lock directory; "" is what DefaultDir says
	Lock  Lock          // "" is Link
	Slots int           // of the link lock: may only lower the machine's number; 0 does not
	Wait  time.Duration // how long to wait behind others than Who.Build; negative: as long as it takes; 0: not at all
	Who   Who
	Marks string // $GPUCI_TICKETS: tickets that processes above us hold

	// Admit, if set, is asked when it is our turn, and returns when the machine
	// may take the work. alone asks that no other ticket be ahead of ours, however
	// many slots there are.
	Admit func(context.Context, Turn) (alone bool, err error)

	// Waiting, if set, is told at once when there is a wait, then every
	// Every (RemindEvery when 0), and when the directory was removed under us.
	Waiting func(Line)
	Every   time.Duration
}

// RemindEvery is how often a wait is spoken of.
const RemindEvery = 30 * time.Second

// BusyError says that the lock was not had within the time for it.
type BusyError struct{ Line Line }

func (e *BusyError) Error() string {
	if e.Line.Limit == 0 && e.Line.Held {
		return fmt.Sprintf("the %s is free, and it cannot be taken: %s", e.Line.Lock, e.Line.Note)
	}
	if e.Line.Limit == 0 {
		return fmt.Sprintf("the %s is taken%s", e.Line.Lock, e.Line.holders())
	}
	return fmt.Sprintf("gave up %s", e.Line)
}

// VoidedError says that the ticket was declared void while it waited.
type VoidedError struct {
	ID  string
	Why string
	By  int // the uid of who did it

	Waited time.Duration // until then
}

func (e *VoidedError) Error() string {
	return fmt.Sprintf("ticket %s was declared void by %s while it waited: %s", e.ID, UserName(e.By), Printable(e.Why))
}

// Acquire takes a place in line and returns when the lock is ours. When a
// process above us holds it already (Marks), the ticket says Passed and holds
// nothing. Errors: a *BusyError when Wait ran out, ErrOrder, ErrUnfit, a
// *VoidedError, what Admit gave, or the cause of ctx; the place in line is given
// up then.
//
// A wait that is given up leaves a goroutine behind for each ticket it waited
// on, blocked in flock(2) until that ticket ends.
func Acquire(ctx context.Context, o Options) (*Ticket, error) {
	if o.Lock == "" {
		o.Lock = Link
	}
	if !o.Lock.valid() {
		return nil, fmt.Errorf("there is no lock %q", string(o.Lock))
	}
	o.Dir = orDefault(o.Dir)
	held, err := o.held()
	if held != nil || err != nil {
		return held, err
	}
	return o.acquire(ctx)
}

// held looks for a lock of the same kind above us, and for one that may not be
// held while ours is waited for.
func (o Options) held() (*Ticket, error) {
	for _, m := range o.marks() {
		if m.lock == o.Lock {
			return &Ticket{ID: m.String(), Number: m.number, Passed: true}, nil
		}
		if !m.lock.before(o.Lock) {
			return nil, fmt.Errorf("%w: ticket %s is held above this process, and below it nothing may wait for the %s; take the %s first, outside of it", ErrOrder, m, o.Lock, o.Lock)
		}
	}
	return nil, nil
}

// marks are the tickets that processes above us hold. For a link they are those
// that our environment names. The build lock and the named ones are also looked
// for without: an emptied environment (env -i, sudo) does not make a call wait
// for its own ancestor.
func (o Options) marks() []mark {
	marks := o.Marks
	if o.Lock != Link {
		list, _ := Tickets(context.Background(), o.Dir, o.Lock) // where it cannot be read, Acquire says so
		for _, e := range list {
			if e.PID != os.Getpid() { // another part of this process waits as others do
				marks += ":" + e.ID
			}
		}
	}
	return believed(o.Dir, marks)
}

// acquire joins the queue and waits. When the directory was removed under it,
// it begins again in the new one: whoever held a ticket in the old one cannot
// be seen any more, and that is said.
func (o Options) acquire(ctx context.Context) (*Ticket, error) {
	began := time.Now()
	rec, err := newRecord(o.Who)
	if err != nil {
		return nil, err
	}
	rec.Slots = o.Slots
	for {
		t, err := o.once(ctx, rec, began)
		if errors.Is(err, errRemoved) && ctx.Err() == nil {
			o.tell(Line{Lock: o.Lock, Note: "the lock directory was removed while we queued in it: queueing again; what held a ticket there is not seen any more and may run beside us"})
			continue
		}
		var voided *VoidedError
		if errors.As(err, &voided) {
			voided.Waited = time.Since(began)
		}
		if err != nil {
			return nil, err
		}
		t.Waited = time.Since(began)
		return t, nil
	}
}

// once takes one place in line and waits in it.
func (o Options) once(ctx context.Context, rec record, began time.Time) (*Ticket, error) {
	q, err := openQueue(o.Dir, o.Lock)
	if err != nil {
		return nil, err
	}
	t, err := q.join(ctx, rec, o.Wait)
	if err != nil {
		err = q.explain(ctx, err)
		q.close()
		return nil, err
	}
	w := &wait{o: o, t: t, began: began, blocked: map[uint64]bool{}, ended: make(chan uint64)}
	if err = w.untilFirst(ctx); err == nil && o.Admit != nil {
		err = w.admit(ctx)
	}
	if err != nil {
		err = q.explain(ctx, err)
		_ = t.Release()
		return nil, err
	}
	t.markGranted()
	return t, nil
}

// explain keeps the errors that callers tell apart, and calls every other one
// what it is: a directory in which nothing can be locked.
func (q queue) explain(ctx context.Context, err error) error {
	var busy *BusyError
	var voided *VoidedError
	switch {
	case errors.As(err, &busy), errors.As(err, &voided), errors.Is(err, errRemoved), ctx.Err() != nil:
		return err
	case !q.still():
		return errRemoved
	case errors.Is(err, ErrUnfit), errors.As(err, new(admitError)):
		return err
	}
	return unfit(q.path, err)
}

// slots is how many may hold the lock at a time.
func (o Options) slots() (int, error) {
	if o.Lock != Link {
		return 1, nil
	}
	n, err := Links(o.Dir)
	if err == nil && o.Slots > 0 {
		n = min(n, o.Slots)
	}
	return n, err
}

func (o Options) tell(l Line) {
	if o.Waiting != nil {
		o.Waiting(l)
	}
}
