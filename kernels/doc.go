// Package kernels will compile CUDA sources and check what is in the cubins
// before anything launches them. What is here so far is its reference
// workload's float64 oracle, in kernels/kda.
package kernels
