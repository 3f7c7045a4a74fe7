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
	Waited time.Duration // by this piece of work
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
	Waited  time.Duration
	Under   string // why it begins under pressure, its budget being spent: one at a time now, and marked
	Unknown error  // the pressure could not be told: marked
}

// ErrRefused says that the pressure cannot be told, and that the rule refuses
// to begin then.
var ErrRefused = errors.New("the pressure of this machine cannot be told")

// Wait returns when the work may begin. On a machine without a stall that is
// after one look at one file (two with MinFree). Errors: ErrRefused, or the
// cause of ctx.
func (a Admission) Wait(ctx context.Context) (Admitted, error) {
	if a.Rule.Off || a.Rule == (Rule{}) {
		return Admitted{}, nil
	}
	w := admission{Admission: a, course: course{rule: a.Rule}}
	return w.run(ctx)
}

// admission is an Admission under way.
type admission struct {
	Admission
	course course
	waited time.Duration
	left   time.Duration // of the budget, from the first look over the rule on
	said   time.Time
}

func (a *admission) run(ctx context.Context) (Admitted, error) {
	last := time.Now()
	for first := true; ; first = false {
		l, err := a.look()
		if err != nil {
			return a.unknown(err)
		}
		if a.over(l) {
			l.others = a.others()
		}
		v := a.course.next(l)
		if v == begin {
			return Admitted{Waited: a.waited}, nil
		}
		if first {
			a.left = a.Rule.Budget - a.spent()
		}
		if a.left <= 0 {
			return a.spentOut(ctx)
		}
		if first && a.Looking != nil {
			a.Looking()
		}
		if v == holding {
			a.tell()
		}
		if err := sleep(ctx, min(a.left, a.course.pause())); err != nil {
			return Admitted{Waited: a.waited}, err
		}
		last = a.pay(last)
	}
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

// pay takes what has gone by since from the budget.
func (a *admission) pay(since time.Time) time.Time {
	now := time.Now()
	d := now.Sub(since)
	a.waited, a.left = a.waited+d, a.left-d
	if a.Spend != nil {
		a.Spend(d)
	}
	return now
}

func (a *admission) tell() {
	if a.Held == nil || !a.said.IsZero() && time.Since(a.said) < cmp.Or(a.Every, remindEvery) {
		return
	}
	a.said = time.Now()
	a.Held(Hold{Why: a.course.why(), Waited: a.waited, Left: a.left, Budget: a.Rule.Budget})
}

// remindEvery is how often work that is held back is spoken of.
const remindEvery = 30 * time.Second

// spentOut lets the work begin under pressure. That it is somebody else's is
// looked at as ever: what has no budget left is not to be marked because of
// its own doing.
func (a *admission) spentOut(ctx context.Context) (Admitted, error) {
	for len(a.course.looks) < firstLooks {
		if err := sleep(ctx, firstPause); err != nil {
			return Admitted{Waited: a.waited}, err
		}
		l, err := a.look()
		if err != nil {
			return a.unknown(err)
		}
		l.others = a.others()
		if a.course.next(l) == begin {
			return Admitted{Waited: a.waited}, nil
		}
	}
	return Admitted{Waited: a.waited, Under: a.course.why()}, nil
}

func (a *admission) unknown(err error) (Admitted, error) {
	if a.Rule.Refuse {
		return Admitted{Waited: a.waited}, fmt.Errorf("%w: %w", ErrRefused, err)
	}
	return Admitted{Waited: a.waited, Unknown: err}, nil
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
