// Package ptx reads PTX text: which kernels it has, with which parameters, of what
// types, within which bounds, and where they add floating-point numbers in memory.
//
// It promises that no text makes it panic, hang, or allocate more than a multiple
// of its length; and that a kernel's float atomics are called known only where its
// body and every function that it can reach were read; through a pointer that is each
// whose address is kept, as long as no other file can bring one. A compare-and-swap may be
// the loop of a float addition, and is called so where it is seen to store one; with any
// other, and with a tensor reduction, which adds what its map says, they are not known.
//
// It does not check that the text is right; that is ptxas's work. Registers, frames
// and code are not in PTX: the driver or ptxas makes them, and they stay nil.
package ptx
