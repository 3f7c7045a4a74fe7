// Package ptxas reads what NVIDIA's tools print of kernels: ptxas -v and nvcc
// --resource-usage, of one or several architectures, and cuobjdump -res-usage.
//
// Spills stand nowhere else. What such a text says is of the compile it comes
// from; Into gives it to a module's kernels only where the registers are the same.
//
// It promises that a number the text does not have is nil, and that no text makes
// it panic or hang.
package ptxas
