// Kernels that end the process, each in one thread of one block.

extern "C" __global__ void wild(float *out) {
  if (blockIdx.x == 2 && threadIdx.x == 5) out = reinterpret_cast<float *>(8);
  out[blockIdx.x * blockDim.x + threadIdx.x] = 1;
}

extern "C" __global__ void divide(float *out, int by) {
  int t = threadIdx.x;
  by -= t;
  out[t] = t / by;
}

__device__ __noinline__ float deeper(volatile float *before, int n) {
  volatile float frame[256];
  frame[n % 256] = before[0] + n;
  return n < 0 ? 0 : deeper(frame, n + 1) + frame[n % 256];
}
extern "C" __global__ void deep(float *out) {
  volatile float start[1] = {0};
  out[threadIdx.x] = deeper(start, 0);
}

extern "C" __global__ void endless(float *out) {
  volatile float *word = out;
  while (word[0] != 1) {
  }
}
