// A right sum of each block's part of x: by shared memory, and by shuffles.
extern "C" __global__ void sum_shared(const float *__restrict__ x, float *__restrict__ out, int n) {
  extern __shared__ float smem[];
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  smem[t] = i < n ? x[i] : 0.0f;
  __syncthreads();
  for (int s = blockDim.x / 2; s > 0; s /= 2) {
    if (t < s) smem[t] += smem[t + s];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = smem[0];
}

__device__ __forceinline__ float warp_sum(float v) {
#pragma unroll
  for (int s = warpSize / 2; s > 0; s /= 2) v += __shfl_down_sync(0xffffffffu, v, s);
  return v;
}

extern "C" __global__ void __launch_bounds__(256, 2) sum_shuffle(const float *x, float *out, int n) {
  __shared__ float part[32];
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  float v = warp_sum(i < n ? x[i] : 0.0f);
  if (t % 32 == 0) part[t / 32] = v;
  __syncthreads();
  if (t < 32) {
    v = warp_sum(t < int(blockDim.x) / 32 ? part[t] : 0.0f);
    if (t == 0) out[blockIdx.x] = v;
  }
}
