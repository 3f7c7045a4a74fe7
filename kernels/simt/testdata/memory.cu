// Kernels that read what nobody wrote, write beyond, leave a tail or write twice.

extern "C" __global__ void read_shared(float *out) {
  extern __shared__ float smem[];
  if (threadIdx.x > 0) smem[threadIdx.x] = 1;
  __syncthreads();
  out[threadIdx.x] = smem[threadIdx.x];
}

extern "C" __global__ void read_static(float *out) {
  __shared__ float first[7], second[64];
  if (threadIdx.x < 7) first[threadIdx.x] = 1;
  if (threadIdx.x != 3) second[threadIdx.x] = 1;
  __syncthreads();
  out[threadIdx.x] = first[threadIdx.x % 7] + second[threadIdx.x];
}

extern "C" __global__ void read_scratch(float *scratch, float *out) {
  out[threadIdx.x] = scratch[threadIdx.x];
}

// The block before has left its shared memory; that of a new block is nobody's.
extern "C" __global__ void read_left(float *out) {
  extern __shared__ float smem[];
  if (blockIdx.x == 0) smem[threadIdx.x] = 1;
  out[blockIdx.x * blockDim.x + threadIdx.x] = smem[threadIdx.x];
}

// One row of 16 beyond the buffer.
extern "C" __global__ void row_beyond(float *scratch, float *out, int rows) {
  int t = threadIdx.x;
  for (int r = 0; r < rows; r++) scratch[r * blockDim.x + t] = r;
  out[t] = scratch[rows * blockDim.x + t];
}

extern "C" __global__ void row_beyond_shared(float *out, int rows) {
  extern __shared__ float smem[];
  int t = threadIdx.x;
  smem[t] = 1;
  out[t] = smem[rows * blockDim.x + t];
}

extern "C" __global__ void write_before(float *out) {
  out[int(threadIdx.x) - 1] = 1;
}

extern "C" __global__ void tail(float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 1;
}

extern "C" __global__ void twice(float *out) {
  out[threadIdx.x] = 1;
  __syncthreads();
  out[threadIdx.x ^ 1] = 2;
}

// One thread, one line after the other.
extern "C" __global__ void twice_at_once(float *out) {
  out[threadIdx.x] = 1;
  out[threadIdx.x] = 2;
}
