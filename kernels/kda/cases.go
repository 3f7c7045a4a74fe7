package kda

import "hash/fnv"

// Cases lists what the oracle is judged on, small enough to differentiate by
// every element unless Directions says otherwise. What each is there for:
//
//   - 1, 2, 4 and 16 chunks; a tail; one row; exactly a chunk and one more;
//   - state and final-state gradient, each and both absent, for the terms that
//     one of them alone hides;
//   - more key than value channels and the reverse, since K = V hides a
//     transpose by reshape, and K = V itself;
//   - two batches and two or three heads throughout, since one of either hides
//     a layout swap;
//   - each decay family, the KDA and GDN gates, a zero key, a scale of its own;
//   - larger shapes, and a chunk whose exp(-G) overflows float64.
func Cases() []Case {
	cases := append(lengthCases(), stateCases()...)
	cases = append(cases, valueCases()...)
	cases = append(cases, largeCases()...)
	for i := range cases {
		cases[i].Seed = seedOf(cases[i].Name)
	}
	return cases
}

// seedOf hashes a name (FNV-1a, 64 bits), so that a new case leaves the
// inputs of the others as they were. It is kernels/seed's, again: this package
// imports none of ours, and tests run copies of it alone.
func seedOf(name string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(name))
	return h.Sum64()
}

// small is a shape with two batches, two heads and K != V.
func small(t, c int) Shape { return Shape{B: 2, H: 2, T: t, K: 5, V: 3, C: c} }

func lengthCases() []Case {
	return []Case{
		{Name: "one-row", Family: Moderate, Shape: small(1, 4)},
		{Name: "one-chunk", Family: Mild, Shape: small(6, 6)},
		{Name: "one-past", Family: Mild, Shape: small(6, 5)},
		{Name: "two-chunks", Family: Mild, Shape: small(10, 5)},
		{Name: "four-chunks", Family: Mild, Shape: small(16, 4)},
		{Name: "sixteen-chunks", Family: Mild, Shape: Shape{B: 2, H: 2, T: 32, K: 3, V: 4, C: 2}},
		{Name: "sixteen-chunks-strong", Family: Strong, Shape: Shape{B: 2, H: 2, T: 31, K: 3, V: 4, C: 2}},
		{Name: "four-chunks-of-16", Family: Moderate, Shape: small(64, 16)},
		{Name: "tail", Family: Moderate, Shape: small(11, 4)},
		{Name: "short-chunk", Family: Moderate, Shape: small(3, 8)},
		{Name: "one-row-chunks", Family: Moderate, Shape: small(5, 1)},
	}
}

func stateCases() []Case {
	return []Case{
		{Name: "one-row-no-state", Family: Moderate, Shape: small(1, 4), NoState: true},
		{Name: "one-chunk-no-state", Family: Mild, Shape: small(6, 6), NoState: true, NoFinal: true},
		{Name: "one-chunk-no-final", Family: Mild, Shape: small(6, 6), NoFinal: true},
		{Name: "two-chunks-no-state", Family: Mild, Shape: small(10, 5), NoState: true},
		{Name: "two-chunks-no-final", Family: Mild, Shape: small(10, 5), NoFinal: true},
		{Name: "tail-bare", Family: Mild, Shape: small(11, 4), NoState: true, NoFinal: true},
	}
}

func valueCases() []Case {
	wide := Shape{B: 2, H: 3, T: 9, K: 3, V: 6, C: 4}
	square := Shape{B: 3, H: 2, T: 9, K: 4, V: 4, C: 4}
	return []Case{
		{Name: "wide", Family: Moderate, Shape: wide},
		{Name: "square", Family: Moderate, Shape: square},
		{Name: "moderate", Family: Moderate, Shape: small(14, 4)},
		{Name: "strong", Family: Strong, Shape: small(14, 4)},
		{Name: "very-strong", Family: VeryStrong, Shape: small(14, 4)},
		{Name: "kda", Family: Moderate, Gates: KDA, Shape: small(11, 4)},
		{Name: "gdn", Family: Moderate, Gates: GDN, Shape: small(11, 4)},
		{Name: "zero-key", Family: Moderate, Shape: small(11, 4), ZeroKey: true},
		{Name: "scale", Family: Mild, Shape: small(11, 4), Scale: 0.75},
	}
}

func largeCases() []Case {
	large := Shape{B: 2, H: 2, T: 72, K: 24, V: 16, C: 32}
	heads := Shape{B: 2, H: 2, T: 130, K: 64, V: 64, C: 64} // a head as models have it
	long := Shape{B: 2, H: 2, T: 200, K: 4, V: 3, C: 192}
	return []Case{
		{Name: "large-mild", Family: Mild, Shape: large, Directions: 2},
		{Name: "large-strong", Family: Strong, Shape: large, Directions: 2},
		{Name: "large-kda", Family: Moderate, Gates: KDA, Shape: large, Directions: 2},
		{Name: "large-heads", Family: Moderate, Shape: heads, Directions: 1},
		{Name: "overflow", Family: VeryStrong, Shape: long, Directions: 2},
	}
}
