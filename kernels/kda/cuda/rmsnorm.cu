// RMSNorm (Zhang and Sennrich, arXiv 1910.07467), forward and backward, float32:
//
//     y = x * rstd * weight,  rstd = 1 / sqrt(mean(x^2) + eps)
//
// x, y and their gradients are [rows, D], weight is [D], rstd is [rows] and kept
// for the backward. Any D and any number of rows, from 1.

namespace rmsnorm {

constexpr int THREADS = 256;
constexpr int TILE_ROWS = 32; // rows of one partial sum of the weight's gradient

// The sum of x over the block's threads, given to all of them. The order of the
// additions is that of a tree over the thread numbers.
static __device__ __forceinline__ float block_sum(float x) {
  __shared__ float partial[THREADS];
  partial[threadIdx.x] = x;
  for (int half = THREADS / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) partial[threadIdx.x] += partial[threadIdx.x + half];
  }
  __syncthreads();
  return partial[0];
}

} // namespace rmsnorm

// Grid rows.
extern "C" __global__ void __launch_bounds__(rmsnorm::THREADS)
rmsnorm_forward(const float *x, const float *weight, float *y, float *rstd, int D, float eps) {
  x += (size_t)blockIdx.x * D;
  y += (size_t)blockIdx.x * D;
  float squares = 0.0f;
  for (int i = threadIdx.x; i < D; i += rmsnorm::THREADS) squares = fmaf(x[i], x[i], squares);
  const float scale = 1.0f / sqrtf(rmsnorm::block_sum(squares) / D + eps);
  if (threadIdx.x == 0) rstd[blockIdx.x] = scale;
  for (int i = threadIdx.x; i < D; i += rmsnorm::THREADS) y[i] = x[i] * scale * weight[i];
}

// With n = x * rstd and h = d_y * weight: d_x = rstd * (h - n * mean(h n)). Grid rows.
extern "C" __global__ void __launch_bounds__(rmsnorm::THREADS)
rmsnorm_backward(const float *x, const float *weight, const float *rstd, const float *d_y, float *d_x, int D) {
  x += (size_t)blockIdx.x * D;
  d_y += (size_t)blockIdx.x * D;
  d_x += (size_t)blockIdx.x * D;
  const float scale = rstd[blockIdx.x];
  float dot = 0.0f;
  for (int i = threadIdx.x; i < D; i += rmsnorm::THREADS) dot = fmaf(d_y[i] * weight[i], x[i] * scale, dot);
  const float mean = rmsnorm::block_sum(dot) / D;
  for (int i = threadIdx.x; i < D; i += rmsnorm::THREADS)
    d_x[i] = scale * (d_y[i] * weight[i] - x[i] * scale * mean);
}

// part = the sum of d_y * x * rstd over 32 rows, top to bottom; [tiles, D]. One
// thread for each column. Grid (D/256, tiles).
extern "C" __global__ void __launch_bounds__(rmsnorm::THREADS)
rmsnorm_weight_tiles(const float *x, const float *rstd, const float *d_y, float *part, int rows, int D) {
  const int col = blockIdx.x * rmsnorm::THREADS + threadIdx.x;
  if (col >= D) return;
  const int from = blockIdx.y * rmsnorm::TILE_ROWS;
  const int to = from + rmsnorm::TILE_ROWS < rows ? from + rmsnorm::TILE_ROWS : rows;
  float sum = 0.0f;
  for (int r = from; r < to; ++r) sum = fmaf(d_y[(size_t)r * D + col], x[(size_t)r * D + col] * rstd[r], sum);
  part[(size_t)blockIdx.y * D + col] = sum;
}

// d_weight = the sum of the tiles, first to last: the same order every time.
// Grid D/256.
extern "C" __global__ void __launch_bounds__(rmsnorm::THREADS)
rmsnorm_weight(const float *part, float *d_weight, int tiles, int D) {
  const int col = blockIdx.x * rmsnorm::THREADS + threadIdx.x;
  if (col >= D) return;
  float sum = 0.0f;
  for (int t = 0; t < tiles; ++t) sum += part[(size_t)t * D + col];
  d_weight[col] = sum;
}
