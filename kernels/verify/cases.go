package verify

import (
	"fmt"

	"gpuci/kernels/kda"
	"gpuci/kernels/seed"
)

// families are those of package kda, the mildest first.
func families() []kda.Family {
	return []kda.Family{kda.Mild, kda.Moderate, kda.Strong, kda.VeryStrong}
}

// adjointCases is what the fused adjoint is judged on. What each part is there for:
//
//   - every family over 1, 2, 4 and 16 chunks, one of them with a tail, K above V;
//   - chunks of 32 and of 64 rows in every family, K below V;
//   - one row, a chunk and one row, a chunk less one, a long tail;
//   - state and final-state gradient, each and both absent;
//   - the KDA and GDN gates, mild and strong; a zero key; a scale of its own;
//   - heads as models have them: 64 and 128 channels, K = V, K != V both ways, and 100,
//     which no tile divides;
//   - 16 chunks of 64 rows;
//   - the shape that has kernels of its own (fastCases).
//
// Two batches and two or three heads throughout: one of either hides a layout swap.
func adjointCases() []kda.Case {
	var list []kda.Case
	for _, f := range families() {
		list = append(list, lengths(f)...)
		list = append(list,
			kda.Case{Name: string(f) + "-C32", Family: f, Shape: shape(80, 12, 20, 32)},
			kda.Case{Name: string(f) + "-C64", Family: f, Shape: shape(84, 12, 20, 64)})
	}
	list = append(list, edgeCases()...)
	list = append(list, modelCases()...)
	return append(list, fastCases()...)
}

// lengths are 1, 2, 4 and 16 chunks of 16 rows.
func lengths(f kda.Family) (list []kda.Case) {
	for _, l := range []struct{ chunks, rows int }{{1, 16}, {2, 32}, {4, 61}, {16, 251}} {
		list = append(list, kda.Case{Name: fmt.Sprintf("%s-%d", f, l.chunks), Family: f, Shape: shape(l.rows, 20, 12, 16)})
	}
	return list
}

// shape has two batches and two heads.
func shape(t, k, v, c int) kda.Shape { return kda.Shape{B: 2, H: 2, T: t, K: k, V: v, C: c} }

func edgeCases() []kda.Case {
	two := shape(29, 20, 12, 16)
	return []kda.Case{
		{Name: "one-row", Family: kda.Moderate, Shape: shape(1, 20, 12, 16)},
		{Name: "one-past", Family: kda.Mild, Shape: shape(17, 20, 12, 16)},
		{Name: "short-chunk", Family: kda.Moderate, Shape: shape(31, 12, 20, 32)},
		{Name: "three-heads", Family: kda.Moderate, Shape: kda.Shape{B: 3, H: 3, T: 40, K: 5, V: 3, C: 16}},
		{Name: "no-state", Family: kda.Mild, Shape: two, NoState: true},
		{Name: "no-final", Family: kda.Mild, Shape: two, NoFinal: true},
		{Name: "bare", Family: kda.Mild, Shape: two, NoState: true, NoFinal: true},
		{Name: "kda", Family: kda.Mild, Gates: kda.KDA, Shape: two},
		{Name: "kda-strong", Family: kda.Strong, Gates: kda.KDA, Shape: two},
		{Name: "gdn", Family: kda.Mild, Gates: kda.GDN, Shape: two},
		{Name: "gdn-strong", Family: kda.Strong, Gates: kda.GDN, Shape: two},
		{Name: "zero-key", Family: kda.Moderate, Shape: two, ZeroKey: true},
		{Name: "scale", Family: kda.Mild, Shape: two, Scale: 0.75},
	}
}

func modelCases() []kda.Case {
	return []kda.Case{
		{Name: "heads-64", Family: kda.Moderate, Shape: shape(130, 64, 64, 64)},
		{Name: "long", Family: kda.Mild, Shape: shape(1000, 20, 12, 64)},
		{Name: "heads-64-very-strong", Family: kda.VeryStrong, Shape: shape(70, 64, 64, 64)},
		{Name: "heads-128", Family: kda.Mild, Shape: shape(67, 128, 128, 64)},
		{Name: "heads-128-64", Family: kda.Strong, Shape: shape(40, 128, 64, 32)},
		{Name: "heads-64-128", Family: kda.Mild, Shape: shape(40, 64, 128, 32)},
		{Name: "heads-100", Family: kda.Moderate, Shape: shape(35, 100, 100, 16)},
	}
}

// checkCases are few: what is looked for is told by addresses and not by values, and
// every access costs. They have each size of chunk, a tail, one row alone, and more
// channels than a block has rows of threads. Where the shared memory of a kernel is the
// larger of two sums, each is the larger one in a case with a whole chunk.
func checkCases() []kda.Case {
	return append(fastCheckCases(), []kda.Case{
		{Name: "one-row", Family: kda.Moderate, Shape: shape(1, 5, 3, 16)},
		{Name: "one-past", Family: kda.Moderate, Shape: shape(17, 20, 12, 16)},
		{Name: "tail", Family: kda.Moderate, Shape: shape(45, 12, 20, 16)},
		{Name: "short-chunk", Family: kda.Moderate, Shape: shape(31, 20, 12, 32)},
		{Name: "chunk-64", Family: kda.Moderate, Shape: kda.Shape{B: 1, H: 2, T: 84, K: 33, V: 17, C: 64}},
		{Name: "few-values", Family: kda.Moderate, Shape: kda.Shape{B: 1, H: 2, T: 84, K: 128, V: 12, C: 64}},
		{Name: "heads-100", Family: kda.Moderate, Shape: kda.Shape{B: 1, H: 2, T: 37, K: 100, V: 100, C: 32}},
		{Name: "heads-128", Family: kda.Moderate, Shape: kda.Shape{B: 2, H: 1, T: 70, K: 128, V: 128, C: 64}},
	}...)
}

// kdaNames are the names of cases.
func kdaNames(cases func() []kda.Case) func(Options) ([]string, error) {
	return namesOf(cases, func(c kda.Case) string { return c.Name })
}

// namesOf are the names of cases of any kind.
func namesOf[C any](cases func() []C, name func(C) string) func(Options) ([]string, error) {
	return func(Options) (names []string, err error) {
		for _, c := range cases() {
			names = append(names, name(c))
		}
		return names, nil
	}
}

// seeded gives each case a seed of its own, from its name and the seed of the run.
func seeded(list []kda.Case, of uint64) []kda.Case {
	for i := range list {
		list[i].Seed = seed.Of(list[i].Name) ^ of
	}
	return list
}
