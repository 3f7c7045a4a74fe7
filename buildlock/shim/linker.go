package shim

import "strings"

// readLinker reads a linker's own command line. Everything links but a call
// without inputs, one that asks for the version or for help (every linker ends
// after that, whatever else it was given: so does cc -Wl,--version), and `mold
// -run CMD`, which puts mold under a whole build.
func readLinker(name string, args []string) Call {
	if strings.HasSuffix(unversioned(name), "mold") && len(args) > 0 && (args[0] == "-run" || args[0] == "--run") {
		return Call{Wraps: true}
	}
	var c Call
	for i := 0; i < len(args); i++ {
		a := args[i]
		switch {
		case a == "--version", a == "--help":
			return Call{}
		case a == "-m", a == "-o", a == "-z", a == "-e", a == "-L", a == "-flavor", a == "-plugin", a == "-dynamic-linker":
			i++
		case !strings.HasPrefix(a, "-"), strings.HasPrefix(a, "-l"), a == "-":
			c.Links = true
		case strings.HasPrefix(a, "--library"), a == "-T", a == "-b", a == "-R", strings.HasPrefix(a, "--just-symbols"):
			c.Links = true
		}
	}
	return c
}
