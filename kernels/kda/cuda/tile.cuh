// What the kernels of the chunked gated delta rule share: how a block walks a
// matrix, and where things stand in shared memory.
//
// Two conventions hold in all of them. A thread's share of a matrix depends on
// its shape alone, so steps over the same shape hand an element to the same
// thread and need no barrier for it. And a lower triangular square keeps a
// second triangle, transposed, in its free half.
#pragma once

// Threads of a block: 8 warps, which leaves each thread 255 registers.
constexpr int THREADS = 256;

// Value channels of a tile: a row of one is a 128-byte line.
constexpr int TILE = 32;

// odd is the stride of a matrix in shared memory whose rows are read by
// neighbouring threads: an odd one spreads 32 rows over the 32 banks.
__host__ __device__ __forceinline__ int odd(int n) { return n | 1; }

// least and most stand in for min and max, which are overloaded differently
// by every compiler.
__host__ __device__ __forceinline__ int least(int a, int b) { return a < b ? a : b; }
__host__ __device__ __forceinline__ int most(int a, int b) { return a > b ? a : b; }

// each calls f(row, column) once for every element of a matrix, neighbouring
// threads on neighbouring columns.
template <class F> __device__ __forceinline__ void each(int rows, int cols, F f) {
  for (int at = threadIdx.x; at < rows * cols; at += THREADS) {
    f(at / cols, at % cols);
  }
}

// each_down is each with neighbouring threads on neighbouring rows.
template <class F> __device__ __forceinline__ void each_down(int rows, int cols, F f) {
  each(cols, rows, [&](int col, int row) { f(row, col); });
}

// Square is a matrix of C rows in shared memory that holds two triangles.
struct Square {
  float *data;
  int stride;

  // lower is element (i, j) of the first triangle, j <= i.
  __device__ __forceinline__ float &lower(int i, int j) const { return data[i * stride + j]; }

  // strict is element (i, j) of the second triangle, j < i: it stands at
  // (j, i), above the diagonal.
  __device__ __forceinline__ float &strict(int i, int j) const { return data[j * stride + i]; }
};

// floored is a log decay as far down as float32 knows it: exp(-104) is 0 in it,
// as is that of everything below. Without the floor one such row would leave G so
// large that the rows behind it in the chunk lose their own decay in its
// rounding: at 1e6 a step is 0.06. A NaN stays one.
__device__ __forceinline__ float floored(float g) { return g < -104.0f ? -104.0f : g; }
