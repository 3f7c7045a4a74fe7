package judge

import (
	"math"
	"sync"
)

// exactUpTo is the number of differences up to which the null distribution of the
// signed-rank sum is counted out. Above it the normal one is close, and on the safe
// side: the sum has lighter tails.
const exactUpTo = 64

// critical is the k for which the interval from the kth smallest to the kth largest
// Walsh average of n differences misses their centre with a chance of at most
// alpha. 0: n is too small for any.
//
// The chance is over n coins, each giving one difference its sign (Wilcoxon 1945;
// the interval is Tukey's). Differences that are equal or 0 make it smaller.
func critical(n int, alpha float64) int {
	if n > exactUpTo {
		m := float64(n)
		k := m*(m+1)/4 - quantile(1-alpha/2)*math.Sqrt(m*(m+1)*(2*m+1)/24)
		return max(0, int(k))
	}
	key := criticalKey{n, alpha}
	if k, ok := counted.Load(key); ok {
		return k.(int)
	}
	k, below := 0, 0.0
	for chance := rankSums(n); k < len(chance); k++ {
		if below += chance[k]; below > alpha/2 {
			break
		}
	}
	counted.Store(key, k)
	return k
}

// counted has the critical numbers that were counted out: each question asks for the
// same ones again.
var counted sync.Map

type criticalKey struct {
	n     int
	alpha float64
}

// rankSums is the chance of each sum, up to half of the largest, of the ranks 1 to n
// of which each is taken by a fair coin.
func rankSums(n int) []float64 {
	chance := make([]float64, n*(n+1)/4+1)
	chance[0] = 1
	for rank := 1; rank <= n; rank++ {
		for s := len(chance) - 1; s >= 0; s-- {
			chance[s] /= 2
			if s >= rank {
				chance[s] += chance[s-rank] / 2
			}
		}
	}
	return chance
}

// quantile is that of the standard normal distribution.
func quantile(p float64) float64 {
	return math.Sqrt2 * math.Erfinv(2*p-1)
}
