package newton

import (
	"fmt"

	"gpuci/kernels/launch"
)

// Phase is the phase of the one launch that a batch takes.
const Phase = "orthogonalise"

// threads is what the kernel is written for.
const threads = 256

// Plan is the job that orthogonalises the batch on a backend, in one launch with
// a block for each matrix. The problem has to pass [Problem.Check].
func Plan(p *Problem) launch.Job {
	count := len(p.X)
	return launch.Job{
		Buffers: []launch.Buffer{
			{Name: "x", Count: count, Role: launch.Input, Data: narrow(p.X)},
			{Name: "out", Count: count, Role: launch.Output},
			{Name: "iterate", Count: 2 * count, Role: launch.Scratch},
		},
		Launches: []launch.Launch{{
			Kernel: "newton_schulz",
			Grid:   [3]int{p.N, 1, 1},
			Block:  [3]int{threads, 1, 1},
			Shared: 2 * p.shorter() * p.shorter() * 4, // the Gram matrix and its polynomial
			Args: []launch.Arg{
				launch.Of("x"), launch.Of("out"), launch.Of("iterate"), launch.I(p.D), launch.I(p.Cols),
				launch.F(float32(p.A)), launch.F(float32(p.B)), launch.F(float32(p.C)), launch.F(float32(p.Eps)),
			},
			Phase: Phase,
		}},
	}
}

// Read is the batch [N,D,Cols] that a run of the plan made. It returns an error
// when the result is of another problem.
func Read(p *Problem, r launch.Result) ([]float64, error) {
	out, ok := r.Buffers["out"]
	if !ok || len(out) != len(p.X) {
		return nil, fmt.Errorf("read result: out has %d values, the problem %d; give the result of its own plan", len(out), len(p.X))
	}
	wide := make([]float64, len(out))
	for i, x := range out {
		wide[i] = float64(x)
	}
	return wide, nil
}

func narrow(xs []float64) []float32 {
	short := make([]float32, len(xs))
	for i, x := range xs {
		short[i] = float32(x)
	}
	return short
}
