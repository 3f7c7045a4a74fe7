package kda

import (
	"context"
	"fmt"
)

// Gradient differentiates L by every input element with forward-mode
// derivatives of the sequential form: one pass of the element's head for each
// element, with a tangent of 1 there and 0 elsewhere. Heads do not meet, so
// the other heads' share of that derivative is zero.
//
// The work is about T*K*V operations for each of the B*H*T*(4K+2V) elements; a
// done context ends it with that context's error.
func Gradient(ctx context.Context, p *Problem) (*Leaves, error) {
	return elementwise(ctx, p, func(h int) probe {
		s := headOf(p, h, constant)
		leaves := s.leaves()
		return func(leaf, i int) float64 {
			x := &leaves[leaf][i]
			x.eps = 1
			slope := s.objective().eps
			x.eps = 0
			return slope
		}
	})
}

// Directional is the derivative of L along one direction, the inner product
// of gradient and direction, found in one forward pass.
func Directional(p *Problem, along *Leaves) (float64, error) {
	if err := checkDirection(p, along); err != nil {
		return 0, err
	}
	step := &Problem{Shape: p.Shape, In: *along, DOut: NewTensor(p.valued()), DST: NewTensor(p.stateful())}
	sum := 0.0
	for h := range p.Heads() {
		s := headOf(p, h, constant)
		slopes := headOf(step, h, asPlain).leaves()
		for leaf, xs := range s.leaves() {
			for i := range xs {
				xs[i].eps = float64(slopes[leaf][i])
			}
		}
		sum += s.objective().eps
	}
	return sum, nil
}

// probe differentiates the share of one head by element i of one leaf, both
// counted in the order of [Leaves.Terms].
type probe func(leaf, i int) float64

// elementwise fills a gradient element by element; open makes the probe of a
// head.
func elementwise(ctx context.Context, p *Problem, open func(h int) probe) (*Leaves, error) {
	if err := p.Check(); err != nil {
		return nil, err
	}
	grad := NewLeaves(p.Shape)
	for h := range p.Heads() {
		slope := open(h)
		for leaf, term := range grad.Terms() {
			size := len(term.Tensor.Data) / p.Heads()
			for i := range size {
				if err := ctx.Err(); err != nil {
					return nil, fmt.Errorf("differentiate head %d: %w", h, err)
				}
				term.Tensor.Data[h*size+i] = slope(leaf, i)
			}
		}
	}
	return grad, nil
}

func checkDirection(p *Problem, along *Leaves) error {
	if err := p.Check(); err != nil {
		return err
	}
	inputs := p.In.Terms()
	for i, term := range along.Terms() {
		if err := term.Tensor.check("direction "+term.Name, inputs[i].Tensor.Dims); err != nil {
			return err
		}
	}
	return nil
}
