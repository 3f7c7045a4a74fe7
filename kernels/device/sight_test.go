package device

import (
	"strings"
	"testing"
	"time"
)

// film is a row of looks at one card, a tenth of a second apart.
type film struct {
	s  sight
	at time.Time
}

func newFilm(mine Mine) *film {
	at := time.Unix(1_700_000_000, 0)
	return &film{s: newSight(Watching{Cards: []string{"GPU-a"}, Mine: mine, Blind: 3 * time.Second}, at), at: at}
}

func (f *film) look(state State, foreign ...Process) { f.whole(Seen{State: state, Foreign: foreign}) }

func (f *film) whole(c Seen) { f.add(c, false) }
func (f *film) quick(c Seen) { f.add(c, true) }

func (f *film) add(c Seen, quick bool) {
	f.at = f.at.Add(100 * time.Millisecond)
	c.UUID = "GPU-a"
	f.s.add(Look{At: f.at, Source: sourceNVML, Cards: []Seen{c}, quick: quick}, f.at)
}

func (f *film) end() Report { f.s.end(f.at); return f.s.report }

func alive(pid int) Process { return Process{PID: pid, Start: 5, Valid: true} }
func dead(pid int) Process  { return Process{PID: pid, Why: whyGone} }

// TestSight holds what a row of looks comes to.
func TestSight(t *testing.T) {
	ours := func(pid int) bool { return pid == 1 }
	unowned := Seen{State: Unknown, Why: "memory without an owner", cause: causeMemory, Unowned: Told(8 << 30)}
	cases := map[string]struct {
		mine   Mine
		film   func(*film)
		state  State
		doubts int
	}{
		"nobody":                 {nil, func(f *film) { f.look(Quiet) }, Quiet, 0},
		"no look at all":         {nil, func(*film) {}, Unknown, 0},
		"two looks name":         {nil, func(f *film) { f.look(Busy, alive(2)); f.look(Busy, alive(2)) }, Busy, 0},
		"one look is a doubt":    {nil, func(f *film) { f.look(Busy, alive(2)); f.look(Quiet) }, Quiet, 1},
		"one look and then dead": {nil, func(f *film) { f.look(Busy, alive(2)); f.look(Unknown, dead(2)) }, Quiet, 1},
		"two of them":            {nil, func(f *film) { f.look(Busy, alive(2)); f.look(Busy, alive(3)); f.look(Quiet) }, Unknown, 2},
		"in the last look alone": {nil, func(f *film) { f.look(Quiet); f.look(Busy, alive(2)) }, Quiet, 1},
		"listed a moment longer": {nil, func(f *film) { f.look(Unknown, dead(2)); f.look(Unknown, dead(2)); f.look(Quiet) }, Quiet, 1},
		"listed longer than that": {nil, func(f *film) {
			for range 4 {
				f.look(Unknown, dead(2))
			}
			f.look(Quiet)
		}, Unknown, 1},
		"one that comes and goes, alive": {nil, func(f *film) {
			f.look(Busy, alive(2))
			f.at = f.at.Add(time.Second)
			f.look(Quiet)
			f.look(Busy, alive(2))
		}, Busy, 1},
		"one that comes and goes, dead": {nil, func(f *film) {
			for range 2 {
				f.look(Unknown, dead(2))
				f.at = f.at.Add(time.Second)
				f.look(Quiet)
			}
		}, Unknown, 2},
		"one that blinks": {nil, func(f *film) {
			for range 3 {
				f.look(Unknown, dead(2))
				f.look(Quiet)
			}
		}, Unknown, 1},
		"one that was there before": {nil, func(f *film) {
			f.s.watching.Before = []Process{alive(2)}
			for range 9 {
				f.look(Unknown, dead(2))
			}
		}, Quiet, 0},
		"many short ones": {nil, func(f *film) { f.look(Unknown, dead(2)); f.look(Unknown, dead(3)) }, Unknown, 2},
		"many of ours": {func(pid int) bool { return pid < 100 }, func(f *film) {
			for i := range 99 {
				f.look(Unknown, dead(i+1))
			}
		}, Quiet, 0},
		"ours by a number that comes again": {ours, func(f *film) {
			for range 2 {
				f.look(Unknown, dead(1))
				f.at = f.at.Add(time.Second)
				f.look(Quiet)
				f.at = f.at.Add(stays)
				f.s.answered, f.s.whole = f.at, f.at
			}
		}, Quiet, 0},
		"our short ones":          {ours, func(f *film) { f.look(Unknown, dead(1)); f.look(Quiet) }, Quiet, 0},
		"seen as ours, then dead": {nil, func(f *film) { f.whole(Seen{State: Quiet, Own: []Process{alive(2)}}); f.look(Unknown, dead(2)) }, Quiet, 0},
		"known late as ours": {nil, func(f *film) {
			f.look(Busy, alive(2))
			f.look(Busy, alive(2))
			f.whole(Seen{State: Quiet, Own: []Process{alive(2)}})
		}, Quiet, 0},
		"known at the end as ours": {ours, func(f *film) { f.look(Busy, alive(1)); f.look(Busy, alive(1)) }, Quiet, 0},
		"ours that stays listed": {ours, func(f *film) {
			for range 60 {
				f.look(Unknown, dead(1))
			}
		}, Unknown, 1},
		"another's number": {ours, func(f *film) {
			for range inARow {
				f.look(Unknown, Process{PID: 1, Start: 5, Why: whyFile})
			}
		}, Unknown, 1},
		"another's number for a moment": {ours, func(f *film) { f.look(Unknown, Process{PID: 1, Start: 5, Why: whyFile}); f.look(Quiet) }, Quiet, 0},
		"memory for a moment":           {nil, func(f *film) { f.whole(unowned); f.whole(unowned); f.look(Quiet) }, Quiet, 0},
		"memory that comes and goes": {nil, func(f *film) {
			for range 2 {
				for range inARow {
					f.whole(unowned)
				}
				f.at = f.at.Add(time.Second)
				f.look(Quiet)
			}
		}, Unknown, 2},
		"memory that stays": {nil, func(f *film) {
			for range 2 * inARow {
				f.whole(unowned)
			}
		}, Unknown, 1},
		"memory that blinks": {nil, func(f *film) {
			for range inARow {
				f.whole(unowned)
				f.at = f.at.Add(time.Second)
				f.look(Quiet)
			}
		}, Unknown, 1},
		"memory that ours left": {nil, func(f *film) {
			f.whole(Seen{State: Quiet, Own: []Process{{PID: 1, Start: 5, Valid: true, Memory: Told(1 << 30)}}})
			f.whole(Seen{State: Quiet, Own: []Process{{PID: 1, Start: 5, Valid: true, Memory: Told(8 << 30)}}})
			for range 30 {
				f.whole(unowned)
			}
		}, Quiet, 0},
		"more memory than ours left": {nil, func(f *film) {
			f.whole(Seen{State: Quiet, Own: []Process{{PID: 1, Start: 5, Valid: true, Memory: Told(1 << 30)}}})
			for range 2 * inARow {
				f.whole(unowned)
			}
		}, Unknown, 1},
		"memory beside ours, less than ours has": {nil, func(f *film) {
			own := []Process{{PID: 1, Start: 5, Valid: true, Memory: Told(80 << 30)}}
			for range 2 * inARow {
				f.whole(Seen{State: Unknown, Own: own, Why: "memory", cause: causeMemory, Unowned: Told(60 << 30)})
			}
		}, Unknown, 1},
		"memory that ours left who had more once": {nil, func(f *film) {
			f.whole(Seen{State: Quiet, Own: []Process{{PID: 1, Start: 5, Valid: true, Memory: Told(9 << 30)}}})
			for range 49 {
				f.whole(Seen{State: Quiet, Own: []Process{{PID: 1, Start: 5, Valid: true, Memory: Told(8 << 30)}}})
			}
			for range 45 {
				f.whole(unowned)
			}
		}, Quiet, 0},
		"memory that stays longer than what ours left": {nil, func(f *film) {
			f.whole(Seen{State: Quiet, Own: []Process{{PID: 1, Start: 5, Valid: true, Memory: Told(8 << 30)}}})
			for range 60 {
				f.whole(unowned)
			}
		}, Unknown, 1},
		"memory that ours takes and gives back": {nil, func(f *film) {
			own := []Process{{PID: 1, Start: 5, Valid: true, Memory: Told(1 << 30)}}
			for range 10 {
				f.whole(Seen{State: Unknown, Own: own, Why: "memory", cause: causeMemory, Unowned: Told(8 << 30)})
				for range 2 * amongShare {
					f.whole(Seen{State: Quiet, Own: own})
				}
			}
		}, Quiet, 0},
		"one stray number of the last second": {nil, func(f *film) {
			f.whole(Seen{State: Unknown, cause: causeHidden, Why: "in use"})
			for range 9 {
				f.quick(Seen{State: Quiet})
			}
			f.whole(Seen{State: Quiet})
		}, Quiet, 0},
		"somebody hides": {nil, func(f *film) {
			for range 2 {
				f.whole(Seen{State: Unknown, cause: causeHidden, Why: "in use"})
				for range 9 {
					f.quick(Seen{State: Quiet})
				}
			}
		}, Unknown, 1},
		"what ours did a second ago": {nil, func(f *film) {
			for range 3 {
				f.whole(Seen{State: Quiet, Own: []Process{alive(1)}})
				f.whole(Seen{State: Unknown, cause: causeHidden, Why: "in use"})
				for range 9 {
					f.quick(Seen{State: Quiet})
				}
			}
		}, Quiet, 0},
		"a card that is away": {nil, func(f *film) {
			for range 5 {
				f.at = f.at.Add(100 * time.Millisecond)
				f.s.add(Look{At: f.at}, f.at)
			}
			f.look(Quiet)
		}, Unknown, 1},
		"a gap": {nil, func(f *film) { f.look(Quiet); f.at = f.at.Add(4 * time.Second); f.look(Quiet) }, Unknown, 0},
		"silence shorter than that": {nil, func(f *film) {
			f.look(Quiet)
			f.s.add(Look{Silent: "hangs"}, f.at.Add(2*time.Second))
			f.look(Quiet)
		}, Quiet, 0},
		"full looks alone are not answered": {nil, func(f *film) {
			for range 40 {
				f.quick(Seen{State: Quiet})
			}
		}, Unknown, 0},
		"silence up to the end": {nil, func(f *film) { f.look(Quiet); f.at = f.at.Add(4 * time.Second) }, Unknown, 0},
		"another card":          {nil, func(f *film) { f.s.add(Look{Cards: []Seen{{Card: Card{UUID: "GPU-b"}, State: Quiet}}}, f.at) }, Quiet, 1},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			f := newFilm(c.mine)
			c.film(f)
			r := f.end()
			if r.State() != c.state || len(r.Doubts) != c.doubts {
				t.Errorf("%s with %d doubts, not %s with %d: %s %+v", r.State(), len(r.Doubts), c.state, c.doubts, r.Why(), r.Doubts)
			}
			if (r.State() == Quiet) != strings.HasPrefix(r.Why(), "nobody") {
				t.Errorf("why: %s", r.Why())
			}
		})
	}
}

// TestHalfSeen: what the last full look alone says of somebody who hides takes another.
func TestHalfSeen(t *testing.T) {
	f := newFilm(nil)
	f.whole(Seen{State: Unknown, cause: causeHidden, Why: "in use"})
	f.quick(Seen{State: Quiet})
	if !f.s.halfSeen() || !f.s.pending() {
		t.Error("one full look is enough")
	}
	f.whole(Seen{State: Quiet})
	if f.s.halfSeen() || f.s.pending() {
		t.Error("it was a stray number, and is looked at again")
	}
}
