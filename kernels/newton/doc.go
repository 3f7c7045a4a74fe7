// Package newton is the float64 reference for the batched Newton-Schulz
// orthogonalisation of Muon (Keller Jordan, 2024,
// https://kellerjordan.github.io/posts/muon), the problems that a kernel is
// judged on, and the plan that runs kernels/kda/cuda/newton_schulz.cu on a
// backend.
//
// For each matrix X [d, cols] of a batch [n, d, cols], with |X| its own
// Frobenius norm:
//
//	Z = X / (|X| + eps)              Z^T instead when d > cols
//	Z <- a Z + (b G + c G G) Z       five times, G = Z Z^T
//
// which leaves the singular vectors of X alone and moves each of its singular
// values s through the odd quintic p(s) = a s + b s^3 + c s^5 five times. With
// Muon's coefficients that does not end at 1: any s/|X| in [0.01, 1] ends in
// [0.68, 1.14].
//
// The reference works matrix by matrix and shares no arithmetic with what it is
// tested against, the eigenvalues of X X^T by Jacobi rotations. Nothing here
// has a unit. The package reads no files, prints nothing and keeps no state.
package newton
