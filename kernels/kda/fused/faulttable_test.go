package fused_test

import (
	"cmp"
	"slices"
	"strings"

	"gpuci/kernels/launch"
	"gpuci/kernels/simt"
)

// fault is a patch of kernels/kda/faults and what it must do.
type fault struct {
	name  string
	sees  string // for each column: x, some tensor moves; -, none does; n, some is NaN
	at    string // the column at which moves is judged; "" is two
	moves string // the tensors that move there, no others

	// An instrument that must name it, in a run of the at column.
	mode   simt.Mode
	kind   launch.Kind
	kernel string // of the general ones

	// What moves in the kernels for one shape of chunk, where that is something else.
	fastSees, fastMoves string
}

// inFast is the same fault in the kernels for one shape of chunk.
func (f fault) inFast() fault {
	f.name, f.kernel = "fast-"+f.name, strings.Replace(f.kernel, "kda_", "kda_fast_", 1)
	f.sees, f.moves = cmp.Or(f.fastSees, f.sees), cmp.Or(f.fastMoves, f.moves)
	return f
}

const (
	all     = "out state d_q d_k d_v d_g d_b d_w d_state"
	allButQ = "d_k d_v d_g d_b d_w d_state"
	none    = ""
)

// faults are all of them, each planted in both families of kernels.
func faults() (list []fault) {
	for _, f := range slices.Concat(betweenFaults(), insideFaults(), machineFaults()) {
		list = append(list, f, f.inFast())
	}
	return list
}

func betweenFaults() []fault {
	return []fault{
		{name: "forward-kgd-glast-for-L", sees: "xxxxxxxn", moves: all},
		{name: "bk2-carry-cut", sees: "---xxxxx", moves: allButQ, fastSees: "---xxxx-"},
		{name: "bk2-glast-forgotten", sees: "--xxxxxx", moves: allButQ},
		{name: "bk2-glast-twice", sees: "--xxxxxx", moves: allButQ},
		{name: "bk2-kgd-dS-dropped", sees: "--xxxxxx", moves: allButQ},
		{name: "bk2-W-dropped", sees: "xxxxxxxx", moves: allButQ},
		{name: "bk2-dS_T-ignored", sees: "--x-xxxx", moves: allButQ},
		{name: "bk2-aqk-transposed", sees: "xxxxxxxx", moves: allButQ},
	}
}

func insideFaults() []fault {
	return []fault{
		{name: "bk1-d_hat-dropped-from-dk", sees: "--xxxxxx", moves: "d_k"},
		{name: "bk1-d_hat-dropped-from-dG", sees: "--xxxxxx", moves: "d_g"},
		{name: "bk1-last-key-dropped", sees: "--xxxxxx", moves: "d_g"},
		{name: "bk1-last-state-dropped", sees: "--xxxxx-", moves: "d_g"}, // glast is gone under strong decay
		{name: "bk1-last-twice", sees: "--xxxxxx", moves: "d_g"},
		{name: "bk1-D1-transposed", sees: "--xxxxxx", moves: "d_k d_g"},
		{name: "bk1-S0-off-by-one", sees: "---xxxxx", moves: "d_q d_k d_g d_b"},
		{name: "bk1-D1-off-by-one", sees: "---xxxxx", moves: "d_k d_g"},
		{name: "bk1-XW-dropped", sees: "-xxxxxxx", moves: "d_k d_g d_b", fastSees: "-xxxxxx-"},
		{name: "bk1-dAkk-sign", sees: "xxxxxxxx", moves: "d_k d_g d_b"},
		{name: "bk1-mask-without-diagonal", sees: "xxxxxxxx", moves: "d_q d_k"},
		{name: "bk1-no-reverse-sum", sees: "xxxxxxxx", moves: "d_g"},
		{name: "head-offset-forgotten", sees: "xxxxxxxx", moves: "d_q d_k d_g d_b"},
		{name: "mask-after-exp", sees: "-------n", at: "strong", moves: "d_q d_k d_g d_b", fastMoves: "out " + allButQ},
	}
}

// machineFaults are wrong about the machine rather than the mathematics. Where the
// threads of a warp happen to run decides what such a fault moves, if anything, so an
// instrument must name it.
func machineFaults() []fault {
	const forward, bk1, bk2 = "kda_forward", "kda_bk1", "kda_bk2"
	return []fault{
		{name: "missing-barrier", mode: simt.Check, kind: launch.Race, kernel: forward},
		{name: "missing-barrier-loop", mode: simt.Check, kind: launch.Race, kernel: forward},
		{name: "missing-barrier-bk2", mode: simt.Check, kind: launch.Race, kernel: bk2},
		{name: "missing-barrier-bk1", mode: simt.Check, kind: launch.Race, kernel: bk1},
		{name: "uninitialised-read", sees: "nnnnnnnn", moves: "d_g",
			mode: simt.Check, kind: launch.Uninitialised, kernel: bk1},
		{name: "unwritten-tail", sees: "-----n-n", at: "tail", moves: "out",
			mode: simt.Plain, kind: launch.Unwritten},
		{name: "read-one-row-out", sees: "--------", moves: none,
			mode: simt.Address, kind: launch.OutOfBounds, kernel: forward},
		{name: "tail-mask-forgotten", sees: "-----x-x", at: "tail", moves: "state " + allButQ},
	}
}
