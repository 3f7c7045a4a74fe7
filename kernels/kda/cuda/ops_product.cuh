// The products of the ops path: a tile of one in registers, fetched through shared memory.
#pragma once
#include "ops_lines.cuh"

namespace ops {

// One operand's part of a tile: EXTENT rows of the left one, or columns of the right one,
// by DEPTH of the inner index. In shared memory it stands by inner index whichever way the
// view is turned; what is fetched next waits in registers while the last is multiplied.
template <int EXTENT, int DEPTH, int THREADS> struct Panel {
  static constexpr int PITCH = EXTENT + 4;
  static constexpr int QUADS = DEPTH * EXTENT / 4 / THREADS;
  static_assert(QUADS * THREADS * 4 == DEPTH * EXTENT && DEPTH % 8 == 0, "all threads fetch the same number");

  bool along; // lines run along the inner index
  Lines lines;
  int side; // first of the EXTENT
  float4 held[QUADS] = {};

  // m has extent rows, and columns by the inner index.
  __device__ __forceinline__ Panel(const Matrix &m, int extent, int inner, int first)
      : along(m.col == 1), lines(lines_of(m.data, along ? m.row : m.col, along ? m.col : m.row, along ? extent : inner,
                                          along ? inner : extent)),
        side(first) {}

  // The k-th quad of a thread: inner index and side of its first element. Along the inner
  // index two threads fetch the 32 bytes of a sector, and 16 pairs of them other lines: their
  // words then go to 32 banks.
  __device__ __forceinline__ int2 place(int k) const {
    const int e = threadIdx.x + k * THREADS;
    return along ? make_int2(e / (2 * EXTENT) * 8 + e % 2 * 4, e / 2 % EXTENT)
                 : make_int2(e / (EXTENT / 4), e % (EXTENT / 4) * 4);
  }

  __device__ __forceinline__ void fetch(int from) {
    if (!lines.quads) return;
#pragma unroll
    for (int k = 0; k < QUADS; ++k) {
      const int2 at = place(k);
      held[k] = four<true>(lines, along ? side + at.y : from + at.x, along ? from + at.x : side + at.y);
    }
  }

  // A view without quads comes a word at a time, when it is needed.
  __device__ __forceinline__ void put(float (*to)[PITCH], int from) const {
#pragma unroll 1
    for (int e = threadIdx.x; !lines.quads && e < DEPTH * EXTENT; e += THREADS) {
      const int i = along ? e % DEPTH : e / EXTENT, s = along ? e / DEPTH : e % EXTENT;
      const int line = along ? side + s : from + i, pos = along ? from + i : side + s;
      const bool there = line < lines.lines && pos < lines.length;
      to[i][s] = there ? lines.data[line * lines.stride + pos * lines.step] : 0.0f;
    }
    if (!lines.quads) return;
#pragma unroll
    for (int k = 0; k < QUADS; ++k) {
      const int2 at = place(k);
      if (along) {
        to[at.x][at.y] = held[k].x, to[at.x + 1][at.y] = held[k].y;
        to[at.x + 2][at.y] = held[k].z, to[at.x + 3][at.y] = held[k].w;
      } else {
        store(&to[at.x][at.y], held[k]);
      }
    }
  }
};

// N words of shared memory that stand together.
template <int N> static __device__ __forceinline__ void words(float (&to)[N], const float *from) {
  static_assert(N == 2 || N == 4, "8 or 16 bytes");
  if constexpr (N == 4) {
    const float4 four = load(from);
    to[0] = four.x, to[1] = four.y, to[2] = four.z, to[3] = four.w;
  } else {
    const float2 two = *reinterpret_cast<const float2 *>(from);
    to[0] = two.x, to[1] = two.y;
  }
}

// product is out = alpha a b for a tile of ROWS x COLS. A thread makes DOWN x ACROSS elements,
// each sum one chain in ascending order; DEPTH of the inner index are in shared memory.
template <int ROWS, int COLS, int DEPTH, int DOWN, int ACROSS>
static __device__ __forceinline__ void product(const Matrix &x, const Matrix &y, const Target &z, float alpha, int rows,
                                               int cols, int inner) {
  constexpr int THREADS = ROWS * COLS / DOWN / ACROSS;
  using Left = Panel<ROWS, DEPTH, THREADS>;
  using Right = Panel<COLS, DEPTH, THREADS>;
  __shared__ __align__(16) float left[DEPTH][Left::PITCH], right[DEPTH][Right::PITCH];
  const int top = blockIdx.y * ROWS, side = blockIdx.z * COLS;
  const int ty = threadIdx.x / (COLS / ACROSS) * DOWN, tx = threadIdx.x % (COLS / ACROSS) * ACROSS;
  Left a(x, rows, inner, top);
  Right b({y.data, y.col, y.row}, cols, inner, side);
  float sum[DOWN][ACROSS] = {};
  a.fetch(0);
  b.fetch(0);
  for (int from = 0; from < inner; from += DEPTH) {
    if (from > 0) __syncthreads();
    a.put(left, from);
    b.put(right, from);
    __syncthreads();
    if (from + DEPTH < inner) {
      a.fetch(from + DEPTH);
      b.fetch(from + DEPTH);
    }
    const int deep = inner - from < DEPTH ? inner - from : DEPTH; // to a multiple of 8: behind it are zeros
    for (int i = 0; i < deep; i += 8) {
#pragma unroll
      for (int s = 0; s < 8; ++s) {
        float p[DOWN], q[ACROSS];
        words(p, &left[i + s][ty]);
        words(q, &right[i + s][tx]);
#pragma unroll
        for (int e = 0; e < DOWN * ACROSS; ++e) {
          float &to = sum[e / ACROSS][e % ACROSS];
          to = fmaf(p[e / ACROSS], q[e % ACROSS], to);
        }
      }
    }
  }
#pragma unroll
  for (int p = 0; p < DOWN; ++p) {
    const int r = top + ty + p, c = side + tx;
    if (r >= rows || c >= cols) continue;
    if constexpr (ACROSS == 4) {
      const Quad four = {r, c, cols - c < 4 ? cols - c : 4};
      write(z, four, make_float4(alpha * sum[p][0], alpha * sum[p][1], alpha * sum[p][2], alpha * sum[p][3]));
    } else {
      float *to = z.data + (r * z.row + c * z.col);
      for (int e = 0; e < ACROSS && c + e < cols; ++e) to[e * z.col] = alpha * sum[p][e];
    }
  }
}

} // namespace ops
