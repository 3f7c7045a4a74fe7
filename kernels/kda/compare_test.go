package kda

import (
	"math"
	"strings"
	"testing"
)

func flat(xs ...float64) Tensor {
	return Tensor{Dims: [4]int{1, 1, 2, len(xs) / 2}, Data: xs}
}

func TestCompareFindsTheWorst(t *testing.T) {
	r := must(Compare("d_q", flat(1, 2, 3, 4.5, 5, 8), flat(1, 2, 3, 4, 5, -10), 0))(t)
	if r.Compared != 6 || r.NaNs != 0 || r.Worst != [4]int{0, 0, 1, 2} || r.Got != 8 || r.Want != -10 {
		t.Errorf("report is %+v", r)
	}
	if r.MaxRel != 1.8 || r.Scale != 10 {
		t.Errorf("max-rel %v on scale %v, want 1.8 on 10", r.MaxRel, r.Scale)
	}
	want := math.Sqrt((0.25 + 324) / (1 + 4 + 9 + 16 + 25 + 100))
	if math.Abs(r.RMSRel-want) > 1e-15 {
		t.Errorf("rms %v, want %v", r.RMSRel, want)
	}
	if !r.Within(1.8) || r.Within(1.79) {
		t.Error("1.8 is within 1.8 and not within 1.79")
	}
}

func TestCompareNeverPassesNaN(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	tests := map[string][2]Tensor{
		"got NaN":   {flat(1, nan), flat(1, 2)},
		"want NaN":  {flat(1, 2), flat(1, nan)},
		"both NaN":  {flat(1, nan), flat(1, nan)},
		"got inf":   {flat(1, inf), flat(1, 2)},
		"want inf":  {flat(1, 2), flat(1, -inf)},
		"both inf":  {flat(1, inf), flat(1, inf)},
		"zero want": {flat(0, nan), flat(0, 0)},
	}
	for name, pair := range tests {
		r := must(Compare(name, pair[0], pair[1], 1))(t)
		if r.NaNs != 1 || !math.IsNaN(r.MaxRel) || r.Within(math.Inf(1)) {
			t.Errorf("%s: %v", name, r)
		}
		if r.Worst != [4]int{0, 0, 1, 0} {
			t.Errorf("%s: worst at %v, want the element that is not finite", name, r.Worst)
		}
	}
}

func TestCompareOfNothingIsAnError(t *testing.T) {
	empty := NewTensor([4]int{1, 0, 3, 3})
	if _, err := Compare("d_k", empty, empty, 1); err == nil || !strings.Contains(err.Error(), "no elements") {
		t.Errorf("empty tensors: error %v", err)
	}
	if _, err := Compare("d_k", flat(1, 2), flat(1, 2, 3, 4), 1); err == nil || !strings.Contains(err.Error(), "equal shapes") {
		t.Errorf("unequal tensors: error %v", err)
	}
	if (Report{}).Within(1) {
		t.Error("a report of nothing is within a bar")
	}
}

func TestCompareNearZero(t *testing.T) {
	got, want := flat(3e-17, 0), flat(0, 0)
	if r := must(Compare("d_g", got, want, 2))(t); r.MaxRel != 1.5e-17 || r.Scale != 2 {
		t.Errorf("zero reference with terms of 2: %v", r)
	}
	if r := must(Compare("d_g", got, want, 0))(t); !math.IsInf(r.MaxRel, 1) {
		t.Errorf("zero reference with no terms: %v", r)
	}
	if r := must(Compare("d_g", want, want, 0))(t); r.MaxRel != 0 || !r.Within(0) {
		t.Errorf("zero on zero: %v", r)
	}
	// A reference that is small but real keeps its own scale.
	if r := must(Compare("d_g", flat(1.1e-6, 0), flat(1e-6, 0), 2))(t); r.Scale != 1e-6 {
		t.Errorf("small reference: %v", r)
	}
}
