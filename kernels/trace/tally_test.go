package trace

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestTally holds what is said of many numbers against all of them sorted.
func TestTally(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	for _, most := range []int64{1, 2, 5, 1000, 1 << 40} {
		for _, n := range []int{1, 2, 3, 10, 101, 20000} {
			var one, first, second tally
			var all []int64
			for i := range n {
				v := random.Int64N(most)
				all = append(all, v)
				one.add(v)
				if i%3 == 0 {
					first.add(v)
				} else {
					second.add(v)
				}
			}
			first.merge(&second)
			slices.Sort(all)
			for _, e := range []Each{one.each(), first.each()} {
				sum, want := int64(0), all[(n+1)/2-1]
				for _, v := range all {
					sum += v
				}
				if e.N != int64(n) || e.Low != all[0] || e.High != all[n-1] || e.Total != sum || e.About != (n > different && most > different) {
					t.Errorf("%d below %d: %+v", n, most, e)
				}
				if off := want - e.Median; !e.About && off != 0 || off < 0 || off > want/500 {
					t.Errorf("%d below %d: median %d, want %d", n, most, e.Median, want)
				}
			}
		}
	}
}

// TestTallyIsBounded: a million different numbers are not held.
func TestTallyIsBounded(t *testing.T) {
	var one tally
	for i := range int64(1_000_000) {
		one.add(i * 7)
	}
	if n := len(one.times); n > 3*different*4 {
		t.Errorf("%d are held", n)
	}
}
