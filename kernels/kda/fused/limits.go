package fused

import (
	"fmt"
	"math"

	"gpuci/kernels/kda"
)

// maxHeads is the number of blocks that a grid has in y, in which the backward counts
// heads ("Technical Specifications per Compute Capability" in the CUDA C++ Programming
// Guide).
const maxHeads = 65535

// Fits returns an error when the fused kernels cannot be launched on a shape: a block of
// one would need more shared memory than [MaxShared], or there are more heads than a
// grid has blocks, or a head has more elements than an int counts.
func Fits(s kda.Shape) error {
	if err := s.Check(); err != nil {
		return err
	}
	if s.B > maxHeads || s.H > maxHeads || s.Heads() > maxHeads {
		return fmt.Errorf("fit shape: B*H is %d * %d; a launch takes %d heads: give fewer at once", s.B, s.H, maxHeads)
	}
	// Bounded first, so that no product below overflows.
	for _, n := range []int{s.T, s.K, s.V, s.C} {
		if n > math.MaxInt32 {
			return fmt.Errorf("fit shape: %d is beyond what a kernel counts in an int", n)
		}
	}
	for _, n := range []int{s.T * s.K, s.T * s.V, s.C * s.K, s.C * s.V, s.K * s.V, s.C * s.C} {
		if n > math.MaxInt32 {
			return fmt.Errorf("fit shape: a head has %d elements, more than a kernel counts in an int: give fewer rows", n)
		}
	}
	n := Shared(s)
	for _, k := range []struct {
		name  string
		bytes int
	}{{"kda_forward", n.Forward}, {"kda_bk2", n.Between}, {"kda_bk1", n.Inside}} {
		if k.bytes > MaxShared {
			return fmt.Errorf("fit shape: %s needs %d bytes of shared memory at C = %d, K = %d, V = %d; %d are there: give smaller chunks",
				k.name, k.bytes, s.C, s.K, s.V, MaxShared)
		}
	}
	return nil
}

// Floor is the least log decay of a row that counts: exp(-104) is 0 in float32. Both
// paths take what is below for it. The oracle does not: float64, in which it sums, loses
// a mild row behind one of 1e9 as float32 does behind one of 1e4.
const Floor = -104

// MaxNoise is how much of a decay between two rows the rounding of G, the sum of log
// decays since the chunk's beginning, may cost for the answer to be judged. The worst
// tensor is off by up to twice that, where the bar of strong decay is 2e-4.
const MaxNoise = 6e-5

// Cancelled is what float32 leaves of d_g where nearly all of it cancels: three roundings
// of 2^-24 of |q*dq| + |k*dk| + |b*db|. A difference within it says nothing about the
// kernels, however large it is beside a d_g that is next to nothing. [kda.Compare] judges
// so only what is below [kda.NearZero] of those terms, and a bar of 2e-4 is over 2e-7 of
// them from a thousandth on: one element in forty, where there is only one.
const Cancelled = 1.8e-7

// Holds returns an error when float32 does not hold the decays of a problem: a row
// that decays mildly stands behind rows of its chunk that decayed so strongly that G,
// which float32 knows to 2^-24 of itself, no longer has the mild one in it. With
// Floor that takes ten rows of exp(-100) or less in one chunk. A decay that is strong
// itself may be rounded as it likes: little is left by it.
func Holds(p *kda.Problem) error {
	for at := range p.Heads() * p.Chunks() {
		from := at/p.Chunks()*p.T + at%p.Chunks()*p.C
		to := min(from+p.C, (at/p.Chunks()+1)*p.T)
		for d := range p.K {
			sum := 0.0
			for r := from; r < to; r++ {
				g := max(p.In.G.Data[r*p.K+d], Floor)
				sum += g
				if noise := math.Exp(g) * -sum / (1 << 24); noise > MaxNoise {
					return fmt.Errorf("hold decays: row %d of head %d, channel %d, decays by exp(%.3g) after a sum of %.4g in its chunk, which float32 rounds to %.1g of it; %.1g is the most: give smaller chunks",
						r%p.T, r/p.T, d, g, sum-g, noise, MaxNoise)
				}
			}
		}
	}
	return nil
}
