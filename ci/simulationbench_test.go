//go:build bench

package ci

import (
	"testing"
	"time"
)

// TestBenchSimulation: what a night of ten thousand gates costs here, when the cluster takes
// no time: order, journal (on the disk before it goes on), books and report.
func TestBenchSimulation(t *testing.T) {
	const contents, perContent, inFlight = 100, 100, 500
	before := ownCPU()
	s, r, took := simulate(t, contents, perContent, inFlight)
	used := ownCPU() - before
	all, ran, _, _ := r.Sums()
	if ran != all || all != contents*perContent {
		t.Fatalf("of %d gates %d ran", all, ran)
	}
	each := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1e3 / float64(all) }
	t.Logf("%d gates, %d in flight: %.2f ms of wall and %.2f ms of CPU a gate; %d looks (%.3f a gate)", all, s.most, each(took), each(used), s.looks, float64(s.looks)/float64(all))
}
