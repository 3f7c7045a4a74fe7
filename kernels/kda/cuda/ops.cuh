// How the kernels of the ops path find their operands.
//
// A block works on one chunk of one head, named by blockIdx.x: of chunks
// [first, first + chunks) in every head. A chunk has C rows, the last one of a
// head only those that T leaves; rows beyond are never read. Where a kernel is
// told 0 rows or columns, the chunk's own rows are meant.
//
// A strided operand is a pointer, an offset, and the distances from head to
// head, chunk to chunk, row to row and column to column, all in elements. A
// distance of 0 repeats (broadcast); rows and columns exchanged transpose.
#pragma once

#define VIEW(a) const float *a, int a##_from, int a##_head, int a##_chunk, int a##_row, int a##_col
#define RESULT(a) float *a, int a##_from, int a##_head, int a##_chunk, int a##_row, int a##_col
#define PLACED(a, at) {a + a##_from + (size_t)at.head * a##_head + (size_t)at.chunk * a##_chunk, a##_row, a##_col}

namespace ops {

constexpr int THREADS = 256;
constexpr int TILE = 16;

struct Chunk {
  int head, chunk, rows;
};

// The matrix of an operand in the block's chunk.
struct Matrix {
  const float *data;
  int row, col;
  __device__ __forceinline__ float operator()(int r, int c) const { return data[(size_t)r * row + (size_t)c * col]; }
};

struct Target {
  float *data;
  int row, col;
  __device__ __forceinline__ float &operator()(int r, int c) const { return data[(size_t)r * row + (size_t)c * col]; }
};

static __device__ __forceinline__ Chunk chunk_of(int T, int C, int first, int chunks) {
  const int chunk = first + (int)blockIdx.x % chunks;
  const int left = T - chunk * C;
  return {(int)blockIdx.x / chunks, chunk, left < C ? left : C};
}

// The thread's place among those that share the elements of a chunk.
static __device__ __forceinline__ int element() { return blockIdx.y * THREADS + threadIdx.x; }

} // namespace ops
