package kda

import "fmt"

// Family is a range of log decays, the property that decides how much
// precision a kernel has left.
type Family string

// The families that a gate must cover.
const (
	Mild       Family = "mild"        // |L| <= 1 over a chunk: g in [-1/C, -1/(100 C)]
	Moderate   Family = "moderate"    // g in [-1, 0]
	Strong     Family = "strong"      // g in [-5, -0.1]
	VeryStrong Family = "very-strong" // g in [-8, -3]
)

// Range is the interval of log decays for chunks of the given rows. Mild decay
// keeps the terms visible that carry glast = exp(L): at L = -8 a whole missing
// term moves a gradient by 3e-4 of itself.
func (f Family) Range(chunk int) (lo, hi float64, err error) {
	switch f {
	case Mild:
		return -1 / float64(chunk), -0.01 / float64(chunk), nil
	case Moderate:
		return -1, 0, nil
	case Strong:
		return -5, -0.1, nil
	case VeryStrong:
		return -8, -3, nil
	}
	return 0, 0, fmt.Errorf("choose decay: unknown family %q; use %s, %s, %s or %s",
		string(f), Mild, Moderate, Strong, VeryStrong)
}

// Gates says how far the gates are free.
type Gates string

// The three ops that the form covers.
const (
	Channelwise Gates = ""    // b for each key channel, w for each value channel, g for each key channel
	KDA         Gates = "kda" // b and w are one scalar for each row
	GDN         Gates = "gdn" // as KDA, and g is one scalar for each row
)

// Case is a named problem made from a seed. Equal cases make equal problems on
// every machine.
type Case struct {
	Name    string
	Family  Family
	Gates   Gates
	Shape   Shape
	Scale   float64 // 0 stands for K^-0.5
	Seed    uint64
	NoState bool // the state before the first row is zero
	NoFinal bool // the gradient of the final state is zero
	ZeroKey bool // the middle row of every head has a key of zeros

	// Directions is 0 for a case small enough to differentiate by every
	// element, else the number of random directions to take in each leaf.
	Directions int
}

// Problem makes the problem. It returns an error for an unknown family or
// gates, or a shape that is not positive.
func (c Case) Problem() (*Problem, error) {
	if err := c.Shape.Check(); err != nil {
		return nil, fmt.Errorf("make case %s: %w", c.Name, err)
	}
	p := &Problem{
		Shape: c.Shape, Scale: c.Scale, In: *NewLeaves(c.Shape),
		DOut: NewTensor(c.Shape.valued()), DST: NewTensor(c.Shape.stateful()),
	}
	if err := c.fillGates(&p.In); err != nil {
		return nil, fmt.Errorf("make case %s: %w", c.Name, err)
	}
	newUniform(c.Seed, streamQ).unitRows(p.In.Q)
	newUniform(c.Seed, streamK).unitRows(p.In.K)
	newUniform(c.Seed, streamV).spread(p.In.V)
	newUniform(c.Seed, streamDOut).spread(p.DOut)
	if !c.NoState {
		newUniform(c.Seed, streamState).spread(p.In.State)
	}
	if !c.NoFinal {
		newUniform(c.Seed, streamDST).spread(p.DST)
	}
	if c.ZeroKey {
		for h := range p.Heads() {
			clear(p.In.K.head(h).Row(p.T / 2))
		}
	}
	return p, nil
}

// fillGates makes g from the family, b and w in [0.05, 0.95): away from 0 and
// 1, where a gate hides the term that it multiplies.
func (c Case) fillGates(in *Leaves) error {
	lo, hi, err := c.Family.Range(c.Shape.C)
	if err != nil {
		return err
	}
	g, b, w := newUniform(c.Seed, streamG), newUniform(c.Seed, streamB), newUniform(c.Seed, streamW)
	switch c.Gates {
	case Channelwise:
		g.fill(in.G, lo, hi)
		b.fill(in.B, 0.05, 0.95)
		w.fill(in.W, 0.05, 0.95)
		return nil
	case KDA:
		g.fill(in.G, lo, hi)
	case GDN:
		g.scalarRows(in.G, lo, hi)
	default:
		return fmt.Errorf("choose gates: unknown %q; use %q, %q or none", string(c.Gates), KDA, GDN)
	}
	// One scalar beta serves both gates, so both draw the same stream.
	newUniform(c.Seed, streamB).scalarRows(in.B, 0.05, 0.95)
	newUniform(c.Seed, streamB).scalarRows(in.W, 0.05, 0.95)
	return nil
}
