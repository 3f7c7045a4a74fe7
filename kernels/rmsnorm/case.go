package rmsnorm

import (
	"fmt"
	"math"
	"math/rand/v2"

	"gpuci/kernels/seed"
)

// Epsilon is the eps of the cases, as in Llama's configurations.
const Epsilon = 1e-6

// Case is a named problem made from a seed. Equal cases make equal problems on
// every machine.
type Case struct {
	Name  string
	Shape Shape
	Seed  uint64

	// Scale is the root mean square of row 0. Row r has that of row 0 times 4^(r
	// mod 4), so that a mean over other rows is wrong for each.
	Scale float64

	Zero bool // the middle row is zero
}

// Cases lists what the kernel is judged on: one row and many, one element and
// 8,192, lengths beside the 256 threads of a block, more rows than the 32 of a
// partial sum, rows so small that eps decides, and a row of zeros.
func Cases() []Case {
	cases := []Case{
		{Name: "one-element", Shape: Shape{1, 1}, Scale: 1e-3}, // d_x of a row of one is what eps leaves of it
		{Name: "one-row", Shape: Shape{1, 300}, Scale: 1},
		{Name: "one-column", Shape: Shape{70, 1}, Scale: 1e-3},
		{Name: "short", Shape: Shape{9, 7}, Scale: 1},
		{Name: "block-less-one", Shape: Shape{5, 255}, Scale: 1},
		{Name: "block", Shape: Shape{33, 256}, Scale: 1},
		{Name: "block-and-one", Shape: Shape{32, 257}, Scale: 1},
		{Name: "tiles", Shape: Shape{97, 100}, Scale: 1},
		{Name: "small", Shape: Shape{12, 129}, Scale: 1e-4}, // mean square 1e-8 under an eps of 1e-6
		{Name: "near-eps", Shape: Shape{12, 384}, Scale: 1e-3},
		{Name: "large", Shape: Shape{6, 640}, Scale: 1e4},
		{Name: "zero-row", Shape: Shape{7, 130}, Scale: 1e-3, Zero: true},
		{Name: "model", Shape: Shape{40, 2048}, Scale: 1},
		{Name: "longest", Shape: Shape{3, 8192}, Scale: 1},
		{Name: "long-odd", Shape: Shape{3, 8191}, Scale: 0.01},
	}
	for i := range cases {
		cases[i].Seed = seed.Of(cases[i].Name)
	}
	return cases
}

// Problem makes the problem. It returns an error for a shape that the kernel
// does not take.
func (c Case) Problem() (*Problem, error) {
	if err := c.Shape.Check(); err != nil {
		return nil, fmt.Errorf("make case %s: %w", c.Name, err)
	}
	count := c.Shape.Rows * c.Shape.D
	p := &Problem{
		Shape: c.Shape, Eps: Epsilon,
		X: spread(c.Seed, 1, count), Weight: spread(c.Seed, 2, c.Shape.D), DY: spread(c.Seed, 3, count),
	}
	if p.D == 1 {
		// The one sum over the rows must not vanish by chance: a difference would
		// be large beside it.
		for i := range p.X {
			p.X[i], p.DY[i] = math.Abs(p.X[i]), math.Abs(p.DY[i])
		}
	}
	for r := range p.Rows {
		scale := c.Scale * math.Ldexp(1, 2*(r%4))
		if c.Zero && r == p.Rows/2 {
			scale = 0
		}
		row := p.row(p.X, r)
		for i := range row {
			row[i] *= scale
		}
	}
	for i := range p.Weight {
		p.Weight[i] = 1 + 0.25*p.Weight[i] // around 1, as trained weights are
	}
	return p, nil
}

// spread is a reproducible row of numbers of mean 0 and variance 1: PCG-DXSM
// seeded with (seed, stream), the top 53 bits of each output divided by 2^53.
func spread(seed, stream uint64, count int) []float64 {
	pcg := rand.NewPCG(seed, stream)
	xs := make([]float64, count)
	for i := range xs {
		unit := float64(pcg.Uint64()>>11) / (1 << 53)
		xs[i] = math.Sqrt(3) * (2*unit - 1)
	}
	return xs
}
