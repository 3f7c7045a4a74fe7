// Kernels that are wrong, one for each kind of finding. A backend that is to look for
// a kind in our kernels is first shown the one here: if it does not see that, it sees
// nothing. Each is launched with one block of 64 threads, two warps, on buffers of 64 elements.

// Each thread reads what another one wrote, with no barrier between.
extern "C" __global__ void canary_race(const float *in, float *scratch, float *out) {
	__shared__ float x[64];
	x[threadIdx.x] = in[threadIdx.x];
	out[threadIdx.x] = x[63 - threadIdx.x];
}

// Threads of one block meet at two barriers. On an H200 that hangs, and compute-sanitizer's
// synccheck with it, which is shown the next one instead.
extern "C" __global__ void canary_divergent_barrier(const float *in, float *scratch, float *out) {
	if (threadIdx.x < 16) {
		out[threadIdx.x] = in[threadIdx.x];
		__syncthreads();
	} else {
		__syncthreads();
		out[threadIdx.x] = 2 * in[threadIdx.x];
	}
}

// Half of a warp leaves without the barrier that the other half waits at. A card lets it
// pass, once they have left, and so does the host backend.
extern "C" __global__ void canary_half_a_warp(const float *in, float *scratch, float *out) {
	if (threadIdx.x >= 16) {
		__syncthreads();
	}
	out[threadIdx.x] = in[threadIdx.x];
}

// Half of a warp waits for the other half, which waits for the block.
extern "C" __global__ void canary_deadlock(const float *in, float *scratch, float *out) {
	float x = in[threadIdx.x];
	if (threadIdx.x < 16) {
		x = __shfl_down_sync(0xffffffff, x, 1);
	} else {
		__syncthreads();
	}
	out[threadIdx.x] = x;
}

// Nobody has written scratch.
extern "C" __global__ void canary_uninitialised(const float *in, float *scratch, float *out) {
	out[threadIdx.x] = in[threadIdx.x] + scratch[threadIdx.x];
}

// The last element is left as it was.
extern "C" __global__ void canary_unwritten(const float *in, float *scratch, float *out) {
	if (threadIdx.x < 63) {
		out[threadIdx.x] = in[threadIdx.x];
	}
}

// Each element is written twice.
extern "C" __global__ void canary_rewritten(const float *in, float *scratch, float *out) {
	out[threadIdx.x] = in[threadIdx.x];
	__syncthreads();
	out[threadIdx.x] = 2 * in[threadIdx.x];
}

// The last thread reads one element too far.
extern "C" __global__ void canary_out_of_bounds(const float *in, float *scratch, float *out) {
	out[threadIdx.x] = in[threadIdx.x + 1];
}
