package verify

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gpuci/kernels/kda"
)

// TestTable: rows of one family, number of chunks and term become one, with the worse of
// both and all that was compared; a NaN is worse than anything.
func TestTable(t *testing.T) {
	var x table
	x.add("mild", 2, "a", kda.Report{Term: "out", Compared: 10, MaxRel: 1e-7, RMSRel: 3e-8, Got: 1})
	x.add("mild", 2, "b", kda.Report{Term: "out", Compared: 5, MaxRel: 2e-7, RMSRel: 1e-8, Got: 2})
	x.add("mild", 4, "c", kda.Report{Term: "out", Compared: 1, NaNs: 1, MaxRel: math.NaN(), RMSRel: math.NaN()})
	x.add("mild", 4, "d", kda.Report{Term: "out", Compared: 1, MaxRel: 9, RMSRel: 9})
	x.add("mild", 2, "a", kda.Report{Term: "d_q", Compared: 7})
	var got []string
	for _, n := range x.numbers(true) {
		got = append(got, Report{Numbers: []Number{n}}.Lines()...)
	}
	want := []string{
		"gpuci:metric name=mild-rel value=2e-07 term=out chunks=2",
		"gpuci:metric name=mild-rel value=NaN term=out chunks=4 at=[0,0,0,0] case=c see=fused-bounds,fused-uninit",
		"gpuci:metric name=mild-rel value=0 term=d_q chunks=2",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	first := x.rows[0]
	if first.Case != "b" || first.Compared != 15 || first.RMSRel != 3e-8 || x.rows[1].NaNs != 1 {
		t.Errorf("%+v", x.rows)
	}
	if f := byFamily(x.rows); len(f) != 2 || f[0].Compared != 17 || f[0].NaNs != 1 || !math.IsNaN(float64(f[0].MaxRel)) {
		t.Errorf("%+v", f)
	}
}

// TestJudge: a bar without a number, a NaN and nothing at all are no passes.
func TestJudge(t *testing.T) {
	at := func(v float64) Number { return Number{Name: "x", Value: Real(v), Labels: []Label{{"term", "d_g"}}} }
	for _, c := range []struct {
		r                Report
		crossed, unknown string
	}{
		{Report{Cases: 1, Numbers: []Number{at(2)}, bars: []Bar{{"x", 1, 2}}}, "", ""},
		{Report{Cases: 1, Numbers: []Number{at(1), at(2.5)}, bars: []Bar{{"x", 1, 2}}}, "x term=d_g is 2.5, at most 2 is right", ""},
		{Report{Cases: 1, Numbers: []Number{at(0)}, bars: []Bar{{"x", 1, 2}}}, "x term=d_g is 0, at least 1 is right", ""},
		{Report{Cases: 1, Numbers: []Number{at(math.NaN())}, bars: []Bar{{"x", 1, 2}}}, "", "x term=d_g is NaN"},
		{Report{Cases: 1, Numbers: []Number{at(math.Inf(1))}, bars: []Bar{{"x", 1, 2}}}, "x term=d_g is +Inf, at most 2 is right", ""},
		{Report{Cases: 1, bars: []Bar{{"x", 1, 2}}}, "", "there is no x"},
		{Report{Cases: 1, partial: true, Numbers: []Number{at(1)}, bars: []Bar{{"x", 1, 2}, {"y", 1, 2}}}, "", ""},
		{Report{Cases: 1, partial: true, bars: []Bar{{"x", 1, 2}, {"y", 1, 2}}}, "", "there is no x; there is no y"},
		{Report{}, "", "no case was looked at"},
		{Report{Cases: 1, Failures: []Failure{{"a", "died"}}}, "case a: died", ""},
	} {
		j := c.r.Judge()
		if got := strings.Join(j.Crossed, "; "); got != c.crossed {
			t.Errorf("%+v: crossed %q, want %q", c.r, got, c.crossed)
		}
		if got := strings.Join(j.Unknown, "; "); got != c.unknown {
			t.Errorf("%+v: unknown %q, want %q", c.r, got, c.unknown)
		}
	}
}

// TestRealInJSON: JSON has no NaN.
// TestRealText: bytes are held against a bar to the last one.
func TestRealText(t *testing.T) {
	for want, r := range map[string]Real{"353107968": 353107968, "0": 0, "-3": -3, "0.252528": 0.2525281, "1e+300": 1e300, "NaN": Real(math.NaN()), "+Inf": Real(math.Inf(1))} {
		if r.String() != want {
			t.Errorf("%s, not %s", r, want)
		}
	}
}

func TestRealInJSON(t *testing.T) {
	text, err := json.Marshal([]Real{1.5, Real(math.NaN()), Real(math.Inf(-1))})
	if err != nil || string(text) != "[1.5,null,null]" {
		t.Errorf("%s, %v", text, err)
	}
}

// TestRowwise: each row counts by its own scale, and a NaN by none.
func TestRowwise(t *testing.T) {
	want := []float64{1000, 2000, 1, 2}
	r := rowwise("x", []float64{1000, 2001, 1, 2.1}, want, 2, largest(want, 2))
	if math.Abs(r.MaxRel-0.05) > 1e-9 || r.Worst != [4]int{0, 0, 1, 1} || r.Compared != 4 || r.NaNs != 0 {
		t.Errorf("%+v", r)
	}
	r = rowwise("x", []float64{1000, 2000, math.NaN(), 2}, want, 2, largest(want, 2))
	if !math.IsNaN(r.MaxRel) || r.NaNs != 1 || r.Worst != [4]int{0, 0, 1, 0} {
		t.Errorf("%+v", r)
	}
	if r = rowwise("x", []float64{0, 0, 0, 1e-30}, make([]float64, 4), 2, make([]float64, 2)); !math.IsInf(r.MaxRel, 1) {
		t.Errorf("next to nothing for 0 is %v", r.MaxRel)
	}
	if r = rowwise("x", make([]float64, 4), make([]float64, 4), 2, make([]float64, 2)); r.MaxRel != 0 || r.RMSRel != 0 {
		t.Errorf("0 for 0 is %v", r.MaxRel)
	}
}

func TestNamed(t *testing.T) {
	if _, err := Named([]string{"fused-adjoint", "fused-adjont"}); err == nil || !strings.Contains(err.Error(), `no check "fused-adjont"`) {
		t.Errorf("%v", err)
	}
	for _, c := range Checks() {
		if list, err := Named([]string{c.Name}); err != nil || len(list) != 1 || list[0].Name != c.Name || len(c.Bars) == 0 || len(c.Programs) == 0 {
			t.Errorf("%s: %v, %v", c.Name, list, err)
		}
	}
}
