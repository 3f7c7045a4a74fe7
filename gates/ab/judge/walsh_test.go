package judge

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// written writes all averages out.
func written(d []float64) []float64 {
	var all []float64
	for i := range d {
		for j := i; j < len(d); j++ {
			all = append(all, (d[i]+d[j])/2)
		}
	}
	slices.Sort(all)
	return all
}

// TestWalshIsAsWritten holds what is never written out against what is: few
// differences and many, close ones, ties, zeros, and numbers far apart.
func TestWalshIsAsWritten(t *testing.T) {
	coins := rand.New(rand.NewPCG(1, 1))
	draws := map[string]func() float64{
		"normal":  coins.NormFloat64,
		"coarse":  func() float64 { return float64(coins.IntN(5) - 2) },
		"zeros":   func() float64 { return float64(coins.IntN(50)/49) * 1e-9 },
		"one":     func() float64 { return 0.25 },
		"cauchy":  func() float64 { return math.Tan(math.Pi * (coins.Float64() - 0.5)) },
		"next":    func() float64 { return 1 + float64(coins.IntN(3))*0x1p-52 },
		"tiny":    func() float64 { return coins.NormFloat64() * 1e-300 },
		"bimodal": func() float64 { return float64(coins.IntN(2)) + coins.NormFloat64()*1e-6 },
	}
	for name, draw := range draws {
		for _, n := range []int{1, 2, 3, 10, 61, 150} {
			var d []float64
			for range n {
				d = append(d, draw())
			}
			all, w := written(d), newWalsh(slices.Clone(d))
			if w.averages() != len(all) {
				t.Fatalf("%s, %d: %d averages, and %d written", name, n, w.averages(), len(all))
			}
			for k := 1; k <= len(all); k += 1 + len(all)/200 {
				if got := w.nth(k); got != all[k-1] {
					t.Fatalf("%s, %d: average %d is %v, and written %v", name, n, k, got, all[k-1])
				}
				v := all[k-1]
				if got, want := w.upTo(v), upTo(all, v); got != want {
					t.Fatalf("%s, %d: %d averages up to %v, and %d written", name, n, got, v, want)
				}
			}
		}
	}
}

func upTo(sorted []float64, v float64) int {
	at, _ := slices.BinarySearchFunc(sorted, v, func(a, v float64) int {
		if a <= v {
			return -1
		}
		return 1
	})
	return at
}
