package kda

import (
	"math"
	"math/rand/v2"
)

// Streams of the generator, one for each tensor, so that leaving one out or
// resizing it does not change the others.
const (
	streamQ = iota + 1
	streamK
	streamV
	streamG
	streamB
	streamW
	streamState
	streamDOut
	streamDST
)

// uniform is a reproducible source of numbers: PCG-DXSM seeded with the pair
// (seed, stream), the top 53 bits of each output divided by 2^53. Correctly
// rounded operations only, so any language can make the same inputs.
type uniform struct{ pcg *rand.PCG }

func newUniform(seed, stream uint64) uniform {
	return uniform{pcg: rand.NewPCG(seed, stream)}
}

// between is the next number in [lo, hi).
func (u uniform) between(lo, hi float64) float64 {
	unit := float64(u.pcg.Uint64()>>11) / (1 << 53)
	return lo + float64(unit*(hi-lo)) // the conversion forbids a fused multiply-add
}

// fill sets every element, in memory order, to the next number in [lo, hi).
func (u uniform) fill(t Tensor, lo, hi float64) {
	for i := range t.Data {
		t.Data[i] = u.between(lo, hi)
	}
}

// spread fills with numbers of mean 0 and variance 1.
func (u uniform) spread(t Tensor) { u.fill(t, -math.Sqrt(3), math.Sqrt(3)) }

// unitRows fills with rows of length 1, as l2-normalised q and k have.
func (u uniform) unitRows(t Tensor) {
	u.spread(t)
	cols := t.Dims[3]
	for at := 0; at < len(t.Data); at += cols {
		row := t.Data[at : at+cols]
		sum := 0.0
		for _, x := range row {
			sum += float64(x * x)
		}
		for i := range row {
			row[i] /= math.Sqrt(sum)
		}
	}
}

// scalarRows fills with one number for all channels of a row.
func (u uniform) scalarRows(t Tensor, lo, hi float64) {
	cols := t.Dims[3]
	for at := 0; at < len(t.Data); at += cols {
		x := u.between(lo, hi)
		for i := range cols {
			t.Data[at+i] = x
		}
	}
}

// Direction returns a random direction in one leaf (named as in
// [Leaves.Terms]), zero in the others and everywhere for an unknown name; draws
// with different seeds are independent of each other and of every [Case].
func Direction(s Shape, leaf string, seed uint64) *Leaves {
	along := NewLeaves(s)
	for i, term := range along.Terms() {
		if term.Name == leaf {
			newUniform(seed, streamDST+1+uint64(i)).spread(*term.Tensor)
		}
	}
	return along
}
