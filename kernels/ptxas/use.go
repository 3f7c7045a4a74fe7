package ptxas

import (
	"strconv"
	"strings"

	"gpuci/kernels/entry"
)

// Use is what one kernel takes on one architecture.
type Use struct {
	Kernel string // mangled
	Arch   string // "sm_90"; "" where the text has none, as cuobjdump's
	Line   int    // of the text, from 1, where the kernel is named

	Registers   *int
	Stack       *int // bytes of a thread's frame
	SpillStores *int // bytes, with those of the functions whose lines follow the entry's
	SpillLoads  *int // the same
	OwnStores   *int // bytes, of the entry alone
	OwnLoads    *int // the same
	Barriers    *int
	Shared      *int // bytes; cuobjdump counts the system's 1024 from sm_90 on, ptxas does not
	Local       *int // bytes beside the frame

	Constant map[int]int // bytes by bank
}

// Into gives a module's kernels the spills of a text, and whatever else they lack. What
// a kernel calls counts, where it was compiled with it. In code that is still to be
// linked no function is compiled with a kernel, and the spills of one that calls such
// are not known. A kernel that has other registers than the text says came from another
// compile and is left as it is; so is a kernel that the text names twice for one
// architecture with different numbers. It gives how many kernels it filled in.
func Into(m *entry.Module, uses []Use) int {
	type key struct{ kernel, arch string }
	by := map[key]Use{}
	twice := map[key]bool{}
	for _, u := range uses {
		k := key{u.Kernel, u.Arch}
		if before, there := by[k]; there && !same(before, u) {
			twice[k] = true
		}
		by[k] = u
	}
	filled := 0
	for i := range m.Kernels {
		k := &m.Kernels[i]
		u, there := by[key{k.Name, m.Arch}]
		if !there || twice[key{k.Name, m.Arch}] || !equal(k.Registers, u.Registers) {
			continue
		}
		k.Shared, k.Barriers = or(k.Shared, u.Shared), or(k.Barriers, u.Barriers)
		switch {
		case k.CallsOut:
			continue
		case m.ToLink:
			k.SpillStores, k.SpillLoads = u.OwnStores, u.OwnLoads
		default:
			k.SpillStores, k.SpillLoads = u.SpillStores, u.SpillLoads
		}
		filled++
	}
	return filled
}

func same(a, b Use) bool {
	return equal(a.Registers, b.Registers) && equal(a.SpillStores, b.SpillStores) && equal(a.SpillLoads, b.SpillLoads) && equal(a.Stack, b.Stack)
}

func equal(a, b *int) bool {
	if a == nil || b == nil {
		return a == b
	}
	return *a == *b
}

func or(a, b *int) *int {
	if a != nil {
		return a
	}
	return b
}

// count is a word that is a number, nil where it is none or below zero.
func count(word string) *int {
	n, err := strconv.Atoi(strings.TrimSpace(word))
	if err != nil || n < 0 {
		return nil
	}
	return &n
}

// between is what stands in s after one text and before the next one.
func between(s, after, before string) (string, bool) {
	_, rest, ok := strings.Cut(s, after)
	if !ok {
		return "", false
	}
	found, _, ok := strings.Cut(rest, before)
	return found, ok
}
