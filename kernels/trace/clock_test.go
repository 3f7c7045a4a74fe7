package trace

import (
	"testing"
	"time"
)

// Times of another clock, that goes otherwise, come to stand where they were.
func TestClock(t *testing.T) {
	const began = 7_000_000
	theirs := func(host int64) int64 { return 1_700_000_000_000_000_000 + host + host/10_000 } // 100 ppm fast
	var pairs []clockPair
	for _, at := range []int64{900_000_000, 0, 500_000_000} {
		pairs = append(pairs, clockPair{before: began + at - 20, after: began + at + 20, theirs: theirs(at)})
	}
	c := newClock(pairs, began)
	if c.Pairs != 3 || c.Within < 20 || c.Within > 30 || c.Drift != -90*time.Microsecond {
		t.Errorf("%+v", c)
	}
	for _, at := range []int64{0, 1, 300_000_000, 500_000_000, 899_999_999} {
		if got := int64(c.host(time.Duration(theirs(at)))); max(got-at, at-got) > 30 {
			t.Errorf("%d is at %d", at, got)
		}
	}
	// One that was put aside between the readings is wide, and says so.
	if c := newClock([]clockPair{{before: 0, after: 5000, theirs: 2500}}, 0); c.Within != 2500 || c.host(2600) != 2600 {
		t.Errorf("%+v", c)
	}
	if c := newClock(nil, began); c.Pairs != 0 || c.host(began+5) != 5 {
		t.Errorf("none: %+v", c)
	}
}

// What overlaps counts once.
func TestBusy(t *testing.T) {
	b := newBusy([]period{{50, 60}, {10, 20}, {15, 30}, {30, 35}, {12, 14}})
	for _, one := range []struct {
		w    period
		want time.Duration
	}{{period{0, 100}, 35}, {period{0, 10}, 0}, {period{11, 12}, 1}, {period{20, 55}, 20}, {period{35, 50}, 0}, {period{60, 61}, 0}} {
		if got := b.within(one.w); got != one.want {
			t.Errorf("%v: %v, want %v", one.w, got, one.want)
		}
	}
	list := union([]period{{10, 20}, {15, 30}, {50, 60}})
	if length(list) != 30 || after(list, 25) != 15 || after(list, 60) != 0 || after(list, 0) != 30 {
		t.Errorf("%v", list)
	}
}

// Ties come out of order, from several threads: the search starts where the last one was.
func TestTies(t *testing.T) {
	w := &worked{}
	for tie := uint32(2); tie < 2000; tie += 2 {
		w.work = append(w.work, Work{Tie: tie})
	}
	for i, tie := range []uint32{2, 4, 1998, 1, 1000, 998, 1001, 5000, 3, 1996} {
		from, to := w.of(&Event{Tie: tie})
		if is := tie%2 == 0 && tie < 2000; is != (to == from+1) || is && w.work[from].Tie != tie {
			t.Errorf("%d: %d is at %d..%d", i, tie, from, to)
		}
	}
	if from, to := (&worked{}).of(&Event{Tie: 1}); from != to {
		t.Error("there is something in nothing")
	}
}
