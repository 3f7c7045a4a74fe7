// Package fused says how the CUDA kernels of kernels/kda/cuda are launched on a
// problem of kernels/kda, and reads their answer back.
//
// Two plans compute the same thing. [Fused] is three launches: one forward, then
// BK2 and BK1, with nothing between them. [Ops] is the baseline, the same
// computation as a framework without a fused kernel would chain it out of small
// ones. Both give out, state_t and the seven gradients under the same names, so
// [Read] reads either.
//
// [Fits] says which shapes can be launched, and [Holds] which decays float32 can hold.
//
// Kernels compute in float32, the oracle in float64. For the difference to be the
// kernels' own rounding alone, the oracle must be run on [Rounded] of the problem.
//
// The package makes plain data. It starts nothing, reads no files and knows no
// backend.
package fused
