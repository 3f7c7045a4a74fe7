package rmsnorm

import (
	"math"
	"os"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gpuci/kernels/launch"
	"gpuci/kernels/simt"
	"gpuci/kernels/simt/simttest"
)

const (
	sources = "../kda/cuda"
	source  = sources + "/rmsnorm.cu"
)

func TestKernel(t *testing.T) {
	program := simttest.Build(t, simt.Plain, source)
	t.Run("numbers", func(t *testing.T) { testNumbers(t, program) })
	t.Run("noise", func(t *testing.T) { testNoise(t, program) })
	t.Run("limits", func(t *testing.T) { testLimits(t, program) })
	t.Run("orders", func(t *testing.T) { testOrders(t, program) })
}

func testNumbers(t *testing.T, program *simt.Program) {
	for _, c := range Cases() {
		p := must(c.Problem())(t).Rounded()
		r := simttest.Run(t, program, Plan(p))
		for _, d := range p.differences(t, r) {
			if !(d.by <= Bar) {
				t.Errorf("%s: %s is off by %g, over %g", c.Name, d.term, d.by, Bar)
			}
		}
		for _, f := range r.Findings {
			t.Errorf("%s: %s", c.Name, f.Text)
		}
		if forward, backward := r.Launched(Forward), r.Launched(Backward); forward != 1 || backward != 3 {
			t.Errorf("%s: %d and %d launches, want 1 and 3", c.Name, forward, backward)
		}
	}
}

// testNoise: the bar has the head-room that it claims, on other seeds than those
// it was set by.
func testNoise(t *testing.T, program *simt.Program) {
	for _, c := range Cases() {
		top := 0.0
		for seed := range seeds() {
			c.Seed = 1000 + uint64(seed)
			p := must(c.Problem())(t).Rounded()
			for _, d := range p.differences(t, simttest.Run(t, program, Plan(p))) {
				top = max(top, d.by)
			}
		}
		t.Logf("%s: %.2g", c.Name, top)
		if !(top <= Bar/5) { // a NaN is above
			t.Errorf("%s: off by %g, more than a fifth of the bar of %g", c.Name, top, Bar)
		}
	}
}

// testLimits: at the limits of a problem the kernels are as right as elsewhere.
func testLimits(t *testing.T, program *simt.Program) {
	for _, c := range []struct{ norm, factor, eps float64 }{
		{MaxNorm, MaxFactor, MinEpsilon}, {1e-8, MaxFactor, MinEpsilon}, {1e-25, 1, MinEpsilon},
	} {
		p := must(Case{Name: "limits", Shape: Shape{5, 300}, Seed: 1, Scale: 1}.Problem())(t)
		for r := range p.Rows {
			stretch(p.row(p.X, r), c.norm*(1-1e-6)/norm(p.row(p.X, r)))
		}
		stretch(p.Weight, c.factor/1.5)
		stretch(p.DY, c.factor/2)
		p.Eps = c.eps * (1 + 1e-6)
		p = p.Rounded()
		for _, d := range p.differences(t, simttest.Run(t, program, Plan(p))) {
			if !(d.by <= Bar) {
				t.Errorf("norm %g, factors %g: %s is off by %g, over %g", c.norm, c.factor, d.term, d.by, Bar)
			}
		}
	}
}

func stretch(xs []float64, by float64) {
	for i := range xs {
		xs[i] *= by
	}
}

func norm(xs []float64) float64 {
	squares := 0.0
	for _, x := range xs {
		squares += x * x
	}
	return math.Sqrt(squares)
}

// seeds is how many a case is tried on.
func seeds() int {
	if os.Getenv("GPUCI_SOAK") == "1" {
		return 40
	}
	return 1
}

// testOrders: the order of threads changes no bit.
func testOrders(t *testing.T, program *simt.Program) {
	for _, c := range small() {
		job := Plan(must(c.Problem())(t))
		want := simttest.Run(t, program, job).Buffers
		for order := uint64(1); order <= 3; order++ {
			job.Order = order
			if diff := cmp.Diff(want, simttest.Run(t, program, job).Buffers); diff != "" {
				t.Errorf("%s: order %d gives other bits (-0 +%d):\n%s", c.Name, order, order, diff)
			}
		}
	}
}

// TestAccesses: no race, nothing read that nobody wrote, no element out of
// bounds, unwritten or written twice.
func TestAccesses(t *testing.T) {
	for _, mode := range []simt.Mode{simt.Check, simt.Address} {
		t.Run(string(mode), func(t *testing.T) {
			program := simttest.Build(t, mode, source)
			for i, c := range small() {
				p := must(c.Problem())(t).Rounded()
				job := Plan(p)
				job.Order = uint64(i)
				r := simttest.Run(t, program, job)
				for _, f := range r.Findings {
					t.Errorf("%s: %s", c.Name, f.Text)
				}
				for _, d := range p.differences(t, r) {
					if !(d.by <= Bar) {
						t.Errorf("%s: %s is off by %g", c.Name, d.term, d.by)
					}
				}
			}
		})
	}
}

// small are the cases that a build that looks at each access has the time for.
func small() []Case {
	return slices.DeleteFunc(Cases(), func(c Case) bool { return c.Shape.Rows*c.Shape.D > 10_000 })
}

// difference is how far one term is off.
type difference struct {
	term string
	by   float64
}

func (p *Problem) differences(t *testing.T, r launch.Result) []difference {
	t.Helper()
	var list []difference
	want := must(Normalise(p))(t).Terms(p.Shape)
	for i, got := range must(Read(p, r))(t).Terms(p.Shape) {
		list = append(list, difference{got.Name, worst(got.Data, want[i].Data)})
	}
	return list
}

func TestMain(m *testing.M) { simttest.Main(m) }
