// Package kda is the float64 reference (the oracle) for the chunked gated
// delta rule with channel-wise decay and separate erase and write gates
// (Gated DeltaNet-2, arXiv 2605.22791). KDA (Kimi Linear, arXiv 2510.26692) is
// the case in which both gates are one scalar; GDN further has a scalar decay.
//
// For one batch and one head, with row t running over time:
//
//	a_t = exp(g_t)                decay per key channel, g_t <= 0
//	S'  = diag(a_t) S_{t-1}
//	e_t = S'^T (b_t * k_t)        erase read
//	n_t = w_t * v_t - e_t         what is written
//	S_t = S' + k_t n_t^T
//	o_t = scale * S_t^T q_t       reads after the write
//
// Four computations of the same thing stand side by side:
//
//   - [Sequential] follows the six lines above;
//   - [Gradient] and [Directional] push dual numbers through the same lines;
//   - [Differences] and [DirectionalDifference] take central differences of it;
//   - [ChunkForward] and [ChunkBackward] are the chunk form and its adjoint as
//     kernels compute them, derived by hand. They share no arithmetic with the
//     other three.
//
// The scalar that is differentiated is always
//
//	L = <dOut, out> + <dS_T, S_T>
//
// with respect to q, k, v, g, b, w and the initial state.
//
// Shapes are head-major: q, k, g, b are [B,H,T,K]; v, w and out are [B,H,T,V];
// a state is [B,H,K,V]. Nothing has a unit except g, a natural logarithm per
// row. l2-normalising q and k, and making g, b, w from activations, happen
// before the op and are no part of it.
//
// # How exact float32 is
//
// Kernels of the chunk form in float32 differ from this oracle, on the inputs as
// rounded to float32, by at most so much at K = V = 64: the worst of out, the
// final state and the seven gradients, each relative to its reference's largest
// element. A bar is ten times that; one of 1e-3 hides whole missing terms.
//
//	log decay g       noise           bar    families
//	[-1, 0]           4e-7 to 2e-6    2e-5   mild, moderate
//	[-5, -0.1]        7e-6            2e-4   strong
//	[-8, -3]          1.3e-5          2e-4   very-strong
//
// exp(-G) alone leaves float32 at C = 64 with g = -5, or C = 16 with g = -8;
// exp(G_i - G_j) for j <= i is never above 1. A mask that comes after the
// exponential makes NaN of inf * 0. What defects move, and in which cases they
// can be seen at all, is in kernels/kda/faults/README.md.
//
// The package promises clarity and float64 accuracy, not speed: [Gradient]
// runs one forward pass for every input element. It reads no files, prints
// nothing and keeps no state.
package kda
