// Right kernels that a checker could wrongly accuse. Each writes every element of out
// once, and reads what it may.
#include <cuda_runtime.h>

// Everybody reads one constant input, and the constant memory.
__constant__ float weights[4] = {1, 2, 3, 4};
extern "C" __global__ void same_input(const float *__restrict__ x, float *__restrict__ out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = x[0] * weights[i % 4] + __ldg(&x[1]);
}

// Four floats at once, from shared memory too.
extern "C" __global__ void vectors(const float *x, float *out) {
  extern __shared__ __align__(16) float smem[];
  int t = threadIdx.x;
  reinterpret_cast<float4 *>(smem)[t] = reinterpret_cast<const float4 *>(x)[t];
  __syncthreads();
  float4 v = reinterpret_cast<float4 *>(smem)[blockDim.x - 1 - t];
  reinterpret_cast<float4 *>(out)[t] = make_float4(v.w, v.z, v.y, v.x);
}

// Vectors that a call returns, some of them copied on.
__device__ __noinline__ float4 four(float x) {
  return make_float4(x, x + 1, x + 2, x + 3);
}
extern "C" __global__ void returned(float *out) {
  __shared__ float4 tile[8];
  float4 *to = reinterpret_cast<float4 *>(out), keep[2];
  int t = threadIdx.x;
  tile[t] = four(t);
  __syncthreads();
  float4 v = tile[t ^ 1];
  keep[t % 2] = v;
  to[2 * t] = keep[t % 2];
  to[2 * t + 1] = four(v.x);
}

// Arrays of a thread's own, given to a function.
__device__ __noinline__ void own(float *array, int n, float x) {
  for (int i = 0; i < n; i++) array[i] = x + i;
}
extern "C" __global__ void local_array(float *out) {
  float array[16];
  own(array, 16, threadIdx.x);
  __syncthreads();
  float sum = 0;
  for (int i = 0; i < 16; i++) sum += array[i];
  out[threadIdx.x] = sum;
}

// Copies and fills that the compiler makes calls of.
struct Row {
  float x[24];
};
extern "C" __global__ void copies(float *out) {
  __shared__ Row rows[32];
  int t = threadIdx.x;
  Row mine;
  memset(&mine, 0, sizeof mine);
  mine.x[t % 24] = t;
  rows[t] = mine;
  __syncthreads();
  Row other = rows[t ^ 1];
  memcpy(&out[t * 24], other.x, sizeof other.x);
}
extern "C" __global__ void struct_to_global(float *out) {
  Row mine;
  for (int i = 0; i < 24; i++) mine.x[i] = threadIdx.x * 24 + i;
  *reinterpret_cast<Row *>(&out[threadIdx.x * 24]) = mine;
}

// Two tiles in turn: one barrier in each round is enough.
extern "C" __global__ void double_buffer(float *out, int n) {
  extern __shared__ float smem[];
  int t = threadIdx.x, m = blockDim.x / 2;
  float v = t;
  for (int i = 0; i < n; i++) {
    float *tile = smem + (i % 2) * m;
    if (t < m) tile[t] = v;
    __syncthreads();
    v += tile[(t + 1) % m];
  }
  out[t] = v;
}

// Bytes and halves of one word, each a thread's own.
extern "C" __global__ void bytes(float *out) {
  __shared__ unsigned char eight[64];
  __shared__ unsigned short sixteen[64];
  int t = threadIdx.x;
  eight[t] = t;
  sixteen[t] = 2 * t;
  __syncthreads();
  out[t] = eight[63 - t] + sixteen[63 - t];
}

// What a block has written it reads again after a barrier.
extern "C" __global__ void own_global(float *scratch, float *out) {
  int first = blockIdx.x * blockDim.x, t = threadIdx.x;
  scratch[first + t] = t;
  __syncthreads();
  out[first + t] = scratch[first + (t + 1) % blockDim.x];
}

// volatile changes nothing, with a barrier.
extern "C" __global__ void with_volatile(float *out) {
  __shared__ volatile float v[64];
  v[threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = v[threadIdx.x ^ 1];
}

// Warps by themselves, each with its part of shared memory and its own masks.
extern "C" __global__ void warps(float *out) {
  __shared__ float part[64];
  int t = threadIdx.x, lane = t % 32, warp = t / 32;
  float *mine = part + 32 * warp;
  for (int round = 0; round < 3 + warp; round++) {
    mine[lane] = t + round;
    __syncwarp();
    float v = mine[31 - lane];
    __syncwarp();
    if (lane < 8) {
      mine[lane] = v;
      __syncwarp(0xffu);
      v = mine[7 - lane];
    }
    v = __shfl_sync(0xffffffffu, v, 3) + __shfl_up_sync(0xffffffffu, v, 2, 8);
    __syncwarp();
    if (round == 2 + warp) out[t] = v;
  }
}

// A word of one thread's, read where the others do not come by.
extern "C" __global__ void conditional(float *out, int n) {
  __shared__ float word, other;
  int t = threadIdx.x;
  if (t == 0) word = 1;
  if (t == 1) other = 2;
  float v = 0;
  for (int i = 0; i < n; i++) {
    if (t == 0 && i % 2 == 0) v += word;
    if (t == 1) v += other;
  }
  const float *p = t == 0 ? &word : &other;
  if (t < 2) v += *p;
  out[t] = v;
}

// Where it is in three dimensions, written by whoever is there.
extern "C" __global__ void dimensions(float *out) {
  unsigned block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  unsigned thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  out[block * (blockDim.x * blockDim.y * blockDim.z) + thread] =
      threadIdx.x + 10 * threadIdx.y + 100 * threadIdx.z + 1000 * blockIdx.x + 10000 * blockIdx.y + 100000 * blockIdx.z;
}

// The largest block, with all of its dynamic shared memory in use.
extern "C" __global__ void largest(float *out, int words) {
  extern __shared__ float other_name[];
  for (int i = threadIdx.x; i < words; i += blockDim.x) other_name[i] = i;
  __syncthreads();
  float sum = 0;
  for (int i = threadIdx.x; i < words; i += blockDim.x) sum += other_name[words - 1 - i];
  out[threadIdx.x] = sum;
}
