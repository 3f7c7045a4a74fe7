package fused

import "gpuci/kernels/kda"

// MaxShared is the most dynamic shared memory that a block may ask for on sm_80, in
// bytes: 163 KiB ("Technical Specifications per Compute Capability" in the CUDA C++
// Programming Guide). sm_90 has 227 KiB.
const MaxShared = 163 << 10

// Sizes is the dynamic shared memory of a block of each kernel, in bytes.
type Sizes struct {
	Forward int // kda_forward
	Between int // kda_bk2
	Inside  int // kda_bk1
}

// Shared adds up what the kernels lay out in shared memory, in the order in which
// they do. Rows that neighbouring threads read down are of an odd length. At C = 64
// and K = V = 128 the three are 148,224, 32,768 and 157,952 bytes.
func Shared(s kda.Shape) Sizes {
	if Fast(s) {
		return fastShared()
	}
	const float = 4
	square := s.C * odd(s.C)
	return Sizes{
		Forward: float * (s.K*s.V + // the state
			s.C*odd(s.K) + // G
			square + // M and Akk
			s.C*max(odd(s.K), s.V)), // k, then w*v, then v_new
		Between: float * (s.K*tile + // dS
			s.C*tile + // dOut
			s.C*tile), // d_v_new
		Inside: float * (square + // dAqk and dAkk
			s.C*s.K + // dOut S0^T, then dG
			s.C*s.K + // d_hat
			s.K + // sum of D1*S0
			s.C*max(s.K, odd(s.V)) + // dW, then Y
			max((2*s.K+s.C)*odd(min(s.V, tile)), s.C*odd(s.K))), // tiles of S0, D1 and dOut, then X
	}
}

// odd is the next odd number, odd of tile.cuh.
func odd(n int) int { return n | 1 }
