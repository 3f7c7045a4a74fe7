package newton

import (
	"fmt"
	"math"
	"math/rand/v2"

	"gpuci/kernels/seed"
)

// Kind is what the matrices of a case look like, which decides how far the
// iteration amplifies rounding.
type Kind string

// The kinds that a gate must cover.
const (
	Full  Kind = "full"  // independent elements, all singular values of one order when d and cols differ
	Steep Kind = "steep" // full, row r scaled by 1e-3^(r/(d-1)): singular values over three decades
	Low   Kind = "low"   // half the rank: what is 0 stays 0, but for rounding
	Tiny  Kind = "tiny"  // full, with a norm of about eps, which eps halves
)

// Bar is what a kernel's largest difference from the reference may be, relative to
// the largest element of the matrix: ten times the worst of 40 seeds, 3 of the largest, of
// each of [Cases]. Five quintic steps magnify a small singular value by up to 3.4445^5 =
// 485, so rounding of 6e-8 where the value is 0 ends at 1.2e-5 of a matrix of low
// rank; where every value is raised to 1 and turned towards it, at 3e-6.
func (k Kind) Bar() float64 {
	if k == Low {
		return 1.2e-4
	}
	return 3e-5
}

// Case is a named problem made from a seed. Equal cases make equal problems on
// every machine.
type Case struct {
	Name  string
	Kind  Kind
	Shape Shape
	Seed  uint64
	Zero  bool // the middle matrix of the batch is zero
}

// Cases lists what the kernel is judged on: both orientations and square ones,
// sides that are no multiple of the kernel's patch of 4 and of its 256 threads,
// one matrix and several, one row, one column and one element, the largest
// shape, and each kind. Where a batch has several matrices their norms differ by
// powers of 16, so that a norm taken over all of them is wrong for each.
func Cases() []Case {
	cases := []Case{
		{Name: "one-element", Kind: Full, Shape: Shape{3, 1, 1}},
		{Name: "one-row", Kind: Full, Shape: Shape{2, 1, 9}},
		{Name: "one-column", Kind: Full, Shape: Shape{2, 9, 1}},
		{Name: "one-matrix", Kind: Full, Shape: Shape{1, 12, 20}},
		{Name: "wide", Kind: Full, Shape: Shape{5, 13, 30}},
		{Name: "tall", Kind: Full, Shape: Shape{5, 30, 13}},
		{Name: "square", Kind: Full, Shape: Shape{3, 16, 16}},
		{Name: "wide-steep", Kind: Steep, Shape: Shape{3, 17, 33}},
		{Name: "tall-steep", Kind: Steep, Shape: Shape{3, 33, 17}},
		{Name: "low", Kind: Low, Shape: Shape{3, 14, 22}},
		{Name: "tiny", Kind: Tiny, Shape: Shape{3, 10, 15}},
		{Name: "zero", Kind: Full, Shape: Shape{3, 7, 11}, Zero: true},
		{Name: "heads", Kind: Full, Shape: Shape{4, 64, 64}},
		{Name: "largest", Kind: Full, Shape: Shape{1, 128, 256}},
		{Name: "largest-tall", Kind: Steep, Shape: Shape{1, 255, 127}},
	}
	for i := range cases {
		cases[i].Seed = seed.Of(cases[i].Name)
	}
	return cases
}

// Problem makes the problem. It returns an error for an unknown kind and a
// shape that the kernel does not take.
func (c Case) Problem() (*Problem, error) {
	if err := c.Shape.Check(); err != nil {
		return nil, fmt.Errorf("make case %s: %w", c.Name, err)
	}
	p := &Problem{Shape: c.Shape, Quintic: Muon(), Eps: Epsilon, X: make([]float64, c.Shape.N*c.Shape.size())}
	source := uniform{rand.NewPCG(c.Seed, 1)}
	for i := range p.N {
		x := p.Matrix(p.X, i)
		if err := c.fill(source, x); err != nil {
			return nil, fmt.Errorf("make case %s: %w", c.Name, err)
		}
		scale := math.Ldexp(1, 4*(i%5)-4)
		if c.Zero && i == p.N/2 {
			scale = 0
		}
		for j := range x {
			x[j] *= scale
		}
	}
	return p, nil
}

// fill makes one matrix of a norm of about sqrt(D*Cols), or eps when tiny.
func (c Case) fill(source uniform, x []float64) error {
	d, cols := c.Shape.D, c.Shape.Cols
	switch c.Kind {
	case Full:
		source.spread(x)
	case Steep:
		source.spread(x)
		for i := range x {
			x[i] *= math.Pow(1e-3, float64(i/cols)/float64(max(d-1, 1)))
		}
	case Low:
		rank := max(c.Shape.shorter()/2, 1)
		left, right := matrix{d, rank, make([]float64, d*rank)}, matrix{rank, cols, make([]float64, rank*cols)}
		source.spread(left.data)
		source.spread(right.data)
		copy(x, left.mul(right).data)
	case Tiny:
		source.spread(x)
		for i := range x {
			x[i] *= Epsilon / math.Sqrt(float64(d*cols))
		}
	default:
		return fmt.Errorf("choose matrices: unknown kind %q; use %s, %s, %s or %s", string(c.Kind), Full, Steep, Low, Tiny)
	}
	return nil
}

// uniform is a reproducible source of numbers: PCG-DXSM, the top 53 bits of
// each output divided by 2^53.
type uniform struct{ pcg *rand.PCG }

// spread fills with numbers of mean 0 and variance 1.
func (u uniform) spread(xs []float64) {
	for i := range xs {
		unit := float64(u.pcg.Uint64()>>11) / (1 << 53)
		xs[i] = math.Sqrt(3) * (2*unit - 1)
	}
}
