// What takes time on the host: switches at barriers and shuffles, and accesses.
extern "C" __global__ void barriers(float *out, int n) {
  for (int i = 0; i < n; i++) __syncthreads();
  out[threadIdx.x] = n;
}

extern "C" __global__ void shuffles(float *out, int n) {
  float v = threadIdx.x;
  for (int i = 0; i < n; i++) v = __shfl_xor_sync(0xffffffffu, v, 1);
  out[threadIdx.x] = v;
}

// n times the product of two 64 x 64 matrices in shared memory.
extern "C" __global__ void products(float *out, int n) {
  extern __shared__ float smem[];
  float *x = smem, *y = smem + 4096;
  for (int i = threadIdx.x; i < 4096; i += blockDim.x) x[i] = y[i] = i % 7;
  __syncthreads();
  for (int r = 0; r < n; r++) {
    for (int e = threadIdx.x; e < 4096; e += blockDim.x) {
      float sum = 0;
      for (int k = 0; k < 64; k++) sum = fmaf(x[e / 64 * 64 + k], y[k * 64 + e % 64], sum);
      if (r == n - 1) out[e] = sum;
    }
  }
}
