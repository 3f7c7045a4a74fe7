package shim

import "strings"

// Role is the part a tool plays in a build.
type Role int

// The roles, told by the base name of a tool.
const (
	None       Role = iota
	Compiler        // a driver that compiles and links: cc, g++, clang-14, x86_64-linux-gnu-gcc-12
	CUDA            // nvcc, which has its own options and its own device linker
	Linker          // ld and its kin
	Launcher        // ccache and sccache, which run the compiler they are given
	Configurer      // cmake, its kin and meson, which write the paths of the tools they find into what they generate
	Runner          // make and ninja, which run what those generated, and them again when it is stale
)

// String is the role as the link journal has it.
func (r Role) String() string {
	return [...]string{"none", "cc", "nvcc", "ld", "launcher", "cmake", "make"}[r]
}

// RoleOf tells the role from a tool's base name. Version suffixes and target
// prefixes do not matter: x86_64-linux-gnu-gcc-12 is a gcc.
func RoleOf(name string) Role {
	switch name {
	case "cmake", "ccmake", "cmake-gui", "ctest", "cpack", "meson", "cmake3", "ccmake3", "ctest3", "cpack3":
		return Configurer
	case "make", "gmake", "ninja", "ninja-build", "samu":
		return Runner
	case "ccache", "sccache":
		return Launcher
	case "nvcc":
		return CUDA
	}
	stem := unversioned(name)
	if i := strings.LastIndexByte(stem, '-'); i >= 0 {
		stem = stem[i+1:]
	}
	switch stem {
	case "cc", "c++", "gcc", "g++", "clang", "clang++":
		return Compiler
	case "ld", "ld.bfd", "ld.gold", "gold", "ld.lld", "lld", "mold", "ld.mold", "wild", "ld.wild", "nvlink":
		return Linker
	}
	return None
}

// NameOf is the name that a shim was called by: the caller's, or, where that is
// no tool's (a symbolic link to us of another name, exec -a), that of the file
// we are. "" is no shim.
func NameOf(argv0 string) string {
	self := base(selfPath())
	switch name := base(argv0); {
	case RoleOf(name) == Linker && self == "mold": // mold -run executes us in the place of ld, and calls us so
		return self
	case RoleOf(name) != None:
		return name
	case RoleOf(self) != None:
		return self
	}
	return ""
}

// unversioned cuts a version of digits and dots from the end of a name.
func unversioned(name string) string {
	i := strings.LastIndexByte(name, '-')
	if i < 0 || i == len(name)-1 || strings.Trim(name[i+1:], "0123456789.") != "" {
		return name
	}
	return name[:i]
}

// base is the last element of a path, without the allocations and the rules of
// path/filepath: an empty argv[0] stays empty.
func base(path string) string {
	return path[strings.LastIndexByte(path, '/')+1:]
}
