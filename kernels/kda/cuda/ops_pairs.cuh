// What the ops path sums over pairs of rows of a chunk, with the decay between the two: an
// exponential for each pair and key channel, 27 million of them for each sum at the
// measured size. At 11 instructions a pair those, not the memory, are the floor: 10 us.
#pragma once
#include "ops_lines.cuh"

namespace ops {

constexpr int LANES = 64; // channels of a block of pair_sums

// pair_sums is out_r = sum over j <= r of m_rj z_j exp(G_r - G_j), or with DOWN the sum over
// i >= r of m_ir z_i exp(G_i - G_r): a thread for a channel of 16 rows. Their z and G are in
// its registers, the tile of m on the diagonal in shared memory, and the rows of other tiles,
// which chunks of 16 do not have, are summed before those of this one.
template <bool DOWN>
static __device__ __forceinline__ void pair_sums(const float *m, const float *z, const float *gcum, float *out, int T,
                                                 int K, int C) {
  __shared__ __align__(16) float weight[TILE][TILE + 4]; // by the row that is summed for
  __shared__ float far[TILE][LANES];                     // a thread reads only what it wrote
  const Chunk at = chunk_of(T, C, 0, (T + C - 1) / C);
  const int top = blockIdx.y * TILE, left = at.rows - top, d = blockIdx.z * LANES + threadIdx.x;
  if (left <= 0) return;
  const size_t base = ((size_t)at.head * T + (size_t)at.chunk * C + top) * K + d;
  const float *square = m + (size_t)blockIdx.x * C * C;

  const int row = threadIdx.x / 4, col = threadIdx.x % 4 * 4;
  float4 part[1];
  take(part, lines_of(square + (size_t)top * C + top, C, 1, left, left), [&](int) { return make_int2(row, col); });
  float zs[TILE], gs[TILE];
#pragma unroll
  for (int r = 0; r < TILE; ++r) {
    const bool there = r < left && d < K;
    zs[r] = there ? z[base + r * K] : 0.0f;
    gs[r] = there ? gcum[base + r * K] : -1e30f; // nothing is left of it
  }
  if (DOWN) {
    weight[col][row] = part[0].x, weight[col + 1][row] = part[0].y;
    weight[col + 2][row] = part[0].z, weight[col + 3][row] = part[0].w;
  } else {
    store(&weight[row][col], part[0]);
  }
  __syncthreads();
  if (d >= K) return;

  const int first = DOWN ? top + TILE : 0, end = DOWN ? at.rows : top;
  for (int r = 0; r < TILE && r < left && first < end; ++r) {
    const float g = gcum[base + r * K];
    float sum = 0.0f;
    for (int j = first; j < end; ++j) {
      const float *zj = z + base - (size_t)top * K + (size_t)j * K, *gj = gcum + base - (size_t)top * K + (size_t)j * K;
      const float by = DOWN ? square[(size_t)j * C + top + r] : square[(size_t)(top + r) * C + j];
      sum = fmaf(by * *zj, expf(DOWN ? *gj - g : g - *gj), sum);
    }
    far[r][threadIdx.x] = sum;
  }
#pragma unroll
  for (int r = 0; r < TILE; ++r) {
    if (r >= left) break;
    float sum = first < end ? far[r][threadIdx.x] : 0.0f;
#pragma unroll
    for (int j = 0; j < TILE; j += 4) {
      if (DOWN ? j + 3 < r : j > r) continue;
      const float4 four = load(&weight[r][j]);
      const float by[4] = {four.x, four.y, four.z, four.w};
#pragma unroll
      for (int s = 0; s < 4; ++s) {
        if (DOWN ? j + s < r : j + s > r) continue;
        sum = fmaf(by[s] * zs[j + s], expf(DOWN ? gs[j + s] - gs[r] : gs[r] - gs[j + s]), sum);
      }
    }
    out[base + r * K] = sum;
  }
}

// Which pair of rows of a 16 x 16 tile is a thread's, of 256, and which of its channels. On
// the diagonal two threads share each of the 120 pairs below it, by every second quad of
// channels, and the last 16 have a row with itself, where the decay is 1.
struct Pair {
  int i, j, part, parts;
};

static __device__ __forceinline__ Pair pair_of(bool diagonal) {
  constexpr int BELOW = TILE * (TILE - 1);
  const int thread = threadIdx.x;
  if (!diagonal) return {thread / TILE, thread % TILE, 0, 1};
  if (thread >= BELOW) return {thread - BELOW, thread - BELOW, 0, 1};
  const int p = thread / 2, i = (int)((1.0f + sqrtf(8.0f * p + 1.0f)) / 2.0f); // p = i (i-1) / 2 + j
  return {i, p - i * (i - 1) / 2, thread % 2, 2};
}

// Rows of a tile by WIDE channels; two threads of a pair read neighbouring quads without
// meeting those of the next row in a bank.
using Strip = float[TILE][WIDE + 8];

// The sum of x_i k_j exp(G_i - G_j) over a thread's quads of channels.
static __device__ __forceinline__ float decayed(float sum, const float *x, const float *gi, const float *k,
                                                const float *gj, Pair at, int quads) {
#pragma unroll 2
  for (int q = at.part; q < quads; q += at.parts) {
    const float4 a = load(x + 4 * q), b = load(k + 4 * q), u = load(gi + 4 * q), v = load(gj + 4 * q);
    sum = fmaf(a.x * b.x, expf(u.x - v.x), sum);
    sum = fmaf(a.y * b.y, expf(u.y - v.y), sum);
    sum = fmaf(a.z * b.z, expf(u.z - v.z), sum);
    sum = fmaf(a.w * b.w, expf(u.w - v.w), sum);
  }
  return sum;
}

// The same of a row with itself.
static __device__ __forceinline__ float undecayed(float sum, const float *x, const float *k, int quads) {
  for (int q = 0; q < quads; ++q) {
    const float4 a = load(x + 4 * q), b = load(k + 4 * q);
    sum = fmaf(a.w, b.w, fmaf(a.z, b.z, fmaf(a.y, b.y, fmaf(a.x, b.x, sum))));
  }
  return sum;
}

// scores is ops_scores of kda_ops.cu: a block makes a tile, all C x C of which are written,
// in whole quads by way of shared memory.
static __device__ __forceinline__ void scores(const float *x, const float *k, const float *gcum, float *out, float alpha,
                                              int below, int T, int K, int C) {
  __shared__ __align__(16) Strip xi, gi, kj, other;
  __shared__ __align__(16) float score[TILE][TILE + 4];
  const Chunk at = chunk_of(T, C, 0, (T + C - 1) / C);
  const size_t base = ((size_t)at.head * T + (size_t)at.chunk * C) * K;
  const int top = blockIdx.y * TILE, side = blockIdx.z * TILE, row = threadIdx.x / TILE, col = threadIdx.x % TILE * 4;
  const bool diagonal = top == side;
  const Pair own = pair_of(diagonal);
  const float *gj = diagonal ? gi[own.j] : other[own.j];
  float sum = 0.0f;
  // Nothing of a tile above the diagonal counts, or of one with no rows: all threads pass.
  const int depth = side <= top && top < at.rows ? K : 0;
  for (int from = 0; from < depth; from += WIDE) {
    const auto here = [&](int) { return make_int2(top + row, from + col); };
    const auto there = [&](int) { return make_int2(side + row, from + col); };
    float4 a[1], b[1], u[1], v[1] = {};
    take(a, lines_of(x + base, K, 1, at.rows, K), here);
    take(u, lines_of(gcum + base, K, 1, at.rows, K), here);
    take(b, lines_of(k + base, K, 1, at.rows, K), there);
    if (!diagonal) take(v, lines_of(gcum + base, K, 1, at.rows, K), there);
    if (from > 0) __syncthreads();
    store(&xi[row][col], a[0]), store(&gi[row][col], u[0]), store(&kj[row][col], b[0]);
    if (!diagonal) store(&other[row][col], v[0]);
    __syncthreads();
    const int quads = ((K - from < WIDE ? K - from : WIDE) + 3) / 4; // channels that are not there are 0
    sum = diagonal && own.i == own.j ? undecayed(sum, xi[own.i], kj[own.j], quads)
                                     : decayed(sum, xi[own.i], gi[own.i], kj[own.j], gj, own, quads);
  }
  const float half = __shfl_xor_sync(WARP, sum, 1);
  const bool counts = depth > 0 && top + own.i < at.rows && side + own.j <= top + own.i - below;
  if (own.part == 0) score[own.i][own.j] = counts ? alpha * (own.parts == 2 ? sum + half : sum) : 0.0f;
  if (own.part == 1) score[own.j][own.i] = 0.0f;
  __syncthreads();
  const int i = top + threadIdx.x / 4, j = side + threadIdx.x % 4 * 4;
  if (threadIdx.x >= TILE * TILE / 4 || i >= C || j >= C) return;
  const Quad four = {i, j, C - j < 4 ? C - j : 4};
  write({out + (size_t)blockIdx.x * C * C, C, 1}, four, load(&score[threadIdx.x / 4][threadIdx.x % 4 * 4]));
}

} // namespace ops
