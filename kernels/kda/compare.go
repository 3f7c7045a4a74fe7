package kda

import (
	"fmt"
	"math"
)

// NearZero is the share of its sum of magnitudes below which a reference is
// taken for zero. Adding 4096 float32 terms in another order moves the sum by
// 4e-8 of the sum of their magnitudes, so a smaller sum says nothing about the
// kernel that made it.
const NearZero = 4e-8

// Report says how far one tensor is from its reference.
type Report struct {
	Term     string
	Compared int     // elements compared, never 0
	NaNs     int     // elements that are not finite on either side
	MaxRel   float64 // max|diff| / Scale; NaN when NaNs > 0
	RMSRel   float64 // rms(diff) / rms(reference); NaN when NaNs > 0
	Scale    float64 // max|reference|, or the sum of magnitudes when that is near zero
	Worst    [4]int  // where |diff| is largest, or the first element that is not finite
	Got      float64 // value there
	Want     float64 // reference there
}

// Within says whether every element was finite and MaxRel is at most bar.
func (r Report) Within(bar float64) bool {
	return r.Compared > 0 && r.NaNs == 0 && r.MaxRel <= bar
}

// String is one line for a test's failure text.
func (r Report) String() string {
	return fmt.Sprintf("%s: max-rel %.3g, rms %.3g, worst at %v (got %v, want %v), scale %.3g, %d compared, %d not finite",
		r.Term, r.MaxRel, r.RMSRel, r.Worst, r.Got, r.Want, r.Scale, r.Compared, r.NaNs)
}

// Compare holds a tensor against its reference. The differences are taken
// relative to the reference's largest magnitude; if that is below [NearZero]
// of magnitude, the sum of magnitudes of the terms that cancel in the
// reference, they are taken relative to magnitude instead. With a scale of 0
// only equal values pass: any difference is infinitely large.
//
// It returns an error when the dimensions differ or there is nothing to
// compare.
func Compare(term string, got, want Tensor, magnitude float64) (Report, error) {
	r := Report{Term: term, Compared: len(want.Data), Scale: want.largest()}
	if got.Dims != want.Dims || len(got.Data) != len(want.Data) {
		return r, fmt.Errorf("compare %s: %v with %d values against %v with %d; give equal shapes",
			term, got.Dims, len(got.Data), want.Dims, len(want.Data))
	}
	if r.Compared == 0 {
		return r, fmt.Errorf("compare %s: no elements; a comparison of nothing proves nothing", term)
	}
	near := r.Scale < NearZero*magnitude
	if near {
		r.Scale = magnitude
	}
	r.measure(got, want, near)
	return r, nil
}

// measure finds the worst element and both ratios.
func (r *Report) measure(got, want Tensor, near bool) {
	top, squares, reference := -1.0, 0.0, 0.0
	for i, w := range want.Data {
		diff := got.Data[i] - w
		if !finite(got.Data[i]) || !finite(w) {
			diff = math.Inf(1)
			r.NaNs++
		}
		if abs(diff) > top {
			top = abs(diff)
			r.Worst, r.Got, r.Want = want.Place(i), got.Data[i], w
		}
		squares += diff * diff
		reference += w * w
	}
	if near {
		reference = r.Scale * r.Scale * float64(r.Compared)
	}
	r.MaxRel, r.RMSRel = ratio(top, r.Scale), ratio(math.Sqrt(squares), math.Sqrt(reference))
	if r.NaNs > 0 {
		r.MaxRel, r.RMSRel = math.NaN(), math.NaN()
	}
}

// ratio is diff/scale, where no difference from a scale of zero is none.
func ratio(diff, scale float64) float64 {
	if diff == 0 {
		return 0
	}
	return diff / scale
}

// CompareOutput reports on out and state of a forward pass.
func CompareOutput(got, want *Output) ([]Report, error) {
	out, err := Compare("out", got.Out, want.Out, 0)
	if err != nil {
		return nil, err
	}
	state, err := Compare("state", got.Final, want.Final, 0)
	return []Report{out, state}, err
}

// CompareGradients reports on the seven gradients of one problem, d_q to
// d_state.
//
// d_g is the one that can vanish while its terms do not: it is a difference of
// q*dq, k*dk and b*db, and exactly zero for a single row on a zero state. The
// sum of those magnitudes is what it is judged against then.
func CompareGradients(p *Problem, got, want *Leaves) ([]Report, error) {
	var reports []Report
	references := want.Terms()
	for i, term := range got.Terms() {
		magnitude := 0.0
		if term.Name == "g" {
			magnitude = decayMagnitude(&p.In, want)
		}
		r, err := Compare("d_"+term.Name, *term.Tensor, *references[i].Tensor, magnitude)
		if err != nil {
			return nil, err
		}
		reports = append(reports, r)
	}
	return reports, nil
}

// decayMagnitude is the largest |q*dq| + |k*dk| + |b*db| of any element.
func decayMagnitude(in, grad *Leaves) float64 {
	top := 0.0
	for i, q := range in.Q.Data {
		sum := abs(q*grad.Q.Data[i]) + abs(in.K.Data[i]*grad.K.Data[i]) + abs(in.B.Data[i]*grad.B.Data[i])
		top = max(top, sum)
	}
	return top
}
