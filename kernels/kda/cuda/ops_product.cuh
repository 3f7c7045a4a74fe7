// The products of the ops path: a tile of one in registers, fetched through shared memory.
#pragma once
#include "ops.cuh"

namespace ops {

// product is out = alpha a b for a tile of 16 rows and COLS columns. A thread makes
// PATCH x PATCH elements from two rows of shared memory, each sum one chain. Neighbouring
// threads read neighbouring elements, whichever way a view is turned.
template <int PATCH, int COLS>
static __device__ __forceinline__ void product(const Matrix &x, const Matrix &y, const Target &z, float alpha, int rows,
                                               int cols, int inner) {
  constexpr int THREADS = TILE * COLS / PATCH / PATCH;
  __shared__ float left[TILE][TILE + 4]; // by inner index, then row: what is read together stands together
  __shared__ float right[TILE][COLS + 4];
  const int thread = threadIdx.x;
  const int ty = thread / (COLS / PATCH) * PATCH, tx = thread % (COLS / PATCH) * PATCH;
  const int top = blockIdx.y * TILE, side = blockIdx.z * COLS;
  float sum[PATCH][PATCH] = {};
  for (int from = 0; from < inner; from += TILE) {
    for (int e = thread; e < TILE * TILE; e += THREADS) {
      const int r = x.col == 1 ? e / TILE : e % TILE, i = x.col == 1 ? e % TILE : e / TILE;
      left[i][r] = top + r < rows && from + i < inner ? x(top + r, from + i) : 0.0f;
    }
    for (int e = thread; e < TILE * COLS; e += THREADS) {
      const int i = y.col == 1 ? e / COLS : e % TILE, c = y.col == 1 ? e % COLS : e / TILE;
      right[i][c] = from + i < inner && side + c < cols ? y(from + i, side + c) : 0.0f;
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < TILE; ++i) {
      float a[PATCH], b[PATCH];
#pragma unroll
      for (int p = 0; p < PATCH; ++p) a[p] = left[i][ty + p], b[p] = right[i][tx + p];
#pragma unroll
      for (int p = 0; p < PATCH * PATCH; ++p) {
        float &to = sum[p / PATCH][p % PATCH];
        to = fmaf(a[p / PATCH], b[p % PATCH], to);
      }
    }
    __syncthreads();
  }
#pragma unroll
  for (int p = 0; p < PATCH; ++p) {
    const int r = top + ty + p, c = side + tx;
    if (r >= rows || c >= cols) continue;
    if constexpr (PATCH == 4) {
      const Quad four = {r, c, cols - c < 4 ? cols - c : 4};
      write(z, four, make_float4(alpha * sum[p][0], alpha * sum[p][1], alpha * sum[p][2], alpha * sum[p][3]));
    } else {
      for (int e = 0; e < PATCH && c + e < cols; ++e) z(r, c + e) = alpha * sum[p][e];
    }
  }
}

} // namespace ops
