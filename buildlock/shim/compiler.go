package shim

import "strings"

// driver is the state of a reading of a compiler's command line.
type driver struct {
	family
	call     Call
	language string // what -x says the next inputs are
	stopped  bool   // an option keeps it from linking
	syntax   bool   // -fsyntax-only
	probes   bool   // it asks the linker for its version or help
	inputs   int    // that the linker gets, whatever is compiled before
	flags    int    // -Wl and -Xlinker: they alone make a driver call the linker
}

// readCompiler reads a driver's arguments as its family does.
func readCompiler(f family, args []string) Call {
	d := &driver{family: f, call: Call{Linker: "ld"}}
	if len(args) > 0 && f == clangOptions && strings.HasPrefix(args[0], "-cc1") {
		return Call{}
	}
	for i := 0; i < len(args); i++ {
		a := args[i]
		if a == "--" {
			for _, input := range args[i+1:] {
				d.input(input)
			}
			break
		}
		if a == "-" || !strings.HasPrefix(a, "-") {
			d.input(a)
			continue
		}
		next := ""
		if d.takesNext(a) && i+1 < len(args) {
			i++
			next = args[i]
		}
		d.option(a, next)
	}
	return d.verdict()
}

// option takes in one option and the argument that belongs to it.
func (d *driver) option(a, next string) {
	if hidesLinker(a) {
		d.call.Hidden = true
	}
	switch {
	case d.stops(a):
		d.stopped = true
		d.call.Prints = d.call.Prints || a == "-###" || strings.Contains(a, "-print-")
	case a == "-v", a == "--verbose":
		d.call.Prints = true
	case a == "-fsyntax-only", a == "-fno-syntax-only":
		d.syntax = a == "-fsyntax-only"
	case a == "-x", a == "--language":
		d.language = next
	case strings.HasPrefix(a, "-x"):
		d.language = a[2:]
	case strings.HasPrefix(a, "--language="):
		d.language = a[len("--language="):]
	case strings.HasPrefix(a, "-fuse-ld="):
		if name := a[len("-fuse-ld="):]; name != "" && name != "ld" {
			d.call.Linker = "ld." + name
		}
	default:
		d.forLinker(a, next)
	}
}

// forLinker takes in what the linker gets. A library is an input like an
// object file; so is -z for clang.
func (d *driver) forLinker(a, next string) {
	switch {
	case strings.HasPrefix(a, "-l"):
		d.inputs++
	case strings.HasPrefix(a, "-Wl,"):
		d.flags++
		for part := range strings.SplitSeq(a[len("-Wl,"):], ",") {
			d.toLinker(part)
		}
	case a == "-Xlinker", a == "--for-linker":
		d.flags++
		d.toLinker(next)
	case strings.HasPrefix(a, "--for-linker="):
		d.flags++
		d.toLinker(a[len("--for-linker="):])
	case a == "-z" && d.family == clangOptions:
		d.inputs++
	}
}

// toLinker takes in one word that goes to the linker as it is. collect2, which
// gcc puts before it, reads some too, and prints what it executes.
func (d *driver) toLinker(a string) {
	asks := onlyAsks(a)
	d.probes = d.probes || asks
	d.call.Prints = d.call.Prints || asks || a == "-v" || a == "-debug"
}

// input takes in one file. A header is compiled, and nothing of it is linked.
func (d *driver) input(name string) {
	kind := kindOf(name)
	if d.language != "" && d.language != "none" {
		kind = source
		if strings.HasSuffix(d.language, "header") {
			kind = header
		}
	}
	if kind == header {
		return
	}
	d.inputs++
	d.call.Compiles = d.call.Compiles || kind == source
}

func (d *driver) verdict() Call {
	asks := d.inputs == 0 && (d.flags == 0 || d.probes)
	d.call.Links = !d.stopped && !d.syntax && !asks
	return d.call
}
