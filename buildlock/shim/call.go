package shim

import "strings"

// Call is what a command line of a tool means for the link queue.
type Call struct {
	Links    bool   // a linker will work on inputs
	Compiles bool   // sources are compiled before that, in the same call
	Hidden   bool   // the linker is not looked for in COMPILER_PATH
	Linker   string // the name a driver looks for there: ld, ld.lld
	Prints   bool   // it prints where it looks for its tools, and somebody may note it
	Wraps    bool   // it runs a program of the caller's, which may link in turn
}

// Read tells what tool name does in this role with args (without argv[0]).
// Response files are read with read.
func Read(role Role, name string, args []string, read ReadFile) Call {
	args = Expand(args, read)
	switch role {
	case Compiler:
		return readDriver(name, args)
	case CUDA:
		return readCUDA(args)
	case Linker:
		return readLinker(name, args)
	}
	return Call{}
}

// readDriver reads the command line of a compiler driver. Options that mean
// one thing to gcc and another to clang are read the way of the one that the
// name says; cc can be either, so it links when it would link as either.
func readDriver(name string, args []string) Call {
	switch {
	case strings.Contains(name, "clang"):
		return readCompiler(clangOptions, args)
	case strings.Contains(name, "gcc"), strings.Contains(name, "g++"):
		return readCompiler(gccOptions, args)
	}
	gcc, clang := readCompiler(gccOptions, args), readCompiler(clangOptions, args)
	gcc.Prints = gcc.Prints || clang.Prints
	clang.Prints = gcc.Prints
	if !clang.Links {
		return gcc
	}
	if gcc.Links {
		clang.Compiles = clang.Compiles && gcc.Compiles
		clang.Hidden = clang.Hidden || gcc.Hidden
	}
	return clang
}
