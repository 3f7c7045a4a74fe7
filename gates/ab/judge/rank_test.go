package judge

import (
	"math"
	"math/bits"
	"testing"
)

// TestCriticalCountsCoins holds the critical number against all sequences of coins
// that there are.
func TestCriticalCountsCoins(t *testing.T) {
	for n := 1; n <= 14; n++ {
		count := make([]int, n*(n+1)/2+1)
		for coins := range 1 << n {
			sum := 0
			for c := coins; c != 0; c &= c - 1 {
				sum += bits.TrailingZeros(uint(c)) + 1
			}
			count[sum]++
		}
		for _, alpha := range []float64{0.5, 0.05, 0.01, 0.001} {
			want, below := 0, 0
			for 2*float64(below+count[want]) <= alpha*float64(int(1)<<n) {
				below += count[want]
				want++
			}
			if got := critical(n, alpha); got != want {
				t.Errorf("critical(%d, %v) is %d, and by all coins %d", n, alpha, got, want)
			}
		}
	}
}

// TestCriticalIsOnTheSafeSide holds the normal distribution against the counted one,
// where the chance is small: no more than was asked, and not much less.
func TestCriticalIsOnTheSafeSide(t *testing.T) {
	for _, n := range []int{exactUpTo + 1, 100, 160} {
		chance := rankSums(n)
		for _, alpha := range []float64{0.05, 0.01, 0.001, 0.0002} {
			below := 0.0
			for _, c := range chance[:critical(n, alpha)] {
				below += c
			}
			if 2*below > alpha || 2*below < 0.6*alpha {
				t.Errorf("of %d differences the interval for %v misses with a chance of %v", n, alpha, 2*below)
			}
		}
	}
}

func TestQuantile(t *testing.T) {
	for p, want := range map[float64]float64{0.5: 0, 0.975: 1.959964, 0.9: 1.281552, 0.9995: 3.290527} {
		if got := quantile(p); math.Abs(got-want) > 1e-6 {
			t.Errorf("quantile(%v) is %v, not %v", p, got, want)
		}
	}
}
