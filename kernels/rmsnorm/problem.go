package rmsnorm

import (
	"fmt"
	"math"
)

// MaxD is the longest row the kernel has been tried with; nothing in it depends
// on the number.
const MaxD = 8192

// What float32 holds of the squares and products of a row. Beyond MaxNorm the sum of a
// row's squares would be infinite, and its y zero. With weights and gradients up to
// MaxFactor, and 1/sqrt(eps) up to 1e6, no sum of any pass comes near 3e38: the largest,
// 8,192 products of both and of a normalised element of up to 91, is 1e26. No model
// comes near either, and the kernels do not spend a pass on scaling first.
const (
	MaxNorm    = 1e19
	MaxFactor  = 1e10
	MinEpsilon = 1e-12
)

// Shape says how large a problem is.
type Shape struct {
	Rows int // rows that are normalised on their own
	D    int // elements of each
}

// Check returns an error for a field that is not positive, and for rows beyond
// [MaxD].
func (s Shape) Check() error {
	if s.Rows < 1 || s.D < 1 {
		return fmt.Errorf("check shape: [%d, %d] is empty; give at least 1 of each", s.Rows, s.D)
	}
	if s.D > MaxD {
		return fmt.Errorf("check shape: rows of %d; give at most %d", s.D, MaxD)
	}
	return nil
}

// Problem is one instance with everything that both passes read.
type Problem struct {
	Shape
	Eps    float64   // added to the mean square, under the root
	X      []float64 // [Rows,D]
	Weight []float64 // [D]
	DY     []float64 // gradient of y [Rows,D]
}

// Check returns an error for a shape the kernel does not take, data of another
// size, a value that is not finite, and what is beyond [MaxNorm], [MaxFactor] and
// [MinEpsilon].
func (p *Problem) Check() error {
	if err := p.Shape.Check(); err != nil {
		return err
	}
	if !(p.Eps >= MinEpsilon) || math.IsInf(p.Eps, 0) {
		return fmt.Errorf("check problem: eps is %v; give a finite number from %g on, or a row of zeros has no inverse", p.Eps, MinEpsilon)
	}
	for _, tensor := range []struct {
		name  string
		data  []float64
		count int
		most  float64
	}{{"x", p.X, p.Rows * p.D, MaxNorm}, {"weight", p.Weight, p.D, MaxFactor}, {"dY", p.DY, p.Rows * p.D, MaxFactor}} {
		if len(tensor.data) != tensor.count {
			return fmt.Errorf("check problem: %s has %d values; give %d", tensor.name, len(tensor.data), tensor.count)
		}
		for i, x := range tensor.data {
			if math.IsNaN(x) || math.IsInf(x, 0) {
				return fmt.Errorf("check problem: %s at %d is %v; give finite values", tensor.name, i, x)
			}
			if math.Abs(x) > tensor.most {
				return fmt.Errorf("check problem: %s at %d is %v; the kernels take up to %g", tensor.name, i, x, tensor.most)
			}
		}
	}
	for r := range p.Rows {
		squares := 0.0
		for _, x := range p.row(p.X, r) {
			squares += x * x
		}
		if norm := math.Sqrt(squares); norm > MaxNorm {
			return fmt.Errorf("check problem: row %d of x has a norm of %.3g, of which float32 has no square; scale it to at most %g", r, norm, MaxNorm)
		}
	}
	return nil
}

// Rounded is the problem as a float32 kernel gets it. The reference has to run
// on this one, so that only the kernel's own rounding is measured.
func (p *Problem) Rounded() *Problem {
	return &Problem{
		Shape: p.Shape, Eps: float64(float32(p.Eps)),
		X: rounded(p.X), Weight: rounded(p.Weight), DY: rounded(p.DY),
	}
}

func rounded(xs []float64) []float64 {
	near := make([]float64, len(xs))
	for i, x := range xs {
		near[i] = float64(float32(x))
	}
	return near
}
