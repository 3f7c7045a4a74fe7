package judge

import (
	"fmt"
	"math"
	"slices"
)

// flat is whether every reading is the same.
func (r readings) flat() bool {
	first := r.control[0]
	differs := func(v float64) bool { return v != first }
	return !slices.ContainsFunc(r.control, differs) && !slices.ContainsFunc(r.arm, differs)
}

// notes are what a reader must know beside the verdict.
func (e evidence) notes(s Session) []string {
	var notes []string
	part := e.readings.scale.part
	if e.twins.sure() {
		notes = append(notes, fmt.Sprintf("the control differs from itself, by %s: two builds of it, or two places, are not alike", Signed(part(e.twins.centre))))
	}
	if e.readings.bias > e.bars.least/10 && !e.coarse() {
		notes = append(notes, fmt.Sprintf("the clock has steps of %.3g %s, which can put the difference off by %s: let a run take longer",
			e.readings.step, e.metric.Unit, Percent(e.readings.bias)))
	}
	for _, arm := range []struct {
		name   string
		values []float64
	}{{s.Plan.Control, e.readings.control}, {s.Plan.Arm, e.readings.arm}} {
		if low, high, share, two := modes(arm.values); two {
			notes = append(notes, fmt.Sprintf("%s has two modes, about %.3g and %.3g %s, %.0f %% of its runs in the first",
				arm.name, low, high, e.metric.Unit, 100*share))
		}
	}
	if c, a := s.thrownOf(); lopsided(c, a) {
		notes = append(notes, fmt.Sprintf("%d runs of %s were thrown out and %d of %s: what is left of them may not be alike", c, s.Plan.Control, a, s.Plan.Arm))
	}
	return notes
}

// thrownOf counts the runs of the control and of the arm that were thrown out.
func (s Session) thrownOf() (control, arm int) {
	_, by := s.thrown()
	return by[s.Plan.Control], by[s.Plan.Arm]
}

// lopsided is whether two counts are further apart than fair coins make them in 99
// of 100 cases.
func lopsided(a, b int) bool {
	return math.Abs(float64(a-b)) > 2.58*math.Sqrt(float64(a+b))+1
}

// modes cuts values in two where that leaves the least variance of their logarithms,
// and says whether the halves are modes: each has a fifth of the values, and their
// centres are five of their standard deviations apart (Ashman's D; a normal
// distribution that is cut in half has 2.6, and 2 is where two that are added have
// two peaks).
func modes(values []float64) (low, high, share float64, two bool) {
	const enough = 40 // of fewer, bursts that are still remembered look like modes
	if len(values) < enough || slices.Min(values) <= 0 {
		return 0, 0, 0, false
	}
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	sums, squares := make([]float64, n+1), make([]float64, n+1)
	for i, v := range sorted {
		l := math.Log(v / sorted[0])
		sums[i+1], squares[i+1] = sums[i]+l, squares[i]+l*l
	}
	// rest is the sum of squares about the mean of those from i to j.
	rest := func(i, j int) float64 {
		sum := sums[j] - sums[i]
		return max(0, squares[j]-squares[i]-sum*sum/float64(j-i))
	}
	cut, least := 0, math.Inf(1)
	for i := n / 5; i <= n-n/5; i++ {
		if both := rest(0, i) + rest(i, n); both < least {
			cut, least = i, both
		}
	}
	apart := (sums[n]-sums[cut])/float64(n-cut) - sums[cut]/float64(cut)
	deviation := math.Sqrt((rest(0, cut)/float64(cut) + rest(cut, n)/float64(n-cut)) / 2)
	const visible = 0.005 // of the value: two modes nearer than that trouble nobody
	return middle(sorted[:cut]), middle(sorted[cut:]), float64(cut) / float64(n), apart > max(5*deviation, visible)
}
