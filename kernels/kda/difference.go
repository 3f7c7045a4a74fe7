package kda

import (
	"context"
	"errors"
	"math"
)

// stepSize is the distance h of the difference stencil. In any single element
// L is affine (q, v, b, w, state), quadratic (k), or affine in its exponential
// (g), so only g has a truncation error at all: h^4/30 = 8e-12 of the slope by
// the fourth-order stencil. Rounding adds about 1e-16*|L|/h, some 1e-12 for the
// |L| of 30 that these problems reach. A power of two keeps x+h exact in all
// but the last bits. The second-order stencil would need h = 1e-5, where
// rounding alone is a thousand times larger.
const stepSize = 1.0 / 256

// Differences differentiates L by every input element with central
// differences of the sequential form, four evaluations an element. A done
// context ends the work with that context's error.
func Differences(ctx context.Context, p *Problem) (*Leaves, error) {
	return elementwise(ctx, p, func(h int) probe {
		s := headOf(p, h, asPlain)
		leaves := s.leaves()
		return func(leaf, i int) float64 {
			x := &leaves[leaf][i]
			middle := *x
			slope := stencil(stepSize, func(by float64) float64 {
				*x = middle + plain(by)
				return float64(s.objective())
			})
			*x = middle
			return slope
		}
	})
}

// DirectionalDifference is the derivative of L along one direction by central
// differences. The step is taken along the direction scaled to length 1: along
// many elements at once L bends at every order, and a longer step would leave
// the range where stepSize holds.
func DirectionalDifference(p *Problem, along *Leaves) (float64, error) {
	if err := checkDirection(p, along); err != nil {
		return 0, err
	}
	length := norm(along)
	if length == 0 {
		return 0, errors.New("take difference: the direction has length 0; give one that is not zero")
	}
	slope := stencil(stepSize/length, func(by float64) float64 {
		return displaced(p, along, by).objective()
	})
	return slope, nil
}

// stencil is the fourth-order central difference of f at 0.
func stencil(h float64, f func(by float64) float64) float64 {
	near := f(h) - f(-h)
	far := f(2*h) - f(-2*h)
	return (8*near - far) / (12 * h)
}

// displaced is the problem with its inputs moved by a multiple of a direction.
func displaced(p *Problem, along *Leaves, by float64) *Problem {
	moved := *p
	moved.In = *NewLeaves(p.Shape)
	inputs, steps := p.In.Terms(), along.Terms()
	for i, term := range moved.In.Terms() {
		for j := range term.Tensor.Data {
			term.Tensor.Data[j] = inputs[i].Tensor.Data[j] + by*steps[i].Tensor.Data[j]
		}
	}
	return &moved
}

// objective is L over all heads. It is not checked: a displaced log decay may
// lie a little above 0.
func (p *Problem) objective() float64 {
	sum := 0.0
	for h := range p.Heads() {
		sum += float64(headOf(p, h, asPlain).objective())
	}
	return sum
}

func norm(l *Leaves) float64 {
	sum := 0.0
	for _, term := range l.Terms() {
		for _, x := range term.Tensor.Data {
			sum += x * x
		}
	}
	return math.Sqrt(sum)
}
