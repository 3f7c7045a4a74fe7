package simt

import (
	"fmt"
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
	// A float converted to an integer that cannot hold it is undefined, and saturates on
	// devices: the kernel is ended rather than given a third thing.
	flags = append(flags, "-fsanitize=float-cast-overflow", "-fsanitize-undefined-trap-on-error")
	flags = append(flags, c.localFlags(m)...)
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

// localFlags are about variables of a thread that are read before they are written. No
// build looks at those while it runs: the compiler refuses what it can tell, and else
// they begin as no value that a kernel means, which is NaN with Clang and -1.7e38 with
// GCC. Clang tells less; what may be, it tells also where it cannot be.
func (c compiler) localFlags(m Mode) []string {
	flags := []string{"-Werror=uninitialized"}
	if !c.clang {
		flags = append(flags, "-Wno-attributes") // of extern __shared__ arrays; see gpuci_simt.h
	}
	if c.clang || c.version >= 12 {
		flags = append(flags, "-ftrivial-auto-var-init=pattern")
	}
	switch {
	case !c.clang:
		return append(flags, "-Werror=maybe-uninitialized")
	case m == Check:
		return append(flags, "-Werror=sometimes-uninitialized", "-Werror=conditional-uninitialized")
	}
	return append(flags, "-Werror=sometimes-uninitialized")
}

// looked are functions of the C library that are given addresses; the check build has its
// own of them in instrument.h. The first four the compilers would put into the kernel.
var looked = [...]string{
	"memcpy", "memset", "memmove", "memcmp", "modff", "modf", "frexpf", "frexp", "remquof", "remquo", "sincosf", "sincos",
}

// inlining has GCC put every function that it can into its callers, before it looks at
// accesses: what a call itself reads and writes it does not tell. See unseen.
var inlining = []string{
	"-fno-semantic-interposition", "-finline-functions", "-finline-small-functions",
	"--param", "early-inlining-insns=100000", "--param", "max-early-inliner-iterations=16",
	"--param", "max-inline-insns-auto=100000", "--param", "max-inline-insns-single=100000",
	"--param", "large-function-insns=1000000", "--param", "large-function-growth=100000",
	"--param", "large-unit-insns=1000000", "--param", "inline-unit-growth=100000",
	"--param", "large-stack-frame=1000000", "--param", "large-stack-frame-growth=100000",
}

// checkFlags let the compiler instrument accesses for ThreadSanitizer, whose library
// is not linked: the runner has functions of those names. Copies must stay calls to be
// seen. The accesses must be those of the source, no more and no fewer: both compilers
// leave out stores that others follow, and move reads that cannot trap out of loops and
// conditions, so that threads are seen to read what their source does not. Clang has no
// other way than -O0, with which GCC does not tell of stores of what a call returns.
func (c compiler) checkFlags() []string {
	flags := []string{
		"-DGPUCI_CHECK", "-fsanitize=thread", "-fno-sanitize-undefined-trap-on-error", "-fno-omit-frame-pointer",
	}
	for _, name := range looked[:4] {
		flags = append(flags, "-fno-builtin-"+name)
	}
	if !c.clang {
		flags = append(flags, "-Og", "-fno-tree-dse", "-fno-tree-loop-im", "-fno-tree-phiprop", "-fno-tree-sink",
			"-fsanitize=bounds", "--param", "tsan-instrument-func-entry-exit=0")
		return append(flags, inlining...)
	}
	return append(flags, "-O0", "-fsanitize=array-bounds", "-mllvm", "-tsan-instrument-func-entry-exit=0",
		"-mllvm", "-tsan-instrument-read-before-write=1") // the read of x += y may be of nobody's word
}

// runnerFlags are the options for the runner and, with link ones, for linking.
func (m Mode) runnerFlags() []string {
	flags := append(common[:len(common):len(common)], "-O2", "-g0", "-pthread")
	switch m {
	case Address:
		flags = append(flags, "-fsanitize=address", "-fno-omit-frame-pointer")
	case Check:
		flags = append(flags, "-DGPUCI_CHECK", "-fno-omit-frame-pointer")
	}
	return flags
}

// sharedFlags are the options for linking the kernels.
func (m Mode) sharedFlags() []string {
	switch m {
	case Address:
		return []string{"-shared", "-fsanitize=address"}
	case Check:
		flags := []string{"-shared"}
		for _, name := range looked {
			flags = append(flags, "-Wl,--wrap="+name)
		}
		return flags
	}
	return []string{"-shared"}
}
