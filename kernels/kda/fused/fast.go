package fused

import (
	"gpuci/kernels/kda"
	"gpuci/kernels/launch"
)

// What the fast kernels are made for, as fast.cuh has it: chunks of 16 rows, 64 key
// channels, and value channels in slices of 64, which a block of the forward has.
const (
	fastRows   = 16
	fastKeys   = 64
	fastSlice  = 64
	fastHalf   = 128 // threads of a block of the backward
	fastSquare = fastRows + 4
	fastRow    = fastKeys + 4
	fastTile   = tile + 4
)

// Fast says whether the plan of a shape has the kernels that are made for one shape of
// chunk. Those for all shapes have the rest.
func Fast(s kda.Shape) bool {
	return s.C == fastRows && s.K == fastKeys && s.V%fastSlice == 0
}

// fast is the plan of the fast kernels. They pass fewer arrays on than the others: what
// the backward can make in less time than it could read is not among them.
func fast(p *kda.Problem) launch.Job {
	return launch.Job{
		Buffers:  append(inputs(p), append(fastOutputs(p.Shape), backwardOutputs(p.Shape)...)...),
		Launches: []launch.Launch{fastForward(p), fastBetween(p), fastInside(p)},
	}
}

// fastOutputs are out and state_t, and what the backward reads of the forward: exp(L),
// Aqk, M, scale*q*E, W, kgd, v_new and the state before each chunk.
func fastOutputs(s kda.Shape) []launch.Buffer {
	n := sizesOf(s)
	return []launch.Buffer{
		output("out", n.values), output("state_t", n.cells),
		output("glast", n.lasts), output("aqk", n.pairs), output("m_inv", n.pairs),
		output("qe", n.keys), output("w_mat", n.keys), output("kgd", n.keys), output("v_new", n.values),
		output("states", n.states),
	}
}

// fastForward carries the state through the chunks of a head, a block for each slice of
// value channels; half of its threads prepare the chunk ahead.
func fastForward(p *kda.Problem) launch.Launch {
	return launch.Launch{
		Kernel: "kda_fast_forward", Phase: Forward,
		Grid: [3]int{p.V / fastSlice, p.Heads(), 1}, Block: [3]int{2 * threads, 1, 1}, Shared: Shared(p.Shape).Forward,
		Args: append(pointers(
			"q", "k", "g", "b", "v", "w", "state0",
			"out", "state_t", "glast", "aqk", "m_inv", "qe", "w_mat", "kgd", "v_new", "states"),
			launch.I(p.T), launch.I(p.V), launch.F(float32(scale(p)))),
	}
}

// fastBetween is BK2.
func fastBetween(p *kda.Problem) launch.Launch {
	return launch.Launch{
		Kernel: "kda_fast_bk2", Phase: Backward,
		Grid: [3]int{p.V / tile, p.Heads(), 1}, Block: [3]int{fastHalf, 1, 1}, Shared: Shared(p.Shape).Between,
		Args: append(pointers(
			"qe", "glast", "aqk", "w_mat", "kgd", "d_out", "d_state_t",
			"d_v_new", "d_s_next", "d_state"),
			launch.I(p.T), launch.I(p.V)),
	}
}

// fastInside is BK1. Of the decays it has only g itself.
func fastInside(p *kda.Problem) launch.Launch {
	return launch.Launch{
		Kernel: "kda_fast_bk1", Phase: Backward,
		Grid: [3]int{p.Chunks(), p.Heads(), 1}, Block: [3]int{fastHalf, 1, 1}, Shared: Shared(p.Shape).Inside,
		Args: append(pointers(
			"q", "k", "b", "v", "w", "g", "glast", "m_inv", "v_new", "states", "d_s_next", "d_v_new", "d_out",
			"d_q", "d_k", "d_g", "d_b", "d_v", "d_w"),
			launch.I(p.T), launch.I(p.V), launch.F(float32(scale(p)))),
	}
}

// fastShared adds up the shared memory of the fast kernels: 90,112, 42,496 and 55,296
// bytes for all shapes that they take.
func fastShared() Sizes {
	const (
		float  = 4
		square = fastRows * fastSquare
		keys   = fastRows * fastKeys
		wide   = fastRows * fastRow // rows that neighbouring threads read down
		values = fastRows * fastSlice
		narrow = fastRows * tile
	)
	return Sizes{
		Forward: float * (2*(2*wide+keys+values+square+fastKeys) + // W, scale*q*E, kgd, u, Aqk and glast, twice
			6*wide + values + 2*square + // q, k, bk, bkE, G, exp(g), w*v, Akk and M
			fastKeys*fastSlice + values), // the state, v_new
		Between: float * (2*(2*keys+wide+square+narrow+fastKeys) + // scale*q*E, W, kgd, Aqk, dOut and glast, twice
			fastKeys*tile + narrow), // dS, d_v_new
		Inside: float * ((2*fastKeys+4*fastRows)*fastTile + // tiles of S0, D1, dOut, d_v_new, v_new and w*v
			4*keys + wide + // q, k, bk, exp(g), bkE
			5*square + // M, dAqk, dAkk, Z, M^T Z
			2*fastKeys), // sum of D1*S0
	}
}
