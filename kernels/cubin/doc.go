// Package cubin reads device code as ptxas leaves it: an ELF file with a section
// of instructions, one of attributes and one of constants for every kernel.
//
// It promises that no file makes it panic, hang, or allocate more than a small
// multiple of that file's size; that what a cubin does not say is nil and never 0;
// and that a kernel's float atomics are called known only where every instruction
// that could be one has been told from those that are not. A compare-and-swap can
// be the loop that a float addition was compiled to (in shared memory it always is):
// one that is seen to store a sum of what it compares is called so, and a kernel that
// holds any other is not known. Calls are followed: into functions of
// the same section, by relocations into others, and through a pointer to every function
// whose address the file keeps. Where a function is in no file that was read, float
// atomics are not known, unless it is one of the driver's.
//
// It does not say what a kernel spills: a cubin has the frame, of which spills are
// a part. kernels/ptxas reads them from the compiler's output.
//
// The format is nowhere published. What is read here was held against cuobjdump
// and nvdisasm on cubins of CUDA 12.4, 12.9 and 13.0, and the package's tests do so
// again wherever those tools are.
package cubin
