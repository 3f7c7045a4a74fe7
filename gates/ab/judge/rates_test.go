package judge

import (
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"golang.org/x/perf/benchmath"
)

// many is n, or ten times as many under GPUCI_SOAK.
func many(n int) int {
	if os.Getenv("GPUCI_SOAK") != "" {
		return 10 * n
	}
	return n
}

// outcomes compares n times on a machine and counts what was said, and how often
// the interval held the effect.
func outcomes(t *testing.T, machine func(*rand.Rand) noise, effect float64, n int) (said map[Verdict]int, held int) {
	t.Helper()
	said = map[Verdict]int{}
	for i := range uint64(n) {
		a, _, err := stage{noise: machine(rand.New(rand.NewPCG(11, i))), effect: math.Log1p(effect)}.run(i)
		if err != nil {
			t.Fatal(err)
		}
		said[a.Verdict]++
		if effect > a.Interval.Low-1e-12 && effect < a.Interval.High+1e-12 {
			held++
		}
	}
	return said, held
}

// TestRates is the promise, on machines that are each hard in their own way: an arm
// that is the control is called neither win nor worse in more than 2 of 100, looks
// and all; and 3 % are found in 80 of 100 with the samples that the judge asked for.
func TestRates(t *testing.T) {
	for name, machine := range machines(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := many(100)
			same, held := outcomes(t, machine, 0, n)
			if wrong := same[Win] + same[Worse]; 100*wrong > 2*n {
				t.Errorf("an arm like the control: %v of %d", same, n)
			}
			if 100*held < 98*n {
				t.Errorf("an arm like the control: the interval has 0 in %d of %d", held, n)
			}
			n = many(40)
			for effect, want := range map[float64]Verdict{0.03: Worse, -0.03: Win, 0.1: Worse} {
				other, held := outcomes(t, machine, effect, n)
				if opposite := map[Verdict]Verdict{Worse: Win, Win: Worse}[want]; 100*other[want] < 80*n || other[opposite] > 0 {
					t.Errorf("an effect of %v: %v of %d", effect, other, n)
				}
				if 100*held < 96*n {
					t.Errorf("an effect of %v is in the interval in %d of %d", effect, held, n)
				}
			}
			t.Logf("an arm like the control: %v", same)
		})
	}
}

// TestMachinesAreHard shows that the machines of TestRates are no easy ones: Mann and
// Whitney's test at 1 %, as benchmath has it, is sure of differences that are not
// there where the arms run one after the other, or in turn without a coin.
func TestMachinesAreHard(t *testing.T) {
	orders := map[string]func(i int) bool{
		"one after the other": func(i int) bool { return i >= 40 },
		"in turn":             func(i int) bool { return i%2 == 1 },
	}
	hard := map[string]bool{}
	for name, machine := range machines(t) {
		for order, isArm := range orders {
			const n = 100
			wrong := 0
			for i := range uint64(n) {
				next := machine(rand.New(rand.NewPCG(11, i)))
				var control, arm []float64
				for k := range 80 {
					if v := math.Exp(next()); isArm(k) {
						arm = append(arm, v)
					} else {
						control = append(control, v)
					}
				}
				at := &benchmath.Thresholds{CompareAlpha: 0.01}
				if c := benchmath.AssumeNothing.Compare(benchmath.NewSample(control, at), benchmath.NewSample(arm, at)); c.P < 0.01 {
					wrong++
				}
			}
			t.Logf("%s, %s: wrongly sure in %d of %d", name, order, wrong, n)
			hard[name] = hard[name] || wrong > 10
		}
	}
	delete(hard, "wild") // hard for what it does to a mean; its runs are independent
	for _, name := range slices.Sorted(maps.Keys(hard)) {
		if !hard[name] {
			t.Errorf("%s troubles nobody", name)
		}
	}
}
