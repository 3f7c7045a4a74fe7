package shim

import "strings"

// readLinker reads a linker's own command line. Everything links but a call
// without arguments, one that asks for the version or for help (every linker ends
// after that, whatever else it was given: so does cc -Wl,--version), one that only
// says its version and goes on to no input (-v, as kernels try options out), and
// `mold -run CMD`, which puts mold under a whole build.
func readLinker(name string, args []string) Call {
	if strings.HasSuffix(unversioned(name), "mold") && len(args) > 0 && (args[0] == "-run" || args[0] == "--run") {
		return Call{Wraps: true}
	}
	inputs, says := false, len(args) == 0
	for i := 0; i < len(args); i++ {
		a := args[i]
		switch {
		case onlyAsks(a):
			return Call{}
		case a == "-v", a == "-V", a == "--verbose", strings.HasPrefix(a, "--print-"):
			says = true
		case hasInput(a):
			inputs = true
			i += linkerTakes(a)
		default:
			i += linkerTakes(a)
		}
	}
	return Call{Links: inputs || !says}
}

// hasInput says whether an argument of a linker is an input, or can bring one: a
// script says INPUT(a.o). The script's options have one dash or two, their value
// in them or behind them, and GNU ld takes the beginning of a long name for it.
func hasInput(a string) bool {
	if len(a) < 2 || a[0] != '-' {
		return true
	}
	switch a[1] {
	case 'T', 'R', 'b', 'c', 'l': // -Tx.ld; -Ttext=0, which brings none, is as good as a doubt
		return true
	}
	long, _, _ := strings.Cut(strings.TrimPrefix(a[1:], "-"), "=")
	if len(long) < 2 {
		return false
	}
	for _, name := range []string{"dT", "script", "default-script", "mri-script", "just-symbols", "library"} {
		if strings.HasPrefix(name, long) {
			return true
		}
	}
	return false
}

// linkerTakes is 1 where the argument after option a belongs to it, and so is not
// read as one that asks. The linkers differ; in none of them does one of these
// stand alone.
func linkerTakes(a string) int {
	if !strings.HasPrefix(a, "-") {
		return 0
	}
	switch strings.TrimPrefix(a[1:], "-") {
	case "A", "F", "I", "L", "O", "R", "T", "Y", "a", "b", "c", "e", "f", "h", "l", "m", "o", "u", "y", "z", "dT",
		"assert", "auxiliary", "default-script", "defsym", "dynamic-linker", "dynamic-list", "entry", "exclude-libs",
		"filter", "fini", "flavor", "format", "hash-style", "init", "just-symbols", "library", "library-path", "Map", "mllvm",
		"mri-script", "oformat", "output", "plugin", "plugin-opt", "require-defined", "retain-symbols-file", "rpath",
		"rpath-link", "script", "section-start", "soname", "sort-section", "trace-symbol", "undefined", "version-script", "wrap":
		return 1
	}
	return 0
}
