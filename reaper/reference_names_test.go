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
		nvcc cudafe++ cicc ptxas fatbinary nvlink gpuci-link
		rustdoc clippy-driver f951 gfortran ccache build-script-build build-script-main`)
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
func (r *reference) familyName(name string) bool {
	parts := strings.Split(name, "-")
	ends := []int{len(parts)}
	if r.may(clauseVersion, version(parts[len(parts)-1])) {
		ends = append(ends, len(parts)-1)
	}
	for _, end := range ends {
		for begin := range end {
			if r.prefix(parts[:begin]) && slices.Contains(r.names, strings.Join(parts[begin:end], "-")) {
				return true
			}
		}
	}
	return false
}

// prefix says whether these first parts of a name may be taken off.
//
// Reading: none of them is empty.
func (r *reference) prefix(parts []string) bool {
	switch n := len(parts); {
	case n == 0:
		return true
	case slices.Contains(parts, ""), n == 1 && !r.must(clausePrefixOne, false),
		n == 4 && !r.may(clausePrefixFour, true), n > 4 && !r.must(clausePrefixFive, false):
		return false
	}
	return r.may(clausePrefix, true) &&
		r.must(clausePrefixArchitecture, slices.Contains(referenceArchitectures(), parts[0]))
}

// referenceArchitectures is the list in the amendment to point 1.
//
// Reading: "one of those with an r6 or el suffix as listed" speaks of those in
// the list that have one, and adds none.
func referenceArchitectures() []string {
	return strings.Fields(`x86_64 i386 i486 i586 i686 aarch64 aarch64_be
		arm armeb armv6 armv6l armv7 armv7a armv7l armv7hl riscv32 riscv64
		powerpc powerpc64 powerpc64le ppc64le s390x mips mipsel mips64 mips64el
		loongarch64 sparc64 wasm32 nvptx64`)
}

// version says whether a text is 12 or 22.1.
func version(text string) bool {
	major, minor, dotted := strings.Cut(text, ".")
	return digits(major) && (!dotted || digits(minor))
}

func digits(text string) bool { return text != "" && strings.Trim(text, "0123456789") == "" }
