package kda

import (
	"fmt"
	"math"
)

// Problem is one instance of the op with everything its forward and backward
// passes read.
type Problem struct {
	Shape
	Scale float64 // factor on q; 0 stands for K^-0.5
	In    Leaves
	DOut  Tensor // gradient of the output, dOut [B,H,T,V]
	DST   Tensor // gradient of the final state, dS_T [B,H,K,V]
}

// Output is what the forward pass gives.
type Output struct {
	Out   Tensor // [B,H,T,V]
	Final Tensor // state after the last row, S_T [B,H,K,V]
}

// Check returns an error for a shape that is not positive, a tensor of another
// shape, a value that is not finite, or a log decay above 0.
func (p *Problem) Check() error {
	if err := p.Shape.Check(); err != nil {
		return err
	}
	want := NewLeaves(p.Shape).Terms()
	for i, term := range p.In.Terms() {
		if err := term.Tensor.check(term.Name, want[i].Tensor.Dims); err != nil {
			return err
		}
	}
	if err := p.DOut.check("dOut", p.valued()); err != nil {
		return err
	}
	if err := p.DST.check("dS_T", p.stateful()); err != nil {
		return err
	}
	return p.checkDecay()
}

// checkDecay refuses growth: the pairwise exponential of the chunk form is
// bounded by 1 only while every log decay is at most 0.
func (p *Problem) checkDecay() error {
	for i, g := range p.In.G.Data {
		if g > 0 {
			return fmt.Errorf("check problem: g%v is %v; a log decay is at most 0", p.In.G.Place(i), g)
		}
	}
	if math.IsNaN(p.Scale) || math.IsInf(p.Scale, 0) {
		return fmt.Errorf("check problem: scale is %v; give a finite number, or 0 for K^-0.5", p.Scale)
	}
	return nil
}

func (t *Tensor) check(name string, dims [4]int) error {
	if t.Dims != dims || len(t.Data) != count(dims) {
		return fmt.Errorf("check problem: %s is %v with %d values; give %v with %d",
			name, t.Dims, len(t.Data), dims, count(dims))
	}
	for i, x := range t.Data {
		if !finite(x) {
			return fmt.Errorf("check problem: %s%v is %v; give finite values", name, t.Place(i), x)
		}
	}
	return nil
}

// scale is the factor on q with its default filled in.
func (p *Problem) scale() float64 {
	if p.Scale == 0 {
		return 1 / math.Sqrt(float64(p.K))
	}
	return p.Scale
}

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

func abs(x float64) float64 { return math.Abs(x) }
