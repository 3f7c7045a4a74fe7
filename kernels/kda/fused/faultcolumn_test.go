package fused_test

import "gpuci/kernels/kda"

// column is a case by which a fault is judged.
type column struct {
	letter string
	kda.Case
}

// columns are one chunk bare, with a state, and with a final-state gradient too; two
// chunks without and with one; four with a tail; K = V; longer chunks under strong
// decay.
func columns() []column {
	shape := func(t, k, v, c int) kda.Shape { return kda.Shape{B: 2, H: 2, T: t, K: k, V: v, C: c} }
	list := []column{
		{"bare", kda.Case{Family: kda.Mild, Shape: shape(16, 20, 12, 16), NoState: true, NoFinal: true}},
		{"state", kda.Case{Family: kda.Mild, Shape: shape(16, 20, 12, 16), NoFinal: true}},
		{"one", kda.Case{Family: kda.Mild, Shape: shape(16, 20, 12, 16)}},
		{"open", kda.Case{Family: kda.Mild, Shape: shape(32, 20, 12, 16), NoFinal: true}},
		{"two", kda.Case{Family: kda.Mild, Shape: shape(32, 20, 12, 16)}},
		{"tail", kda.Case{Family: kda.Mild, Shape: shape(61, 20, 12, 16)}},
		{"square", kda.Case{Family: kda.Mild, Shape: shape(32, 12, 12, 16)}},
		{"strong", kda.Case{Family: kda.Strong, Shape: shape(84, 12, 20, 64)}},
	}
	for i := range list {
		list[i].Name, list[i].Seed = list[i].letter, 3
	}
	return list
}

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
