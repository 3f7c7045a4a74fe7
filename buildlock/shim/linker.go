package shim

import "strings"

// readLinker reads a linker's own command line. Everything links but a call
// without inputs, which is a question, and `mold -run CMD`, which puts mold
// under a whole build.
func readLinker(name string, args []string) Call {
	if strings.HasSuffix(unversioned(name), "mold") && len(args) > 0 && (args[0] == "-run" || args[0] == "--run") {
		return Call{Wraps: true}
	}
	for i := 0; i < len(args); i++ {
		a := args[i]
		switch {
		case a == "-m", a == "-o", a == "-z", a == "-e", a == "-L", a == "-flavor", a == "-plugin", a == "-dynamic-linker":
			i++
		case !strings.HasPrefix(a, "-"), strings.HasPrefix(a, "-l"), a == "-":
			return Call{Links: true}
		case strings.HasPrefix(a, "--library"), a == "-T", a == "-b", a == "-R", strings.HasPrefix(a, "--just-symbols"):
			return Call{Links: true}
		}
	}
	return Call{}
}
