package shim

import "strings"

// family is one of the two families of compiler drivers.
type family int

const (
	gccOptions family = iota
	clangOptions
)

// takesNext says whether option a takes the argument after it. A table of one
// family only holds what the other reads in another way or refuses.
func (f family) takesNext(a string) bool {
	switch a {
	case "-o", "-x", "-I", "-L", "-l", "-u", "-T", "-z", "-D", "-U", "-A", "-F", "-B", "-MF", "-MT", "-MQ",
		"-Xlinker", "-Xassembler", "-Xpreprocessor", "-Tbss", "-Tdata", "-Ttext",
		"-include", "-isystem", "-iquote", "-idirafter", "-imacros", "-isysroot", "-imultilib",
		"-iprefix", "-iwithprefix", "-iwithprefixbefore", "--param", "--include", "--imacros",
		"--assert", "--define-macro", "--undefine-macro", "--for-linker", "--force-link", "--include-directory",
		"--include-directory-after", "--include-prefix", "--include-with-prefix", "--include-with-prefix-after",
		"--include-with-prefix-before", "--language", "--library-directory", "--output", "--prefix", "--std", "--sysroot":
		return true
	}
	if f == gccOptions {
		return gccTakesNext(a)
	}
	return clangTakesNext(a)
}

func gccTakesNext(a string) bool {
	switch a {
	case "-e", "-h", "-R", "-J", "-aux-info", "-dumpbase", "-dumpbase-ext", "-dumpdir", "-imultiarch",
		"-specs", "--specs", "-wrapper", "-fintrinsic-modules-path", "-gnatO",
		"--dump", "--dumpbase", "--dumpbase-ext", "--dumpdir", "--entry", "--for-assembler":
		return true
	}
	return false
}

func clangTakesNext(a string) bool {
	switch a {
	case "-G", "-MJ", "-b", "-arch", "-target", "-mllvm", "-Xclang", "-Xanalyzer", "-Xarch_device", "-Xarch_host",
		"-Xcuda-fatbinary", "-Xcuda-ptxas", "-Xopenmp-target", "-include-pch", "-cxx-isystem",
		"-dependency-dot", "-dependency-file", "-dsym-dir", "-gen-cdb-fragment-path", "-iframework",
		"-iframeworkwithsysroot", "-isystem-after", "-ivfsoverlay", "-iwithsysroot", "-resource-dir", "-rpath",
		"-serialize-diagnostics", "--serialize-diagnostics", "-stdlib++-isystem", "-undefined",
		"-working-directory", "--analyzer-output", "-arcmt-migrate-report-output", "-ccc-arcmt-migrate",
		"-ccc-gcc-name", "-ccc-install-dir", "-ccc-objcmt-migrate", "-fdebug-compilation-dir",
		"-fmodules-user-build-path", "-ftrapv-handler", "-fxray-instruction-threshold", "-meabi",
		"-module-dependency-dir", "-mthread-model":
		return true
	}
	return strings.HasPrefix(a, "-Xarch_") || strings.HasPrefix(a, "-Xopenmp-target=")
}

// stops says whether option a keeps a driver from linking, wherever it stands.
// -fsyntax-only is not here: it can be taken back.
func (f family) stops(a string) bool {
	switch a {
	case "-c", "-S", "-E", "-M", "-MM", "-###", "--compile", "--assemble", "--preprocess", "--dependencies",
		"--user-dependencies", "--version", "--help", "-dumpversion", "-dumpmachine":
		return true
	}
	if prints(a) {
		return true
	}
	if f == gccOptions {
		return a == "-dumpspecs" || a == "-dumpfullversion" || a == "--target-help" || strings.HasPrefix(a, "--help=")
	}
	switch a {
	case "--analyze", "--precompile", "--emit-static-lib", "--migrate", "-emit-ast", "-emit-pch", "-extract-api",
		"-verify-pch", "-module-file-info", "-rewrite-objc", "-rewrite-legacy-objc", "-help", "--help-hidden":
		return true
	}
	return strings.HasPrefix(a, "-ccc-print-") || strings.HasPrefix(a, "--autocomplete=")
}

// prints says whether an option makes a driver print something of itself, and
// end. An option that only looks like one of these is none to gcc, which links.
func prints(a string) bool {
	what, ok := strings.CutPrefix(strings.TrimPrefix(a, "-"), "-print-")
	if !ok {
		what, ok = strings.CutPrefix(a, "-print-")
	}
	if !ok {
		return false
	}
	what, _, _ = strings.Cut(what, "=")
	switch what {
	case "file-name", "libgcc-file-name", "multi-directory", "multi-lib", "multi-os-directory", "multiarch", "prog-name",
		"search-dirs", "sysroot", "sysroot-headers-suffix", // gcc
		"effective-triple", "target-triple", "targets", "resource-dir", "runtime-dir", "rocm-search-dirs",
		"supported-cpus", "supported-extensions", "enabled-extensions", "diagnostic-options", "diagnostic-categories": // clang
		return true
	}
	return false
}

// hidesLinker says whether option a can make the driver find its linker past
// COMPILER_PATH. What a file of options says is not known, so it can.
func hidesLinker(a string) bool {
	for _, p := range []string{"-B", "--prefix", "--ld-path", "-fuse-ld=/", "--config", "-specs", "--specs"} {
		if strings.HasPrefix(a, p) {
			return true
		}
	}
	return false
}
