package reaper_test

import (
	"path"
	"slices"
	"strings"

	"gpuci/reaper"
)

// referenceFamily is the list in point 1.
func referenceFamily() []string {
	return strings.Fields(`ld ld.bfd ld.gold ld.lld lld rust-lld wasm-ld ld.mold mold wild collect2
		cc c++ gcc g++ clang clang++ cc1 cc1plus as lto1 lto-wrapper lto-plugin rustc
		nvcc cudafe++ cicc ptxas fatbinary nvlink gpuci-link`)
}

// isMember is point 1.
func (r *reference) isMember(it reaper.Process) bool {
	return r.must(clauseMemberZombie, !it.Zombie()) && r.must(clauseMemberKernel, !it.Kernel) &&
		r.must(clauseMemberKnown, it.Exe.Known()) &&
		(r.familyName(path.Base(it.Exe.Path)) || r.must(clauseCommLies, false) && r.familyName(it.Comm))
}

// isWrapper is point 2.
func (r *reference) isWrapper(it reaper.Process) bool {
	return r.must(clauseWrapperZombie, !it.Zombie()) && r.must(clauseWrapperKernel, !it.Kernel) &&
		r.must(clauseWrapperKnown, it.Exe.Known()) &&
		r.must(clauseInterpreter, interprets(path.Base(it.Exe.Path))) &&
		r.must(clauseWrapperComm, r.familyName(it.Comm))
}

func interprets(name string) bool {
	names := []string{"sh", "bash", "dash", "zsh", "ksh", "ash", "busybox", "env", "perl", "ruby"}
	return slices.Contains(names, name) || strings.HasPrefix(name, "python")
}

// familyName says whether a name is in the family, as it is or with a version
// or a target prefix taken off, or both.
//
// Reading: a prefix has two parts or three; one of four, as in
// aarch64-unknown-linux-gnu-ld, stays on, and the name is nobody's.
func (r *reference) familyName(name string) bool {
	parts := strings.Split(name, "-")
	froms, tos := []int{0}, []int{len(parts)}
	if r.may(clausePrefix, true) {
		froms = []int{0, 2, 3}
	}
	if r.may(clauseVersion, version(parts[len(parts)-1])) {
		tos = append(tos, len(parts)-1)
	}
	for _, from := range froms {
		for _, to := range tos {
			if from < to && !slices.Contains(parts[:from], "") && slices.Contains(r.names, strings.Join(parts[from:to], "-")) {
				return true
			}
		}
	}
	return false
}

// version says whether a text is 12 or 22.1.
func version(text string) bool {
	major, minor, dotted := strings.Cut(text, ".")
	return digits(major) && (!dotted || digits(minor))
}

func digits(text string) bool { return text != "" && strings.Trim(text, "0123456789") == "" }
