// Package rmsnorm is the float64 reference for RMSNorm and its gradient (Zhang
// and Sennrich, arXiv 1910.07467), the problems that a kernel is judged on, and
// the plan that runs kernels/kda/cuda/rmsnorm.cu on a backend.
//
// For every row x [D] of [rows, D], with a weight [D]:
//
//	rstd = 1 / sqrt(mean(x^2) + eps)
//	y    = x * rstd * weight
//
// and, for the scalar L = <dY, y>:
//
//	dX      = rstd * (h - n * mean(h n)),  h = dY * weight, n = x * rstd
//	dWeight = sum over the rows of dY * n
//
// The gradient is derived by hand; the tests push dual numbers through the first
// two lines. Nothing here has a unit. The package reads no files, prints nothing
// and keeps no state.
package rmsnorm
