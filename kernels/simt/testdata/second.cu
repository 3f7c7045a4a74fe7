// Races of a thread that reads and then writes, with another that only read: of all
// readers of the word the first, or the last, is the writer itself.

extern "C" __global__ void lanes_read(float *out) {
  __shared__ float word;
  int t = threadIdx.x;
  if (t == 0) word = 1;
  __syncthreads();
  float all = word;
  all += __shfl_xor_sync(~0u, all, 1); // orders no memory
  if (t == 0) word = all;              // every other lane has read it
  __syncthreads();
  out[t] = word;
}
extern "C" __global__ void lanes_read_apart(float *out) {
  __shared__ float word;
  int t = threadIdx.x;
  if (t == 0) word = 1;
  __syncthreads();
  float all = word;
  all += __shfl_xor_sync(~0u, all, 1);
  __syncwarp();
  if (t == 0) word = all;
  __syncthreads();
  out[t] = word;
}

extern "C" __global__ void blocks_read_first(float *scratch, float *out) {
  float all = scratch[0];
  if (blockIdx.x == 1) scratch[0] = all + 1; // block 0 has read it
  out[blockIdx.x] = all;
}
extern "C" __global__ void one_block_reads(float *scratch, float *out) {
  float all = scratch[blockIdx.x];
  if (blockIdx.x == 1) scratch[1] = all + 1;
  out[blockIdx.x] = all;
}
