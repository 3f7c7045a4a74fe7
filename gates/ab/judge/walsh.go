package judge

import (
	"math"
	"slices"
)

// walsh is sorted differences, and stands for the averages of every two of them,
// each with itself too (Walsh averages). They are never written out: 4000
// differences have eight million.
type walsh []float64

func newWalsh(differences []float64) walsh {
	return slices.Sorted(slices.Values(differences))
}

// averages is how many there are.
func (w walsh) averages() int { return len(w) * (len(w) + 1) / 2 }

// upTo is how many averages are at most v.
func (w walsh) upTo(v float64) int {
	count, _, _ := w.around(v)
	return count
}

// around is how many averages are at most v, the largest of them, and the smallest
// of the others.
func (w walsh) around(v float64) (count int, below, above float64) {
	below, above = math.Inf(-1), math.Inf(1)
	j := len(w) - 1
	for i := range w {
		for j >= i && (w[i]+w[j])/2 > v {
			j--
		}
		if next := max(i, j+1); next < len(w) {
			above = min(above, (w[i]+w[next])/2)
		}
		if j >= i {
			count += j - i + 1
			below = max(below, (w[i]+w[j])/2)
		}
	}
	return count, below, above
}

// nth is the nth smallest average, from 1. It halves the range that it lies in until
// that has few averages, which are then written out, or one that many share.
func (w walsh) nth(n int) float64 {
	low, high := w[0], w[len(w)-1]
	under := w.upTo(low)
	if under >= n {
		return low
	}
	for upTo := w.averages(); upTo-under > 2*len(w); {
		middle := low + (high-low)/2
		count, below, above := w.around(middle)
		switch {
		case middle <= low || middle >= high || count < n && above == high:
			return high // no other lies between
		case count >= n:
			high, upTo = below, count
		default:
			low, under = middle, count
		}
	}
	between := w.between(low, high)
	slices.Sort(between)
	return between[n-under-1]
}

// between is the averages above low and up to high, in no order.
func (w walsh) between(low, high float64) []float64 {
	var found []float64
	j := len(w) - 1
	for i := range w {
		for j >= i && (w[i]+w[j])/2 > high {
			j--
		}
		for k := j; k >= i && (w[i]+w[k])/2 > low; k-- {
			found = append(found, (w[i]+w[k])/2)
		}
	}
	return found
}

// centre is the median of the averages: the estimate of Hodges and Lehmann (1963).
func (w walsh) centre() float64 {
	all := w.averages()
	return (w.nth((all+1)/2) + w.nth(all/2+1)) / 2
}

// within is the interval from the kth smallest to the kth largest average.
func (w walsh) within(k int) (low, high float64) {
	return w.nth(k), w.nth(w.averages() + 1 - k)
}
