// How the kernels of the ops path fetch more than a few elements.
//
// What limits them is how much is on its way from memory: at 4.2 TB/s and some 0.7 us from
// asking to having, 3 MB, 22 KB for each of the 132 multiprocessors of an H200. A loop that
// waits for each element before it asks for the next one has one word of a thread on its
// way. So a thread asks for all it needs of a tile, 16 bytes at a time, before it uses any.
#pragma once
#include "ops.cuh"

namespace ops {

// A matrix as lines of neighbouring elements, so far as it has such.
struct Lines {
  const float *data;
  int stride, step, lines, length; // from line to line and from element to element; how many
  bool quads;                      // four at a time are all there or none of them, at multiples of 16 bytes
};

static __device__ __forceinline__ Lines lines_of(const float *data, int stride, int step, int lines, int length) {
  return {data, stride, step, lines, length, step == 1 && stride % 4 == 0 && length % 4 == 0 && (size_t)data % 16 == 0};
}

// Its rows as lines where their elements are neighbours, else its columns.
static __device__ __forceinline__ Lines rows_of(const Matrix &m, int rows, int cols) {
  return lines_of(m.data, m.row, m.col, rows, cols);
}
static __device__ __forceinline__ Lines cols_of(const Matrix &m, int rows, int cols) {
  return lines_of(m.data, m.col, m.row, cols, rows);
}

// Four elements of a line from pos on, 0 for those that are not there.
template <bool QUADS> static __device__ __forceinline__ float4 four(const Lines &m, int line, int pos) {
  const int count = line < m.lines ? m.length - pos : 0;
  if (count <= 0) return make_float4(0.0f, 0.0f, 0.0f, 0.0f);
  const float *p = m.data + (line * m.stride + pos * m.step);
  if (QUADS) return load(p);
  const int step = m.step;
  return make_float4(p[0], count > 1 ? p[step] : 0.0f, count > 2 ? p[2 * step] : 0.0f, count > 3 ? p[3 * step] : 0.0f);
}

// N fours, of the lines and from the positions that where(k) names. One branch for all of
// them: one at each would have them fetched one after the other.
template <int N, typename Where>
static __device__ __forceinline__ void take(float4 (&to)[N], const Lines &m, const Where &where) {
  if (m.quads) {
#pragma unroll
    for (int k = 0; k < N; ++k) to[k] = four<true>(m, where(k).x, where(k).y);
  } else {
#pragma unroll
    for (int k = 0; k < N; ++k) to[k] = four<false>(m, where(k).x, where(k).y);
  }
}

// each is called with every line's number and its four elements from pos on, first to last
// or, BACKWARD, last to first: 16 lines are fetched before the first of them is used.
template <bool BACKWARD, typename Each>
static __device__ __forceinline__ void each_line(const Lines &m, int pos, const Each &each) {
  if (!m.quads) {
#pragma unroll 1
    for (int n = 0; n < m.lines; ++n) {
      const int line = BACKWARD ? m.lines - 1 - n : n;
      each(line, four<false>(m, line, pos));
    }
    return;
  }
  for (int n = 0; n < m.lines; n += TILE) {
    const int from = BACKWARD ? (m.lines - 1) / TILE * TILE - n : n;
    float4 held[TILE];
#pragma unroll
    for (int k = 0; k < TILE; ++k) held[k] = four<true>(m, from + k, pos);
#pragma unroll
    for (int k = 0; k < TILE; ++k) {
      const int line = BACKWARD ? TILE - 1 - k : k;
      if (from + line < m.lines) each(from + line, held[line]);
    }
  }
}

static __device__ __forceinline__ float4 plus(float4 a, float4 b) {
  return make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
}

} // namespace ops
