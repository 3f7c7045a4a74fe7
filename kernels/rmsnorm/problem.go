package rmsnorm

import (
	"fmt"
	"math"
)

// MaxD is the longest row the kernel has been tried with; nothing in it depends
// on the number.
const MaxD = 8192

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
// size, and a value that is not finite.
func (p *Problem) Check() error {
	if err := p.Shape.Check(); err != nil {
		return err
	}
	if !(p.Eps > 0) || math.IsInf(p.Eps, 0) {
		return fmt.Errorf("check problem: eps is %v; give a positive number, or a row of zeros has no inverse", p.Eps)
	}
	for _, tensor := range []struct {
		name  string
		data  []float64
		count int
	}{{"x", p.X, p.Rows * p.D}, {"weight", p.Weight, p.D}, {"dY", p.DY, p.Rows * p.D}} {
		if len(tensor.data) != tensor.count {
			return fmt.Errorf("check problem: %s has %d values; give %d", tensor.name, len(tensor.data), tensor.count)
		}
		for i, x := range tensor.data {
			if math.IsNaN(x) || math.IsInf(x, 0) {
				return fmt.Errorf("check problem: %s at %d is %v; give finite values", tensor.name, i, x)
			}
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
