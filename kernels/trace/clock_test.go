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
