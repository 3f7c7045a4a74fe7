package rmsnorm

import (
	"fmt"

	"gpuci/kernels/launch"
)

// The phases of the launches: one forward, three backward, of which the last two
// are the weight's gradient.
const (
	Forward  = "forward"
	Backward = "backward"
)

// What the kernels are written for: threads in a block, and rows that one
// partial sum of the weight's gradient covers.
const (
	threads  = 256
	tileRows = 32
)

// Plan is the job that runs both passes on a backend. The problem has to pass
// [Problem.Check].
func Plan(p *Problem) launch.Job {
	count, tiles := p.Rows*p.D, (p.Rows+tileRows-1)/tileRows
	return launch.Job{
		Buffers: []launch.Buffer{
			{Name: "x", Count: count, Role: launch.Input, Data: narrow(p.X)},
			{Name: "weight", Count: p.D, Role: launch.Input, Data: narrow(p.Weight)},
			{Name: "d_y", Count: count, Role: launch.Input, Data: narrow(p.DY)},
			{Name: "y", Count: count, Role: launch.Output},
			{Name: "rstd", Count: p.Rows, Role: launch.Output},
			{Name: "d_x", Count: count, Role: launch.Output},
			{Name: "d_weight", Count: p.D, Role: launch.Output},
			{Name: "weight_tiles", Count: tiles * p.D, Role: launch.Scratch},
		},
		Launches: p.launches(tiles),
	}
}

func (p *Problem) launches(tiles int) []launch.Launch {
	d, eps := launch.I(p.D), launch.F(float32(p.Eps))
	x, weight, rstd, dY, part := launch.Of("x"), launch.Of("weight"), launch.Of("rstd"), launch.Of("d_y"), launch.Of("weight_tiles")
	columns := (p.D + threads - 1) / threads
	list := []launch.Launch{
		{Kernel: "rmsnorm_forward", Phase: Forward, Grid: [3]int{p.Rows, 1, 1},
			Args: []launch.Arg{x, weight, launch.Of("y"), rstd, d, eps}},
		{Kernel: "rmsnorm_backward", Phase: Backward, Grid: [3]int{p.Rows, 1, 1},
			Args: []launch.Arg{x, weight, rstd, dY, launch.Of("d_x"), d}},
		{Kernel: "rmsnorm_weight_tiles", Phase: Backward, Grid: [3]int{columns, tiles, 1},
			Args: []launch.Arg{x, rstd, dY, part, launch.I(p.Rows), d}},
		{Kernel: "rmsnorm_weight", Phase: Backward, Grid: [3]int{columns, 1, 1},
			Args: []launch.Arg{part, launch.Of("d_weight"), launch.I(tiles), d}},
	}
	for i := range list {
		list[i].Block = [3]int{threads, 1, 1}
	}
	return list
}

// Read is what a run of the plan made. It returns an error when the result is of
// another problem.
func Read(p *Problem, r launch.Result) (*Output, error) {
	o := &Output{}
	for _, want := range []struct {
		name  string
		to    *[]float64
		count int
	}{
		{"y", &o.Y, len(p.X)}, {"rstd", &o.RStd, p.Rows}, {"d_x", &o.DX, len(p.X)}, {"d_weight", &o.DWeight, p.D},
	} {
		got, ok := r.Buffers[want.name]
		if !ok || len(got) != want.count {
			return nil, fmt.Errorf("read result: %s has %d values, the problem %d; give the result of its own plan",
				want.name, len(got), want.count)
		}
		for _, x := range got {
			*want.to = append(*want.to, float64(x))
		}
	}
	return o, nil
}

func narrow(xs []float64) []float32 {
	short := make([]float32, len(xs))
	for i, x := range xs {
		short[i] = float32(x)
	}
	return short
}
