package launch_test

import (
	"strings"
	"testing"

	"gpuci/kernels/launch"
)

// good is a job that runs everywhere.
func good() launch.Job {
	return launch.Job{
		Buffers: []launch.Buffer{
			{Name: "in", Count: 2, Data: []float32{1, 2}, Role: launch.Input},
			{Name: "out", Count: 2, Role: launch.Output},
		},
		Launches: []launch.Launch{{
			Kernel: "copy", Grid: [3]int{1, 1, 1}, Block: [3]int{2, 1, 1}, Phase: "forward",
			Args: []launch.Arg{launch.Of("in"), launch.Of("out"), launch.I(2), launch.F(0.5)},
		}},
	}
}

func TestCheckRefusesNonsense(t *testing.T) {
	if err := good().Check(); err != nil {
		t.Fatalf("the good job: %v", err)
	}
	for name, c := range map[string]struct {
		spoil func(*launch.Job)
		want  string
	}{
		"twice":      {func(j *launch.Job) { j.Buffers[1].Name = "in" }, `buffer "in" is there twice`},
		"blank":      {func(j *launch.Job) { j.Buffers[1].Name = "a b" }, "not a word"},
		"empty":      {func(j *launch.Job) { j.Buffers[1].Count = 0 }, "needs one or more"},
		"length":     {func(j *launch.Job) { j.Buffers[0].Count = 3 }, "has 3 elements and data of 2"},
		"no data":    {func(j *launch.Job) { j.Buffers[0].Data = nil }, "input without data"},
		"role":       {func(j *launch.Job) { j.Buffers[0].Role = "inout" }, `has role "inout"`},
		"nothing":    {func(j *launch.Job) { j.Launches = nil }, "no launches"},
		"kernel":     {func(j *launch.Job) { j.Launches[0].Kernel = "" }, "kernel's name"},
		"phase":      {func(j *launch.Job) { j.Launches[0].Phase = "a\nb" }, "phase"},
		"grid":       {func(j *launch.Job) { j.Launches[0].Grid[1] = 65536 }, "y is not in 1 to 65535"},
		"block":      {func(j *launch.Job) { j.Launches[0].Block[2] = 65 }, "z is not in 1 to 64"},
		"elements":   {func(j *launch.Job) { j.Buffers[1].Count = 1 << 62 }, "no device has as much memory"},
		"all":        {func(j *launch.Job) { j.Buffers[1].Count = 1<<38 - 1 }, `buffer "out" has 274877906943 elements`},
		"blocks":     {func(j *launch.Job) { j.Launches[0].Grid = [3]int{1<<31 - 1, 65535, 65535} }, "which no device gets done"},
		"two axes":   {func(j *launch.Job) { j.Launches[0].Grid = [3]int{1<<31 - 1, 33, 1} }, "which no device gets done"},
		"no block":   {func(j *launch.Job) { j.Launches[0].Block[0] = 0 }, "x is not in 1 to 1024"},
		"threads":    {func(j *launch.Job) { j.Launches[0].Block = [3]int{64, 32, 1} }, "has 2048 threads"},
		"shared":     {func(j *launch.Job) { j.Launches[0].Shared = 1 << 20 }, "bytes of shared memory"},
		"argument":   {func(j *launch.Job) { j.Launches[0].Args[0] = launch.Of("nowhere") }, `argument 1: no buffer "nowhere"`},
		"no kind":    {func(j *launch.Job) { j.Launches[0].Args[2] = launch.Arg{} }, "argument 3: is not exactly one"},
		"both kinds": {func(j *launch.Job) { j.Launches[0].Args[3].Buffer = "in" }, "argument 4: is not exactly one"},
	} {
		job := good()
		c.spoil(&job)
		if err := job.Check(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got error %v, want one with %q", name, err, c.want)
		}
	}
}

// What is just within the limits passes.
func TestCheckTakesTheLargest(t *testing.T) {
	job := good()
	job.Buffers[1].Count = 1<<38 - 2
	job.Launches[0].Grid = [3]int{1 << 20, 1 << 15, 2}
	job.Launches[0].Block = [3]int{16, 1, 64}
	job.Launches[0].Shared = 227 << 10
	if err := job.Check(); err != nil {
		t.Error(err)
	}
}

func TestIntArgumentMustFit(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("I(1<<40) did not panic")
		}
	}()
	launch.I(1 << 40)
}

func TestLaunchedCountsByPhase(t *testing.T) {
	r := launch.Result{Launches: []launch.Count{
		{Phase: "forward", Kernel: "a", Times: 1}, {Phase: "backward", Kernel: "b", Times: 2}, {Phase: "backward", Kernel: "c", Times: 1},
	}}
	if n := r.Launched("backward"); n != 3 {
		t.Errorf("backward launched %d times, want 3", n)
	}
	if n := r.Launched("sideways"); n != 0 {
		t.Errorf("sideways launched %d times, want 0", n)
	}
}
