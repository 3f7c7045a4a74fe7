// Kernels with one race each, and beside each the same without it.

// The barrier between the two lines is missing: a thread reads what its neighbour writes.
extern "C" __global__ void no_barrier(float *out) {
  extern __shared__ float smem[];
  int t = threadIdx.x;
  smem[t] = t;
  out[t] = smem[(t + 1) % blockDim.x];
}
extern "C" __global__ void with_barrier(float *out) {
  extern __shared__ float smem[];
  int t = threadIdx.x;
  smem[t] = t;
  __syncthreads();
  out[blockIdx.x * blockDim.x + t] = smem[(t + 1) % blockDim.x];
}

// Every thread adds to one word.
extern "C" __global__ void accumulate(float *out) {
  __shared__ float total;
  if (threadIdx.x == 0) total = 0;
  __syncthreads();
  total += threadIdx.x;
  __syncthreads();
  if (threadIdx.x == 0) out[0] = total;
}

// Blocks write over each other's last element, and read what another block writes.
extern "C" __global__ void blocks_write(float *scratch) {
  int i = blockIdx.x * (blockDim.x - 1) + threadIdx.x;
  scratch[i] = blockIdx.x;
}
extern "C" __global__ void blocks_read(float *scratch, float *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = scratch[(i + blockDim.x) % (gridDim.x * blockDim.x)];
  scratch[i] = i;
}
extern "C" __global__ void blocks_apart(float *scratch, float *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  scratch[i] = i;
  out[i] = scratch[i];
}

// The race is in a function that is given a plain pointer and knows of no __shared__.
__device__ __noinline__ void store(float *to, int i, float x) {
  to[i] = x;
}
__device__ __noinline__ float load(const float *from, int i) {
  return from[i];
}
extern "C" __global__ void plain_pointer(float *out) {
  __shared__ float tile[64];
  store(tile, threadIdx.x, 1.0f);
  out[threadIdx.x] = load(tile, threadIdx.x ^ 1);
}

// Lanes of one warp: a shuffle orders no memory, __syncwarp does.
extern "C" __global__ void warp_unsynced(float *out) {
  extern __shared__ float smem[];
  int t = threadIdx.x;
  smem[t] = t;
  float v = __shfl_xor_sync(0xffffffffu, float(t), 1);
  out[t] = smem[t ^ 1] - v;
}
extern "C" __global__ void warp_synced(float *out) {
  extern __shared__ float smem[];
  int t = threadIdx.x;
  smem[t] = t;
  __syncwarp();
  out[blockIdx.x * blockDim.x + t] = smem[t ^ 1] - t;
}

// Two halves of a warp by their own masks: right within a half, wrong across.
extern "C" __global__ void halves(float *out, int across) {
  extern __shared__ float smem[];
  int t = threadIdx.x, lane = t % 32;
  smem[t] = t;
  __syncwarp(lane < 16 ? 0x0000ffffu : 0xffff0000u);
  out[t] = smem[t ^ across];
}
