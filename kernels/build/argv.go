package build

import (
	"fmt"
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

// optionFiles gives the text of every file of options among the flags.
func (s Set) optionFiles() (string, error) {
	var b strings.Builder
	for i, f := range s.Flags {
		name, value, joined := strings.Cut(f, "=")
		if name != "-optf" && name != "--options-file" {
			continue
		}
		if !joined && i+1 < len(s.Flags) {
			value = s.Flags[i+1]
		}
		for path := range strings.SplitSeq(value, ",") {
			text, err := os.ReadFile(s.absolute(path))
			if err != nil {
				return "", fmt.Errorf("read the options of flag %s: %w", f, err)
			}
			fmt.Fprintf(&b, "%s %q\n", path, text)
		}
	}
	return b.String(), nil
}

// telling are the variables of the environment that change what is compiled.
// COMPILER_PATH is not among them: a link shim's directory is in it.
var telling = []string{"NVCC_PREPEND_FLAGS", "NVCC_APPEND_FLAGS", "NVCC_CCBIN", "CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH",
	"GCC_EXEC_PREFIX", "SOURCE_DATE_EPOCH", "CCC_OVERRIDE_OPTIONS"}

// misleading are those that would make the host compiler write dependencies of its
// own.
var misleading = []string{"DEPENDENCIES_OUTPUT", "SUNPRO_DEPENDENCIES"}

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
func (s Set) hosts(env []string) []string {
	named := variable(env, "NVCC_CCBIN")
	all := append(strings.Fields(variable(env, "NVCC_PREPEND_FLAGS")), append(slices.Clone(s.Flags), strings.Fields(variable(env, "NVCC_APPEND_FLAGS"))...)...)
	for i, f := range all {
		name, value, joined := strings.Cut(f, "=")
		if name != "-ccbin" && name != "--compiler-bindir" {
			continue
		}
		if !joined && i+1 < len(all) {
			value = all[i+1]
		}
		named = value
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
