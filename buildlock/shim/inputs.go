package shim

import "strings"

// kind is what a driver does with an input.
type kind int

const (
	object kind = iota // goes to the linker as it is; so does every unknown name
	source
	header
)

// kindOf tells the kind of an input from its name, for gcc, clang and nvcc. A
// name that only some of them compile counts as a source: the linker below
// takes the ticket then, whatever comes to it.
func kindOf(name string) kind {
	if name == "-" {
		return source
	}
	file := base(name)
	dot := strings.LastIndexByte(file, '.')
	if dot < 0 {
		return object
	}
	switch file[dot+1:] {
	case "h", "hh", "H", "hpp", "hxx":
		return header
	case "c", "i", "cc", "cp", "cxx", "cpp", "CPP", "c++", "C", "ii", // C, C++
		"m", "mi", "mm", "M", "mii", // Objective-C
		"hp", "HPP", "h++", "tcc", "cppm", "ixx",
		"s", "S", "sx", // assembler
		"f", "for", "ftn", "F", "FOR", "fpp", "FPP", "FTN", // Fortran
		"f90", "f95", "f03", "f08", "F90", "F95", "F03", "F08",
		"adb", "ads", "d", "di", "go", "rs", "cl", "bc", "ll",
		"cu", "cui", "hip", "ptx":
		return source
	}
	return object
}

// onlyAsks says whether a linker's option makes it say its version or its help,
// and end, whatever else it was given. (-v and --verbose say it and go on.)
func onlyAsks(a string) bool {
	switch a {
	case "--version", "-version", "--help", "-help", "--target-help":
		return true
	}
	return false
}
