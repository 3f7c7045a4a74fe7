package fused

import (
	"math"
	"slices"

	"gpuci/kernels/kda"
)

// Rounded is the problem that the kernels are given: every input, and the factor on
// q, rounded to float32. The oracle run on it differs from them by their own
// rounding only.
func Rounded(p *kda.Problem) *kda.Problem {
	r := &kda.Problem{Shape: p.Shape, Scale: float64(float32(scale(p))), In: p.In}
	for _, term := range r.In.Terms() {
		*term.Tensor = rounded(*term.Tensor)
	}
	r.DOut, r.DST = rounded(p.DOut), rounded(p.DST)
	return r
}

func rounded(t kda.Tensor) kda.Tensor {
	t.Data = slices.Clone(t.Data)
	for i, x := range t.Data {
		t.Data[i] = float64(float32(x))
	}
	return t
}

// scale is the factor on q with its default, K^-0.5, filled in.
func scale(p *kda.Problem) float64 {
	if p.Scale == 0 {
		return 1 / math.Sqrt(float64(p.K))
	}
	return p.Scale
}
