package build

import (
	"fmt"
	"slices"
	"strings"
)

// owned are the options that the set itself decides, or that make nvcc do
// something else than compile.
var owned = []string{"-o", "--output-file", "-odir", "--output-directory", "-cubin", "--cubin", "-ptx", "--ptx", "-fatbin", "--fatbin",
	"-cuda", "--cuda", "-optix-ir", "--optix-ir", "-ltoir", "--ltoir", "-fdevice-syntax-only", "--fdevice-syntax-only",
	"-c", "--compile", "-dc", "--device-c", "-dw", "--device-w", "-dlink", "--device-link", "-lib", "--lib", "-link", "--link",
	"-r", "--relocatable-link", "-hls", "--host-linker-script", "-aug-hls", "--augment-host-linker-script",
	"-run", "--run", "-E", "--preprocess", "-M", "-MM", "-MD", "-MMD", "-MF", "-MT", "-MP", "--dependency-output",
	"--generate-dependencies", "--generate-nonsystem-dependencies", "--generate-nonsystem-dependencies-with-compile",
	"--generate-dependency-targets", "--dependency-target-name",
	"--generate-dependencies-with-compile", "-arch", "--gpu-architecture", "-code", "--gpu-code", "-gencode", "--generate-code",
	"-dryrun", "--dryrun", "-x", "--x", "-h", "--help", "-V", "--version", "-clean", "--clean-targets",
	"-arch-ls", "--list-gpu-arch", "-code-ls", "--list-gpu-code"}

// writing are nvcc's options that write files besides the output: over what stands
// there, in the directory of the workspace or wherever they say.
var writing = []string{"-keep", "--keep", "-keep-dir", "--keep-dir", "-save-temps", "--save-temps", "-time", "--time",
	"-fdevice-time-trace", "--fdevice-time-trace"}

// writingHost begin the options of the host compiler that do.
var writingHost = []string{"-save-temps", "--save-temps", "-dump", "-fdump-", "-aux-info", "-M", "-ftest-coverage", "--coverage", "-coverage",
	"-fstack-usage", "-fcallgraph-info", "-gsplit-dwarf", "-fprofile-generate", "-fprofile-dir", "-ftime-trace", "-fsave-optimization-record"}

// writesFile is what of these options writes files elsewhere; "" for none.
func writesFile(nvcc, host, ptxas []string) string {
	for _, w := range nvcc {
		if name, _, _ := strings.Cut(w, "="); slices.Contains(writing, name) {
			return w
		}
	}
	for _, w := range host {
		// -M alone of one letter is a kind of dependencies too, -Wmissing is not.
		if w == "-o" || slices.ContainsFunc(writingHost, func(p string) bool { return strings.HasPrefix(w, p) }) {
			return w
		}
	}
	for _, w := range ptxas {
		if name, _, _ := strings.Cut(w, "="); name == "-o" || name == "--output-file" {
			return w
		}
	}
	return ""
}

// refuse says which flags of the set cannot be.
func (s Set) refuse() (errs []error) {
	var host, ptxas []string
	for i := 0; i < len(s.Flags); {
		f := s.Flags[i]
		name, v, next := value(s.Flags, i)
		switch name {
		case "-Xcompiler", "--compiler-options":
			host = append(host, strings.Split(v, ",")...)
		case "-Xptxas", "--ptxas-options":
			ptxas = append(ptxas, strings.Split(v, ",")...)
		default:
			if slices.Contains(owned, name) {
				errs = append(errs, fmt.Errorf("flag %s: is decided by the set's kinds, architectures and output", f))
			}
			next = i + 1
		}
		i = next
	}
	if w := writesFile(s.Flags, host, ptxas); w != "" {
		errs = append(errs, fmt.Errorf("flag %s: writes files besides the output, over what is there: call nvcc by hand for those", w))
	}
	return errs
}
