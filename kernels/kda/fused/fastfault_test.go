package fused_test

import (
	"gpuci/kernels/kda"
	"gpuci/kernels/launch"
	"gpuci/kernels/simt"
)

// fastColumns are [columns] for the fast kernels: one chunk bare, with a state, and with a
// final-state gradient too; two chunks without and with one; four with a tail; two slices
// of value channels; strong decay.
func fastColumns() []column {
	shape := func(t, v int) kda.Shape { return kda.Shape{B: 2, H: 2, T: t, K: 64, V: v, C: 16} }
	list := []column{
		{"fast-bare", kda.Case{Family: kda.Mild, Shape: shape(16, 64), NoState: true, NoFinal: true}},
		{"fast-state", kda.Case{Family: kda.Mild, Shape: shape(16, 64), NoFinal: true}},
		{"fast-one", kda.Case{Family: kda.Mild, Shape: shape(16, 64)}},
		{"fast-open", kda.Case{Family: kda.Mild, Shape: shape(32, 64), NoFinal: true}},
		{"fast-two", kda.Case{Family: kda.Mild, Shape: shape(32, 64)}},
		{"fast-tail", kda.Case{Family: kda.Mild, Shape: shape(61, 64)}},
		{"fast-wide", kda.Case{Family: kda.Mild, Shape: shape(32, 128)}},
		{"fast-strong", kda.Case{Family: kda.VeryStrong, Shape: shape(37, 64)}},
	}
	for i := range list {
		list[i].Name, list[i].Seed = list[i].letter, 3
	}
	return list
}

// fastFaults are the faults of the other tables again, in the fast kernels.
func fastFaults() []fault {
	const forward, bk1, bk2 = "kda_fast_forward", "kda_fast_bk1", "kda_fast_bk2"
	return []fault{
		{name: "fast-forward-kgd-glast-for-L", sees: "xxxxxxxn", moves: all},
		{name: "fast-bk2-carry-cut", sees: "---xxxx-", moves: allButQ},
		{name: "fast-bk2-glast-forgotten", sees: "--xxxxxx", moves: allButQ},
		{name: "fast-bk2-glast-twice", sees: "--xxxxxx", moves: allButQ},
		{name: "fast-bk2-kgd-dS-dropped", sees: "--xxxxxx", moves: allButQ},
		{name: "fast-bk2-W-dropped", sees: "xxxxxxxx", moves: allButQ},
		{name: "fast-bk2-dS_T-ignored", sees: "--x-xxxx", moves: allButQ},
		{name: "fast-bk2-aqk-transposed", sees: "xxxxxxxx", moves: allButQ},

		{name: "fast-bk1-d_hat-dropped-from-dk", sees: "--xxxxxx", moves: "d_k"},
		{name: "fast-bk1-d_hat-dropped-from-dG", sees: "--xxxxxx", moves: "d_g"},
		{name: "fast-bk1-last-key-dropped", sees: "--xxxxxx", moves: "d_g"},
		{name: "fast-bk1-last-state-dropped", sees: "--xxxxx-", moves: "d_g"},
		{name: "fast-bk1-last-twice", sees: "--xxxxxx", moves: "d_g"},
		{name: "fast-bk1-D1-transposed", sees: "--xxxxxx", moves: "d_k d_g"},
		{name: "fast-bk1-S0-off-by-one", sees: "---xxxxx", moves: "d_q d_k d_g d_b"},
		{name: "fast-bk1-D1-off-by-one", sees: "---xxxxx", moves: "d_k d_g"},
		{name: "fast-bk1-XW-dropped", sees: "-xxxxxx-", moves: "d_k d_g d_b"},
		{name: "fast-bk1-dAkk-sign", sees: "xxxxxxxx", moves: "d_k d_g d_b"},
		{name: "fast-bk1-mask-without-diagonal", sees: "xxxxxxxx", moves: "d_q d_k"},
		{name: "fast-bk1-no-reverse-sum", sees: "xxxxxxxx", moves: "d_g"},
		{name: "fast-head-offset-forgotten", sees: "xxxxxxxx", moves: "d_q d_k d_g d_b"},
		{name: "fast-mask-after-exp", sees: "-------n", at: "strong", moves: "out " + allButQ},

		{name: "fast-missing-barrier", mode: simt.Check, kind: launch.Race, kernel: forward},
		{name: "fast-missing-barrier-loop", mode: simt.Check, kind: launch.Race, kernel: forward},
		{name: "fast-missing-barrier-bk2", mode: simt.Check, kind: launch.Race, kernel: bk2},
		{name: "fast-missing-barrier-bk1", mode: simt.Check, kind: launch.Race, kernel: bk1},
		{name: "fast-uninitialised-read", sees: "nnnnnnnn", moves: "d_g",
			mode: simt.Check, kind: launch.Uninitialised, kernel: bk1},
		{name: "fast-unwritten-tail", sees: "-----n-n", at: "tail", moves: "out",
			mode: simt.Plain, kind: launch.Unwritten},
		{name: "fast-read-one-row-out", sees: "--------", moves: none,
			mode: simt.Address, kind: launch.OutOfBounds, kernel: forward},
		{name: "fast-tail-mask-forgotten", sees: "-----x-x", at: "tail", moves: "state " + allButQ},
	}
}
