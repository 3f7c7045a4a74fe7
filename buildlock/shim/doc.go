// Package shim knows everything about a link shim but the queue: what a tool's
// name says of its part in a build, whether a command line makes that tool
// link, where the real tool is, how the directory of shims is made, and the
// environment that puts it in front of a build.
//
// A shim stands in for a tool under the tool's own name, first in PATH and in
// COMPILER_PATH. [Look] reads one call of it and says what to execute, and
// whether a ticket is needed first. When in doubt a call is a link: a ticket
// too many is slow, one too few lets two links run at once.
//
// Whoever asks PATH where nvcc is (PyTorch's extension builder, say) finds ours,
// and would take the directory above for the CUDA toolkit: the environment sets
// CUDA_HOME to the real one where neither it nor CUDA_PATH is set.
//
// What the package cannot see: linkers that a compiler reaches past PATH and
// COMPILER_PATH when that compiler was called past our shims; options in
// configuration files and environment variables that change what a compiler
// links with (clang's default linker, a gcc built with a fixed one, the
// NVCC_PREPEND_FLAGS). Signals that a caller ignored are ignored no longer
// after a shim, except SIGHUP and SIGINT: the Go runtime takes the others.
//
// It imports the standard library and golang.org/x/sys/unix only; a compile
// call pays for every package that is started with the process.
package shim
