package rmsnorm

import (
	"math"
	"strings"
	"testing"
)

// dual is a value with its derivative along one direction: val + eps*d, where
// d*d is 0.
type dual struct{ val, eps float64 }

func (x dual) plus(y dual) dual  { return dual{x.val + y.val, x.eps + y.eps} }
func (x dual) times(y dual) dual { return dual{x.val * y.val, x.eps*y.val + x.val*y.eps} }

// power is x to the p-th.
func (x dual) power(p float64) dual {
	return dual{math.Pow(x.val, p), p * math.Pow(x.val, p-1) * x.eps}
}

// objective is L = <dY, y> from the definition, over dual numbers.
func (p *Problem) objective(x, weight []dual) dual {
	var sum dual
	for r := range p.Rows {
		row := x[r*p.D : (r+1)*p.D]
		var squares dual
		for _, v := range row {
			squares = squares.plus(v.times(v))
		}
		mean := squares.times(dual{val: 1 / float64(p.D)})
		rstd := mean.plus(dual{val: p.Eps}).power(-0.5)
		for i, v := range row {
			sum = sum.plus(dual{val: p.DY[r*p.D+i]}.times(v.times(rstd).times(weight[i])))
		}
	}
	return sum
}

// TestGradient holds the gradient against dual numbers, element by element.
func TestGradient(t *testing.T) {
	for _, c := range Cases() {
		if c.Shape.Rows*c.Shape.D > 2000 {
			continue
		}
		t.Run(c.Name, func(t *testing.T) {
			p := must(c.Problem())(t)
			got := must(Normalise(p))(t)
			x, weight := constants(p.X), constants(p.Weight)
			slopes := func(of []dual) []float64 {
				var list []float64
				for i := range of {
					of[i].eps = 1
					list = append(list, p.objective(x, weight).eps)
					of[i].eps = 0
				}
				return list
			}
			if diff := worst(got.DX, slopes(x)); !(diff <= 1e-12) {
				t.Errorf("d_x is off by %g", diff)
			}
			if diff := worst(got.DWeight, slopes(weight)); !(diff <= 1e-12) {
				t.Errorf("d_weight is off by %g", diff)
			}
		})
	}
}

// TestRows: every row has a mean square of 1 before the weight, but for eps.
func TestRows(t *testing.T) {
	for _, c := range Cases() {
		p := must(c.Problem())(t)
		o := must(Normalise(p))(t)
		for r := range p.Rows {
			squares := 0.0
			for _, x := range p.row(p.X, r) {
				squares += x * x
			}
			mean := squares / float64(p.D)
			normal := mean * o.RStd[r] * o.RStd[r]
			if want := mean / (mean + p.Eps); math.Abs(normal-want) > 1e-12 {
				t.Errorf("%s: row %d has a mean square of %v, want %v", c.Name, r, normal, want)
			}
		}
	}
}

// TestEpsDecides: the cases reach both sides of eps, without which a wrong
// place of it could not be seen.
func TestEpsDecides(t *testing.T) {
	least, most := math.Inf(1), 0.0
	for _, c := range Cases() {
		p := must(c.Problem())(t)
		for _, rstd := range must(Normalise(p))(t).RStd {
			least, most = min(least, rstd), max(most, rstd)
		}
	}
	if most != 1/math.Sqrt(Epsilon) || least > 1e-4 {
		t.Errorf("rstd from %g to %g; want a row of zeros and rows of 1e4", least, most)
	}
}

func TestProblemIsChecked(t *testing.T) {
	good := must(Cases()[3].Problem())(t)
	for says, spoil := range map[string]func(p *Problem){
		"is empty":             func(p *Problem) { p.Rows = 0 },
		"at most 8192":         func(p *Problem) { p.D = 8193 },
		"eps is 0":             func(p *Problem) { p.Eps = 0 },
		"eps is NaN":           func(p *Problem) { p.Eps = math.NaN() },
		"from 1e-12":           func(p *Problem) { p.Eps = 1e-13 },
		"up to 1e+19":          func(p *Problem) { p.X = append([]float64{1e20}, p.X[1:]...) },
		"row 0 of x has a nor": func(p *Problem) { p.X = append([]float64{9e18, -9e18}, p.X[2:]...) },
		"dY at 1 is 1e+11; th": func(p *Problem) { p.DY = append([]float64{0, 1e11}, p.DY[2:]...) },
		"weight at 0 is -2e+1": func(p *Problem) { p.Weight = append([]float64{-2e10}, p.Weight[1:]...) },
		"x has 62 values":      func(p *Problem) { p.X = p.X[1:] },
		"weight has 0":         func(p *Problem) { p.Weight = nil },
		"dY at 0 is +Inf; giv": func(p *Problem) { p.DY = append([]float64{math.Inf(1)}, p.DY[1:]...) },
	} {
		p := *good
		spoil(&p)
		if _, err := Normalise(&p); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("want an error that says %q, got %v", says, err)
		}
	}
}

func constants(xs []float64) []dual {
	var list []dual
	for _, x := range xs {
		list = append(list, dual{val: x})
	}
	return list
}

// worst is the largest difference, relative to the largest value wanted; NaN
// when there is one.
func worst(got, want []float64) float64 {
	diff, top := 0.0, 0.0
	for i, w := range want {
		diff, top = max(diff, math.Abs(got[i]-w)), max(top, math.Abs(w)) // max keeps a NaN
	}
	if diff == 0 {
		return 0
	}
	return diff / top
}

// must is for calls that cannot fail in the test at hand.
func must[T any](value T, err error) func(*testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
}
