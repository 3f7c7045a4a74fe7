package newton

import (
	"math"
	"strings"
	"testing"
)

// TestSingularValues holds the reference against the definition by singular
// values: out = U p(p(...(S / (|X| + eps)))) V^T, from an eigendecomposition
// that shares nothing with the iteration.
func TestSingularValues(t *testing.T) {
	for _, c := range Cases() {
		if c.Shape.size() > 64*64 {
			continue
		}
		t.Run(c.Name, func(t *testing.T) {
			p := must(c.Problem())(t)
			got := must(Orthogonalise(p))(t)
			for i := range p.N {
				want := p.bySpectrum(t, p.Matrix(p.X, i), c.Kind)
				if diff := worst(p.Matrix(got, i), want); !(diff <= 1e-9) {
					t.Errorf("matrix %d: off by %g", i, diff)
				}
			}
		})
	}
}

// bySpectrum maps the singular values of one matrix, and looks at where those
// end that the iteration has the steps for.
func (p *Problem) bySpectrum(t *testing.T, x []float64, kind Kind) []float64 {
	z := matrix{p.D, p.Cols, x}
	if p.D > p.Cols {
		z = z.transposed()
	}
	norm := z.norm()
	values, q := eigen(z.mul(z.transposed()))
	mapped := q.times(1)
	for i, square := range values {
		s := math.Sqrt(max(square, 0))
		end := p.map5(s / (norm + p.Eps))
		if kind != Tiny && s > 0.01*norm && (end < 0.68 || end > 1.14) {
			t.Errorf("singular value %g of a norm of %g ends at %g, want [0.68, 1.14]", s, norm, end)
		}
		gain := math.Pow(p.A, Steps) / (norm + p.Eps) // the slope at 0
		if s > 1e-7*norm {
			gain = end / s
		}
		for r := range q.rows {
			mapped.data[r*q.cols+i] *= gain
		}
	}
	z = mapped.mul(q.transposed()).mul(z)
	if p.D > p.Cols {
		z = z.transposed()
	}
	return z.data
}

// map5 is where the singular value s ends.
func (q Quintic) map5(s float64) float64 {
	for range Steps {
		s = s * (q.A + s*s*(q.B+s*s*q.C))
	}
	return s
}

// TestRange shows the interval that the package's comment gives.
func TestRange(t *testing.T) {
	lo, hi := math.Inf(1), 0.0
	for i := range 100_000 {
		end := Muon().map5(0.01 + 0.99*float64(i)/99_999)
		lo, hi = min(lo, end), max(hi, end)
	}
	if lo < 0.68 || lo > 0.70 || hi > 1.14 || hi < 1.12 {
		t.Errorf("singular values in [0.01, 1] end in [%v, %v]", lo, hi)
	}
}

// TestSymmetries: the iteration is odd, knows no orientation, and no scale but
// for eps.
func TestSymmetries(t *testing.T) {
	p := must(caseNamed(t, "wide").Problem())(t)
	want := must(Orthogonalise(p))(t)

	minus := *p
	minus.X = matrix{1, len(p.X), p.X}.times(-1).data
	if got := must(Orthogonalise(&minus))(t); worst(got, matrix{1, len(want), want}.times(-1).data) != 0 {
		t.Error("f(-x) is not -f(x)")
	}

	turned := *p
	turned.D, turned.Cols, turned.X = p.Cols, p.D, p.turn(p.X)
	if got := must(Orthogonalise(&turned))(t); worst(got, p.turn(want)) > 1e-14 {
		t.Errorf("f(x^T) is off f(x)^T by %g", worst(got, p.turn(want)))
	}

	bare := *p
	bare.Eps = 0 // which a problem may not have
	for i := range p.N {
		x := p.Matrix(p.X, i)
		got, larger := bare.one(x), bare.one(matrix{1, len(x), x}.times(1<<20).data)
		if diff := worst(got, larger); diff != 0 {
			t.Errorf("without eps a scale of 2^20 moves the result by %g", diff)
		}
		if worst(p.Matrix(want, i), got) == 0 {
			t.Error("eps makes no difference")
		}
	}
}

// turn is the batch with every matrix transposed.
func (p *Problem) turn(batch []float64) []float64 {
	var turned []float64
	for i := range p.N {
		turned = append(turned, matrix{p.D, p.Cols, p.Matrix(batch, i)}.transposed().data...)
	}
	return turned
}

func TestZeroStaysZero(t *testing.T) {
	p := must(caseNamed(t, "zero").Problem())(t)
	out := must(Orthogonalise(p))(t)
	for i := range p.N {
		if norm := (matrix{p.D, p.Cols, p.Matrix(out, i)}).norm(); (norm == 0) != (i == 1) {
			t.Errorf("matrix %d has a norm of %g", i, norm)
		}
	}
}

func TestProblemIsChecked(t *testing.T) {
	good := must(caseNamed(t, "wide").Problem())(t)
	for says, spoil := range map[string]func(p *Problem){
		"is empty":     func(p *Problem) { p.N = 0 },
		"too large":    func(p *Problem) { p.D, p.Cols = 129, 129 },
		"at most 128":  func(p *Problem) { p.D, p.Cols = 1, 257 },
		"give 1950":    func(p *Problem) { p.X = p.X[1:] },
		"norm of 8.83": func(p *Problem) { p.X = filled(len(p.X), 1e20/math.Sqrt(5)) },
		"eps is 0":     func(p *Problem) { p.Eps = 0 },
		"eps is NaN":   func(p *Problem) { p.Eps = math.NaN() },
		"from 1e-10":   func(p *Problem) { p.Eps = 1e-11 },
		"x at 3 is Na": func(p *Problem) { p.X = append([]float64{0, 0, 0, math.NaN()}, p.X[4:]...) },
	} {
		p := *good
		spoil(&p)
		if _, err := Orthogonalise(&p); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("want an error that says %q, got %v", says, err)
		}
	}
	if _, err := (Case{Kind: "round", Shape: good.Shape}).Problem(); err == nil || !strings.Contains(err.Error(), "unknown kind") {
		t.Errorf("unknown kind: error %v", err)
	}
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

func caseNamed(t *testing.T, name string) Case {
	t.Helper()
	for _, c := range Cases() {
		if c.Name == name {
			return c
		}
	}
	t.Fatalf("there is no case %s", name)
	return Case{}
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

// filled is so many of the same.
func filled(n int, x float64) []float64 {
	xs := make([]float64, n)
	for i := range xs {
		xs[i] = x
	}
	return xs
}
