// Kernels whose threads wait for each other, or for what never comes.

// Half of the threads wait at one barrier, half at another.
extern "C" __global__ void two_barriers(float *out) {
  int t = threadIdx.x;
  if (t < 32) {
    out[t] = 1;
    __syncthreads();
  } else {
    __syncthreads();
    out[t] = 2;
  }
}

// The same in a function: one line, two callers.
__device__ __noinline__ void meet() { __syncthreads(); }
extern "C" __global__ void one_function(float *out) {
  if (threadIdx.x < 32) meet();
  else meet();
  out[threadIdx.x] = 1;
}

// Each thread goes round as often as its number says.
extern "C" __global__ void uneven_loop(float *out) {
  for (int i = 0; i < int(threadIdx.x) + 1; i++) __syncthreads();
  __syncthreads();
  out[threadIdx.x] = 1;
}

// Lane 0 waits for its warp, the warp for lane 0.
extern "C" __global__ void crossed(float *out) {
  float v = threadIdx.x;
  if (threadIdx.x > 0) {
    v += __shfl_down_sync(0xffffffffu, v, 1);
  } else {
    __syncthreads();
  }
  out[threadIdx.x] = v;
}

// A lane that its own mask does not name.
extern "C" __global__ void not_named(float *out) {
  __syncwarp(0xfffffffeu);
  out[threadIdx.x] = 1;
}

// Threads without a row return before the barrier, as devices since Volta allow.
extern "C" __global__ void early(float *out, int n) {
  extern __shared__ float smem[];
  int t = threadIdx.x;
  if (t >= n) return;
  smem[t] = t;
  __syncthreads();
  float v = smem[n - 1 - t];
  __syncthreads();
  v += __shfl_xor_sync(0xffffffffu, v, 0);
  out[t] = v;
}

// The compiler may copy the barrier of a loop.
extern "C" __global__ void unrolled(float *out, int n) {
  extern __shared__ float smem[];
  int t = threadIdx.x;
  float v = t;
#pragma unroll 4
  for (int i = 0; i < n; i++) {
    smem[t] = v;
    __syncthreads();
    v = smem[(t + 1) % blockDim.x];
    __syncthreads();
  }
  out[t] = v;
}
