package simt

import (
	"fmt"
	"strings"
)

// Mode is how kernels are compiled and what is looked at while they run.
type Mode string

// The modes.
const (
	Plain   Mode = "plain"
	Address Mode = "address"
	Check   Mode = "check"
)

// common are the options of every compile. Without contraction an order or a compiler
// cannot change what a sum is rounded to; kernels look at float4 through float *,
// which only aliasing rules forbid; and with a frame for every call a return address
// is in the function that called. In the form 5 of debug information addr2line 2.40
// names the wrong file where a source has #line.
var common = [...]string{
	"-std=c++17", "-gdwarf-4", "-fPIC", "-ffp-contract=off", "-fno-strict-aliasing", "-fno-optimize-sibling-calls",
}

// kernelFlags are the options for sources. Shared memory is thread local of an object
// that is there when the program starts, so that no access needs a call.
func (m Mode) kernelFlags(c compiler) ([]string, error) {
	flags := append(common[:len(common):len(common)], "-ftls-model=initial-exec")
	if c.fma {
		flags = append(flags, "-mfma") // else each fmaf is a call
	}
	switch m {
	case Plain:
		return append(flags, "-O2"), nil
	case Address:
		return append(flags, "-O1", "-fsanitize=address", "-fno-omit-frame-pointer"), nil
	case Check:
		return append(flags, c.checkFlags()...), nil
	}
	return nil, fmt.Errorf("choose mode: unknown %q; use %s, %s or %s", string(m), Plain, Address, Check)
}

// checkFlags let the compiler instrument accesses for ThreadSanitizer, whose library
// is not linked: the runner has functions of those names. Copies must stay calls to be
// seen. The accesses must be those of the source, no more and no fewer: both compilers
// leave out stores that others follow, and move reads that cannot trap out of loops and
// conditions, so that threads are seen to read what their source does not. Clang has no
// other way than -O0, with which GCC does not tell of stores of what a call returns.
func (c compiler) checkFlags() []string {
	flags := []string{"-DGPUCI_CHECK", "-fsanitize=thread", "-fno-builtin-memcpy", "-fno-builtin-memset", "-fno-builtin-memmove"}
	if !c.clang {
		return append(flags, "-Og", "-fno-tree-dse", "-fno-tree-loop-im", "-fno-tree-phiprop", "-fno-tree-sink",
			"--param", "tsan-instrument-func-entry-exit=0")
	}
	return append(flags, "-O0", "-mllvm", "-tsan-instrument-func-entry-exit=0",
		"-mllvm", "-tsan-instrument-read-before-write=1") // the read of x += y may be of nobody's word
}

// runnerFlags are the options for the runner and, with link ones, for linking.
func (m Mode) runnerFlags() []string {
	flags := append(common[:len(common):len(common)], "-O2", "-g0", "-pthread")
	switch m {
	case Address:
		flags = append(flags, "-fsanitize=address", "-fno-omit-frame-pointer")
	case Check:
		flags = append(flags, "-DGPUCI_CHECK")
	}
	return flags
}

// sharedFlags are the options for linking the kernels.
func (m Mode) sharedFlags() []string {
	switch m {
	case Address:
		return []string{"-shared", "-fsanitize=address"}
	case Check:
		return []string{"-shared", "-Wl," + strings.Join([]string{"--wrap=memcpy", "--wrap=memset", "--wrap=memmove"}, ",")}
	}
	return []string{"-shared"}
}
