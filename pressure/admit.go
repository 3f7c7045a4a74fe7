package pressure

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"
)

// Admission is one piece of work that asks whether it may begin.
type Admission struct {
	Rule   Rule
	Memory string // "" is RealMemory

	// Spent is how much of the budget is gone already, and Spend notes what
	// goes, as it goes: a budget is a whole build's, and some of its links may
	// be killed. Both may be nil.
	Spent func() time.Duration
	Spend func(time.Duration)
	// Others tells who else waits for the disk. It is asked only while the
	// pressure is over the rule. When it is nil they cannot be seen.
	Others func() Others
	// Looking is told once when more than one look is needed, and Held when the
	// work is held back, then every Every (30 s when 0).
	Looking func()
	Held    func(Hold)
	Every   time.Duration
}

// Hold is what is to be said of work that is held back.
type Hold struct {
	Why    string
	Left   time.Duration // of the budget: the longest it can still take
	Budget time.Duration
}

// String is the line about it, with the numbers first: a ticket has room for
// 200 bytes.
func (h Hold) String() string {
	return fmt.Sprintf("held back for %s at most (of a budget of %s): %s", rough(h.Left), rough(h.Budget), h.Why)
}

// rough is a duration for people.
func rough(d time.Duration) string {
	if d < 10*time.Second {
		return d.Round(100 * time.Millisecond).String()
	}
	return d.Round(time.Second).String()
}

// Admitted is how the work was let in.
type Admitted struct {
	Held    time.Duration // held back: what the budget paid for
	Under   string        // why it begins under pressure, its budget being spent: one at a time now, and marked
	Unknown error         // what the rule asks for cannot be told, or never be had: marked
}

// ErrRefused says that the pressure cannot be told, and that the rule refuses
// to begin then.
var ErrRefused = errors.New("the pressure of this machine cannot be told, or the rule not be kept")

// Wait returns when the work may begin. On a machine without a stall that is
// after one look at one file (two with MinFree). Errors: ErrRefused, or the
// cause of ctx.
func (a Admission) Wait(ctx context.Context) (Admitted, error) {
	if a.Rule.Off {
		return Admitted{}, nil
	}
	w := admission{Admission: a, course: course{rule: a.Rule}}
	return w.run(ctx)
}

// admission is an Admission under way.
type admission struct {
	Admission
	course course
	held   time.Duration
	left   time.Duration // of the budget, from the first look over the rule on
	said   time.Time
}

func (a *admission) run(ctx context.Context) (Admitted, error) {
	for first := true; ; first = false {
		l, err := a.look()
		if err != nil {
			return a.unknown(err)
		}
		if a.over(l) {
			l.others = a.others()
		}
		v := a.course.next(l)
		switch {
		case v == begin:
			return Admitted{Held: a.held}, nil
		case first:
			a.left = a.Rule.Budget - a.spent()
			if a.Looking != nil {
				a.Looking()
			}
		}
		if v == holding && a.left <= 0 {
			return Admitted{Held: a.held, Under: a.course.why()}, nil
		}
		if v == holding {
			a.tell()
		}
		since := time.Now()
		if err := sleep(ctx, a.pause(v)); err != nil {
			return Admitted{Held: a.held}, err
		}
		if v == holding { // finding out is not paid for: it ends by itself
			a.pay(time.Since(since))
		}
	}
}

// pause is how long to wait before the next look.
func (a *admission) pause(v verdict) time.Duration {
	if v == holding {
		return min(a.left, a.course.pause())
	}
	return a.course.pause()
}

// over says whether a look is worth asking who waits for the disk.
func (a *admission) over(l look) bool { return a.course.heldIO || l.avg10 > a.Rule.Long }

// look reads what the rule needs, and nothing else.
func (a *admission) look() (look, error) {
	r := readFile(filepath.Join(cmp.Or(a.Rule.Root, Real), "io"))
	if r.Full == nil {
		return look{}, cmp.Or(r.Unknown, errors.New(`it has no line "full"`))
	}
	l := look{at: time.Now(), avg10: r.Full.Avg10, total: r.Full.Total, free: -1}
	if a.Rule.MinFree > 0 {
		m, err := ReadMemory(cmp.Or(a.Memory, RealMemory))
		if err != nil {
			return look{}, err
		}
		if a.Rule.MinFree > m.Total {
			return look{}, fmt.Errorf("min-free is %s, and this machine has %s of memory in all", Bytes(a.Rule.MinFree), Bytes(m.Total))
		}
		l.free = m.Available
	}
	return l, nil
}

func (a *admission) others() Others {
	if a.Others == nil {
		return Others{Err: errors.New("nobody looks")}
	}
	return a.Others()
}

func (a *admission) spent() time.Duration {
	if a.Spent == nil {
		return 0
	}
	return a.Spent()
}

// pay takes a time from the budget.
func (a *admission) pay(d time.Duration) {
	a.held, a.left = a.held+d, a.left-d
	if a.Spend != nil {
		a.Spend(d)
	}
}

func (a *admission) tell() {
	if a.Held == nil || !a.said.IsZero() && time.Since(a.said) < cmp.Or(a.Every, remindEvery) {
		return
	}
	a.said = time.Now()
	a.Held(Hold{Why: a.course.why(), Left: a.left, Budget: a.Rule.Budget})
}

// remindEvery is how often work that is held back is spoken of.
const remindEvery = 30 * time.Second

func (a *admission) unknown(err error) (Admitted, error) {
	if a.Rule.Refuse {
		return Admitted{Held: a.held}, fmt.Errorf("%w: %w", ErrRefused, err)
	}
	return Admitted{Held: a.held, Unknown: err}, nil
}

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
