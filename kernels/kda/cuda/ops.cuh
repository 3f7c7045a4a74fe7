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
#include "quad.cuh"

#define VIEW(a) const float *a, int a##_from, int a##_head, int a##_chunk, int a##_row, int a##_col
#define RESULT(a) float *a, int a##_from, int a##_head, int a##_chunk, int a##_row, int a##_col
#define PLACED(a, at) {a + a##_from + (size_t)at.head * a##_head + (size_t)at.chunk * a##_chunk, a##_row, a##_col}

namespace ops {

constexpr int THREADS = 256; // at most, of a block that goes element by element
constexpr int TILE = 16;     // rows and columns of a tile, and rows that are fetched at once
constexpr int WIDE = 64;     // columns, or rows, of a larger one
constexpr unsigned WARP = 0xffffffffu;

struct Chunk {
  int head, chunk, rows;
};

// The matrix of an operand in the block's chunk: an int counts its elements.
struct Matrix {
  const float *data;
  int row, col;
};

struct Target {
  float *data;
  int row, col;
};

static __device__ __forceinline__ Chunk chunk_of(int T, int C, int first, int chunks) {
  const int chunk = first + (int)blockIdx.x % chunks;
  const int left = T - chunk * C;
  return {(int)blockIdx.x / chunks, chunk, left < C ? left : C};
}

// Four elements of a row, or what is left of it.
struct Quad {
  int row, col, count;
};

// The at-th quad of a matrix; behind the last one count is 0.
static __device__ __forceinline__ Quad quad(int at, int rows, int cols) {
  const int across = (cols + 3) / 4, row = at / across, col = (at - row * across) * 4;
  return {row, col, row >= rows ? 0 : cols - col < 4 ? cols - col : 4};
}

static __device__ __forceinline__ bool whole(const float *p, int col, Quad q) {
  return q.count == 4 && col == 1 && (size_t)p % 16 == 0;
}

static __device__ __forceinline__ float4 read(const Matrix &m, Quad q) {
  const float *p = m.data + (q.row * m.row + q.col * m.col);
  if (whole(p, m.col, q)) return load(p);
  const int step = m.col;
  return make_float4(p[0], q.count > 1 ? p[step] : 0.0f, q.count > 2 ? p[2 * step] : 0.0f, q.count > 3 ? p[3 * step] : 0.0f);
}

static __device__ __forceinline__ void write(const Target &t, Quad q, float4 x) {
  float *p = t.data + (q.row * t.row + q.col * t.col);
  if (whole(p, t.col, q)) {
    store(p, x);
    return;
  }
  const int step = t.col;
  p[0] = x.x;
  if (q.count > 1) p[step] = x.y;
  if (q.count > 2) p[2 * step] = x.z;
  if (q.count > 3) p[3 * step] = x.w;
}

// The thread's place among those that share the elements of a chunk.
static __device__ __forceinline__ int element() { return blockIdx.y * blockDim.x + threadIdx.x; }

} // namespace ops
