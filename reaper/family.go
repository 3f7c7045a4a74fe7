package reaper

import (
	"strings"

	"gpuci/reaper/proc"
)

// DefaultFamily are the programs that links and compilations are made of, by
// the base names of their files, and our own shim while it waits in line.
func DefaultFamily() []string {
	return []string{
		"ld", "ld.bfd", "ld.gold", "ld.lld", "lld", "rust-lld", "wasm-ld", "ld.mold", "mold", "wild",
		"collect2",
		"cc", "c++", "gcc", "g++", "clang", "clang++", "cc1", "cc1plus", "as", "lto1", "lto-wrapper", "lto-plugin",
		"rustc",
		"nvcc", "cudafe++", "cicc", "ptxas", "fatbinary", "nvlink",
		"gpuci-link",
		"rustdoc", "clippy-driver", "f951", "gfortran", "ccache", "build-script-build", "build-script-main",
	}
}

// family is a set of names.
type family map[string]bool

func newFamily(names []string) family {
	if names == nil {
		names = DefaultFamily()
	}
	f := make(family, len(names))
	for _, name := range names {
		f[name] = name != ""
	}
	return f
}

// maxPrefix is how many parts a target prefix has at most:
// aarch64-unknown-linux-gnu- has four, arm-linux- two.
const maxPrefix = 4

// tool is the name in the family that the name of a file stands for, "" when it
// stands for none: x86_64-linux-gnu-gcc-12 is gcc. What stands before it is a
// target if that begins with an architecture and what is left is in the family;
// run-me-as is anybody's name for a program of his own.
func (f family) tool(name string) string {
	bare := unversioned(name)
	switch {
	case f[name]:
		return name
	case f[bare]:
		return bare
	}
	arch, rest, _ := strings.Cut(bare, "-")
	if !architecture(arch) {
		return ""
	}
	for parts := 2; parts <= maxPrefix; parts++ {
		part, after, ok := strings.Cut(rest, "-")
		if !ok || part == "" {
			return ""
		}
		if rest = after; f[rest] {
			return rest
		}
	}
	return ""
}

// architecture says whether a word is the first one of a target, as compilers
// and distributions write them.
func architecture(name string) bool {
	switch name {
	case "x86_64", "i386", "i486", "i586", "i686",
		"aarch64", "aarch64_be", "arm", "armeb", "armv6", "armv6l", "armv7", "armv7a", "armv7l", "armv7hl",
		"riscv32", "riscv64", "powerpc", "powerpc64", "powerpc64le", "ppc64le", "s390x",
		"mips", "mipsel", "mips64", "mips64el", "loongarch64", "sparc64", "wasm32", "nvptx64":
		return true
	}
	return false
}

// unversioned takes a version off a name: clang-22, ld.lld-15.0.
func unversioned(name string) string {
	i := strings.LastIndexByte(name, '-')
	if i <= 0 || i == len(name)-1 {
		return name
	}
	for part := range strings.SplitSeq(name[i+1:], ".") {
		if part == "" || strings.Trim(part, "0123456789") != "" {
			return name
		}
	}
	return name[:i]
}

// member is the tool that a process runs, by its program's file and nothing
// else: argv[0] and the name it goes by are its own to choose.
func (f family) member(p Process) string {
	if p.Zombie() || p.Kernel || !p.Exe.Known() {
		return ""
	}
	return f.tool(base(p.Exe))
}

// wrapper is the tool that a script stands in for, "" when p is none: an
// interpreter that goes by the name of a tool.
func (f family) wrapper(p Process) string {
	if p.Zombie() || p.Kernel || !p.Exe.Known() || !interpreter(base(p.Exe)) {
		return ""
	}
	return f.tool(p.Comm)
}

func interpreter(name string) bool {
	switch name {
	case "sh", "bash", "dash", "zsh", "ksh", "ash", "busybox", "env", "perl", "ruby":
		return true
	}
	return strings.HasPrefix(name, "python")
}

// base is the last part of a path.
func base(p proc.Place) string {
	return p.Path[strings.LastIndexByte(p.Path, '/')+1:]
}
