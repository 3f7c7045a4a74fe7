package build

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// common are the options of every call for the set. Directories below the root are
// given relative to it, so that lanes make the same of the same.
func (s Set) common() []string {
	var args []string
	for _, dir := range s.Include {
		args = append(args, "-I"+within(s.Root, dir))
	}
	return append(args, s.Flags...)
}

// argv are the options of a unit, less those that say where its files go. ptxas
// is always asked what it used: it says so for nothing.
func (s Set) argv(u unit) []string {
	args := []string{u.kind.flag()}
	switch u.kind {
	case Cubin, PTX:
		args = append(args, "-arch="+u.archs[0])
	default:
		for _, a := range u.archs {
			virtual := "compute_" + archName.FindStringSubmatch(a)[2]
			args = append(args, "-gencode=arch="+virtual+",code="+a)
		}
	}
	if u.kind != PTX {
		args = append(args, "-Xptxas", "-v")
	}
	return append(append(args, s.common()...), u.source)
}

// telling are the variables of the environment that change what is compiled, and what
// the names of others begin with: nvcc puts what its nvcc.profile adds to behind what
// the environment has. COMPILER_PATH is not among them: a link shim's directory is in it.
var telling = []string{"CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH", "GCC_EXEC_PREFIX", "SOURCE_DATE_EPOCH", "CCC_OVERRIDE_OPTIONS",
	"INCLUDES", "SYSTEM_INCLUDES", "LIBRARIES", "OPENCC_FLAGS", "NV_NVVM_VERSION"}

var tellingPrefixes = []string{"NVCC_", "NVVM_", "CICC_", "EDG_", "PTXAS_", "OCG_", "CUDAFE_", "NVLINK_", "FATBINARY_"}

// tells are the variables of an environment that count, and of those named besides,
// sorted.
func tells(env, besides []string) []string {
	var all []string
	for _, e := range env {
		name, _, _ := strings.Cut(e, "=")
		counts := slices.Contains(telling, name) || slices.Contains(besides, name) ||
			slices.ContainsFunc(tellingPrefixes, func(p string) bool { return strings.HasPrefix(name, p) })
		if counts && !slices.Contains(all, name) {
			all = append(all, name)
		}
	}
	slices.Sort(all)
	return all
}

// misleading are those that would make the host compiler write dependencies of its
// own, or what it did.
var misleading = []string{"DEPENDENCIES_OUTPUT", "SUNPRO_DEPENDENCIES", "CC_LOG_DIAGNOSTICS_FILE", "CC_PRINT_OPTIONS_FILE", "CC_PRINT_HEADERS_FILE",
	"CC_PRINT_INTERNAL_STAT_FILE"}

// variable is the last value of a name in an environment.
func variable(env []string, name string) string {
	for _, e := range slices.Backward(env) {
		if v, ok := strings.CutPrefix(e, name+"="); ok {
			return v
		}
	}
	return ""
}

// embedsPaths is whether the options put the paths of sources into what is made.
// It looks for the letters anywhere, and is then right too often: such lanes only
// do not share.
func embedsPaths(options string) bool {
	for _, sign := range []string{"-g", "-G", "lineinfo", "line-info", "debug", "src-in-ptx", "source-in-ptx", "-pg"} {
		if strings.Contains(options, sign) {
			return true
		}
	}
	return false
}

// hosts are the host compilers that nvcc could call: those that the options or
// NVCC_CCBIN name, or else every one on PATH.
func (s Set) hosts(env, options []string) []string {
	named := variable(env, "NVCC_CCBIN")
	for i := range options {
		if name, v, _ := value(options, i); name == "-ccbin" || name == "--compiler-bindir" {
			named = v
		}
	}
	dirs := filepath.SplitList(variable(env, "PATH"))
	names := []string{"gcc", "g++"}
	if named != "" {
		if info, err := os.Stat(s.absolute(named)); err == nil && info.IsDir() {
			dirs = []string{s.absolute(named)}
		} else if strings.Contains(named, "/") {
			return []string{s.absolute(named)}
		} else {
			names = []string{named}
		}
	}
	return executables(dirs, names)
}

// named is whether the entry of an environment is one of these variables.
func named(entry string, names []string) bool {
	name, _, _ := strings.Cut(entry, "=")
	return slices.Contains(names, name)
}
