package newton

import (
	"os"
	"slices"
	"testing"

	"gpuci/kernels/launch"
	"gpuci/kernels/simt"
	"gpuci/kernels/simt/simttest"
)

const (
	sources = "../kda/cuda"
	source  = sources + "/newton_schulz.cu"
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
		if diff := p.difference(t, r); !(diff <= c.Kind.Bar()) {
			t.Errorf("%s: off by %g, over %g", c.Name, diff, c.Kind.Bar())
		}
		for _, f := range r.Findings {
			t.Errorf("%s: %s", c.Name, f.Text)
		}
		if n := r.Launched(Phase); n != 1 {
			t.Errorf("%s: a batch of %d took %d launches, want 1", c.Name, p.N, n)
		}
	}
}

// testNoise: the bar has the head-room that it claims, on other seeds than those
// it was set by.
func testNoise(t *testing.T, program *simt.Program) {
	for _, c := range Cases() {
		top := 0.0
		for seed := range seeds(c) {
			c.Seed = 1000 + uint64(seed)
			p := must(c.Problem())(t).Rounded()
			top = max(top, p.difference(t, simttest.Run(t, program, Plan(p))))
		}
		t.Logf("%s: %.2g", c.Name, top)
		if !(top <= c.Kind.Bar()/5) { // a NaN is above
			t.Errorf("%s: off by %g, more than a fifth of the bar of %g", c.Name, top, c.Kind.Bar())
		}
	}
}

// testLimits: at the limits of a problem the kernel is as right as elsewhere.
func testLimits(t *testing.T, program *simt.Program) {
	for _, norm := range []float64{MaxNorm * (1 - 1e-6), 1e-10, 1e-18} {
		p := must(caseNamed(t, "wide").Problem())(t)
		for i := range p.N {
			x := p.Matrix(p.X, i)
			copy(x, matrix{1, len(x), x}.times(norm/matrix{1, len(x), x}.norm()).data)
		}
		p.Eps = MinEpsilon
		p = p.Rounded()
		if diff := p.difference(t, simttest.Run(t, program, Plan(p))); !(diff <= Full.Bar()) {
			t.Errorf("norm %g: off by %g, over %g", norm, diff, Full.Bar())
		}
	}
}

// seeds is how many a case is tried on.
func seeds(c Case) int {
	switch {
	case os.Getenv("GPUCI_SOAK") != "1":
		return 1
	case c.Shape.size() > 64*64:
		return 3
	}
	return 40
}

// testOrders: the order of threads changes no bit.
func testOrders(t *testing.T, program *simt.Program) {
	for _, c := range small() {
		job := Plan(must(c.Problem())(t))
		want := simttest.Run(t, program, job).Buffers["out"]
		for order := uint64(1); order <= 3; order++ {
			job.Order = order
			if got := simttest.Run(t, program, job).Buffers["out"]; !slices.Equal(got, want) {
				t.Errorf("%s: order %d gives other bits", c.Name, order)
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
				if diff := p.difference(t, r); !(diff <= c.Kind.Bar()) {
					t.Errorf("%s: off by %g", c.Name, diff)
				}
			}
		})
	}
}

// small are the cases that a build that looks at each access has the time for.
func small() []Case {
	return slices.DeleteFunc(Cases(), func(c Case) bool { return c.Shape.size() > 1000 })
}

// difference is the worst of any matrix of the batch.
func (p *Problem) difference(t *testing.T, r launch.Result) float64 {
	t.Helper()
	got, want := must(Read(p, r))(t), must(Orthogonalise(p))(t)
	top := 0.0
	for i := range p.N {
		top = max(top, worst(p.Matrix(got, i), p.Matrix(want, i)))
	}
	return top
}

func TestMain(m *testing.M) { simttest.Main(m) }
