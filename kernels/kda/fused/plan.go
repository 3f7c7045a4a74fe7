package fused

import (
	"gpuci/kernels/kda"
	"gpuci/kernels/launch"
)

// The phases by which launches are counted.
const (
	Forward  = "forward"
	Backward = "backward"
)

// Threads of a block, and value channels of a tile of BK2 and BK1: THREADS and TILE
// of tile.cuh, which says why.
const (
	threads = 256
	tile    = 32
)

// Sources are the files of kernels/kda/cuda that hold the kernels of [Fused].
func Sources() []string {
	return []string{
		"kda_forward.cu", "kda_bk2.cu", "kda_bk1.cu",
		"kda_fast_forward.cu", "kda_fast_bk2.cu", "kda_fast_bk1.cu",
	}
}

// Fused is the plan of the fused path on a problem rounded to float32: one forward
// launch, two backward ones. Nothing is scratch: all that passes from one kernel to
// the next is an output, of which every element is written once. The problem must
// pass [kda.Problem.Check] and [Holds], and its shape [Fits]. Which kernels it has the
// shape decides: see [Fast].
func Fused(p *kda.Problem) launch.Job {
	if Fast(p.Shape) {
		return fast(p)
	}
	return launch.Job{
		Buffers:  append(inputs(p), append(forwardOutputs(p.Shape), backwardOutputs(p.Shape)...)...),
		Launches: []launch.Launch{forward(p), between(p), inside(p)},
	}
}

// forward carries the state through the chunks of a head in one block.
func forward(p *kda.Problem) launch.Launch {
	return launch.Launch{
		Kernel: "kda_forward", Phase: Forward,
		Grid: [3]int{p.Heads(), 1, 1}, Block: [3]int{threads, 1, 1}, Shared: Shared(p.Shape).Forward,
		Args: arguments(p,
			"q", "k", "g", "b", "v", "w", "state0",
			"out", "state_t", "gcum", "gexp", "glast", "aqk", "m_inv", "w_mat", "u", "kgd", "v_new", "states"),
	}
}

// between is BK2: it carries the gradient of the state back through the chunks, a
// block for each tile of value channels, which do not mix.
func between(p *kda.Problem) launch.Launch {
	return launch.Launch{
		Kernel: "kda_bk2", Phase: Backward,
		Grid: [3]int{(p.V + tile - 1) / tile, p.Heads(), 1}, Block: [3]int{threads, 1, 1}, Shared: Shared(p.Shape).Between,
		Args: arguments(p,
			"q", "gexp", "glast", "aqk", "w_mat", "kgd", "d_out", "d_state_t",
			"d_v_new", "d_s_next", "d_state"),
	}
}

// inside is BK1: every chunk on its own.
func inside(p *kda.Problem) launch.Launch {
	return launch.Launch{
		Kernel: "kda_bk1", Phase: Backward,
		Grid: [3]int{p.Chunks(), p.Heads(), 1}, Block: [3]int{threads, 1, 1}, Shared: Shared(p.Shape).Inside,
		Args: arguments(p,
			"q", "k", "b", "v", "w", "gcum", "gexp", "glast", "m_inv", "w_mat", "u", "v_new", "states",
			"d_s_next", "d_v_new", "d_out",
			"d_q", "d_k", "d_g", "d_b", "d_v", "d_w"),
	}
}

// arguments are buffers, then what every kernel ends with: T, K, V, C, scale.
func arguments(p *kda.Problem, buffers ...string) []launch.Arg {
	return append(pointers(buffers...),
		launch.I(p.T), launch.I(p.K), launch.I(p.V), launch.I(p.C), launch.F(float32(scale(p))))
}

func pointers(buffers ...string) []launch.Arg {
	var args []launch.Arg
	for _, name := range buffers {
		args = append(args, launch.Of(name))
	}
	return args
}
