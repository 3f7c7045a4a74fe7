package verify

import (
	"fmt"

	"gpuci/kernels/kda"
)

// fastCases are of the shape for which there are kernels of their own, in chunks of 16
// rows with 64 key channels and value channels in slices of 64 (see [fused.Fast]): every
// family over 1, 2, 4 and 16 chunks with tails, what the other kernels have at the edges,
// and more than one slice.
func fastCases() []kda.Case {
	var list []kda.Case
	for _, f := range families() {
		list = append(list, fastLengths(f)...)
	}
	two := fastShape(29)
	return append(list,
		kda.Case{Name: "fast-one-row", Family: kda.Moderate, Shape: fastShape(1)},
		kda.Case{Name: "fast-one-past", Family: kda.Mild, Shape: fastShape(17)},
		kda.Case{Name: "fast-short-chunk", Family: kda.Strong, Shape: fastShape(11)},
		kda.Case{Name: "fast-no-state", Family: kda.Mild, Shape: two, NoState: true},
		kda.Case{Name: "fast-no-final", Family: kda.Mild, Shape: two, NoFinal: true},
		kda.Case{Name: "fast-bare", Family: kda.Mild, Shape: two, NoState: true, NoFinal: true},
		kda.Case{Name: "fast-kda-strong", Family: kda.Strong, Gates: kda.KDA, Shape: two},
		kda.Case{Name: "fast-gdn", Family: kda.Mild, Gates: kda.GDN, Shape: two},
		kda.Case{Name: "fast-zero-key", Family: kda.Moderate, Shape: two, ZeroKey: true},
		kda.Case{Name: "fast-scale", Family: kda.Mild, Shape: two, Scale: 0.75},
		kda.Case{Name: "fast-128", Family: kda.Mild, Shape: kda.Shape{B: 2, H: 3, T: 33, K: 64, V: 128, C: 16}},
		kda.Case{Name: "fast-192-very-strong", Family: kda.VeryStrong, Shape: kda.Shape{B: 2, H: 2, T: 20, K: 64, V: 192, C: 16}},
	)
}

// fastLengths are 1, 2, 4 and 16 chunks.
func fastLengths(f kda.Family) (list []kda.Case) {
	for _, c := range lengths(f) {
		c.Shape = fastShape(c.Shape.T)
		c.Name = fmt.Sprintf("fast-%d-%s", c.Shape.Chunks(), f)
		list = append(list, c)
	}
	return list
}

// fastShape has two batches and two heads.
func fastShape(t int) kda.Shape { return shape(t, 64, 64, 16) }

// fastCheckCases are few, as [checkCases] are: one row, a tail behind whole chunks, and
// two slices of value channels.
func fastCheckCases() []kda.Case {
	return []kda.Case{
		{Name: "fast-one-row", Family: kda.Moderate, Shape: fastShape(1)},
		{Name: "fast-tail", Family: kda.Moderate, Shape: kda.Shape{B: 2, H: 1, T: 37, K: 64, V: 64, C: 16}},
		{Name: "fast-128", Family: kda.Moderate, Shape: kda.Shape{B: 1, H: 2, T: 17, K: 64, V: 128, C: 16}},
	}
}
