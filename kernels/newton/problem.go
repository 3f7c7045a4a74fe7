package newton

import (
	"fmt"
	"math"
)

// The kernel's limits. It keeps two square float32 matrices of the shorter side
// in shared memory: 128 KiB at 128, of the 163 KiB that a block of sm_80 may
// have. The longer side is bounded by nothing but what it has been tried with.
const (
	MaxShorter = 128
	MaxLonger  = 256
)

// What float32 holds of the squares that a norm is made of. Beyond MaxNorm their sum
// would be infinite, and the whole answer zero; below about 1e-17 it loses them, which
// beside an eps of MinEpsilon is nothing. No gradient comes near either: the kernel does
// not spend a pass on scaling first, which Muon does not either.
const (
	MaxNorm    = 1e19
	MinEpsilon = 1e-10
)

// Shape says how large a batch is. Every field counts elements.
type Shape struct {
	N    int // matrices
	D    int // rows of each
	Cols int // columns of each
}

// Check returns an error for a field that is not positive, and for a side that
// the kernel does not hold.
func (s Shape) Check() error {
	if s.N < 1 || s.D < 1 || s.Cols < 1 {
		return fmt.Errorf("check shape: [%d, %d, %d] is empty; give at least 1 of each", s.N, s.D, s.Cols)
	}
	if s.shorter() > MaxShorter || s.longer() > MaxLonger {
		return fmt.Errorf("check shape: [%d, %d, %d] is too large; the shorter side is at most %d, the longer %d",
			s.N, s.D, s.Cols, MaxShorter, MaxLonger)
	}
	return nil
}

func (s Shape) shorter() int { return min(s.D, s.Cols) }
func (s Shape) longer() int  { return max(s.D, s.Cols) }

// size is the number of elements of one matrix.
func (s Shape) size() int { return s.D * s.Cols }

// Quintic is the polynomial a s + b s^3 + c s^5 of one step.
type Quintic struct{ A, B, C float64 }

// Steps is how often the polynomial is applied.
const Steps = 5

// Muon gives the coefficients of Muon, chosen there for the steepest slope at 0
// that keeps large singular values near 1.
func Muon() Quintic { return Quintic{A: 3.4445, B: -4.7750, C: 2.0315} }

// Epsilon is what Muon adds to the norm, so that a matrix of zeros stays one.
const Epsilon = 1e-7

// Problem is a batch with the numbers of the iteration.
type Problem struct {
	Shape
	Quintic
	Eps float64   // added to each norm
	X   []float64 // [N,D,Cols]
}

// Check returns an error for a shape the kernel does not take, data of another
// size, a value that is not finite, a matrix beyond [MaxNorm] and an eps below
// [MinEpsilon].
func (p *Problem) Check() error {
	if err := p.Shape.Check(); err != nil {
		return err
	}
	if want := p.N * p.size(); len(p.X) != want {
		return fmt.Errorf("check problem: x has %d values; give %d for [%d, %d, %d]", len(p.X), want, p.N, p.D, p.Cols)
	}
	for i, x := range p.X {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return fmt.Errorf("check problem: x at %d is %v; give finite values", i, x)
		}
	}
	if !(p.Eps >= MinEpsilon) || math.IsInf(p.Eps, 0) {
		return fmt.Errorf("check problem: eps is %v; give a finite number from %g on, or a small matrix has no norm", p.Eps, MinEpsilon)
	}
	for i := range p.N {
		if norm := (matrix{p.D, p.Cols, p.Matrix(p.X, i)}).norm(); !(norm <= MaxNorm) {
			return fmt.Errorf("check problem: matrix %d has a norm of %.3g, of which float32 has no square; scale it to at most %g", i, norm, MaxNorm)
		}
	}
	return nil
}

// Rounded is the problem as a float32 kernel gets it. The reference has to run
// on this one, so that only the kernel's own rounding is measured.
func (p *Problem) Rounded() *Problem {
	near := func(x float64) float64 { return float64(float32(x)) }
	r := &Problem{Shape: p.Shape, Quintic: Quintic{near(p.A), near(p.B), near(p.C)}, Eps: near(p.Eps)}
	for _, x := range p.X {
		r.X = append(r.X, near(x))
	}
	return r
}

// Matrix is matrix i of a batch laid out as this problem's, sharing memory.
func (p *Problem) Matrix(batch []float64, i int) []float64 {
	return batch[i*p.size() : (i+1)*p.size()]
}
