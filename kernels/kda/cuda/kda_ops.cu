// The chunked gated delta rule as a chain of small generic kernels, the way a
// framework without a fused kernel runs it. The chain itself, and the formula
// that each launch stands for, is kernels/kda/fused/ops.go. All arithmetic is
// float32; there are no atomics, and a launch writes each element once.
//
// The second number of __launch_bounds__ holds registers down, as far as nothing is
// spilled on sm_80 and sm_90: with fewer there are more blocks on a multiprocessor.
#include "ops_pairs.cuh"
#include "ops_product.cuh"

// out = a b, element by element, four to a thread. Grid (chunks, quads/threads).
extern "C" __global__ void __launch_bounds__(ops::THREADS)
ops_mul(VIEW(a), VIEW(b), RESULT(out), int rows, int cols, int T, int C, int first, int chunks) {
  const ops::Chunk at = ops::chunk_of(T, C, first, chunks);
  const ops::Matrix x = PLACED(a, at), y = PLACED(b, at);
  const ops::Target z = PLACED(out, at);
  rows = rows ? rows : at.rows;
  cols = cols ? cols : at.rows;
  const ops::Quad four = ops::quad(ops::element(), rows, cols);
  if (four.count == 0) return;
  const float4 p = ops::read(x, four), q = ops::read(y, four);
  ops::write(z, four, make_float4(p.x * q.x, p.y * q.y, p.z * q.z, p.w * q.w));
}

// out = alpha a + beta b. Grid (chunks, quads/threads).
extern "C" __global__ void __launch_bounds__(ops::THREADS)
ops_add(VIEW(a), float alpha, VIEW(b), float beta, RESULT(out), int rows, int cols, int T, int C, int first, int chunks) {
  const ops::Chunk at = ops::chunk_of(T, C, first, chunks);
  const ops::Matrix x = PLACED(a, at), y = PLACED(b, at);
  const ops::Target z = PLACED(out, at);
  rows = rows ? rows : at.rows;
  cols = cols ? cols : at.rows;
  const ops::Quad four = ops::quad(ops::element(), rows, cols);
  if (four.count == 0) return;
  const float4 p = ops::read(x, four), q = ops::read(y, four);
  ops::write(z, four, make_float4(fmaf(alpha, p.x, beta * q.x), fmaf(alpha, p.y, beta * q.y),
                                  fmaf(alpha, p.z, beta * q.z), fmaf(alpha, p.w, beta * q.w)));
}

// out = a. Grid (chunks, quads/threads).
extern "C" __global__ void __launch_bounds__(ops::THREADS)
ops_copy(VIEW(a), RESULT(out), int rows, int cols, int T, int C, int first, int chunks) {
  const ops::Chunk at = ops::chunk_of(T, C, first, chunks);
  const ops::Matrix x = PLACED(a, at);
  const ops::Target z = PLACED(out, at);
  rows = rows ? rows : at.rows;
  cols = cols ? cols : at.rows;
  const ops::Quad four = ops::quad(ops::element(), rows, cols);
  if (four.count == 0) return;
  ops::write(z, four, ops::read(x, four));
}

// out = alpha a, kept where the column is at least below columns left of the
// diagonal, else 0; square, of the chunk's rows. Grid (chunks, quads/threads).
extern "C" __global__ void __launch_bounds__(ops::THREADS)
ops_mask(VIEW(a), RESULT(out), float alpha, int below, int T, int C, int first, int chunks) {
  const ops::Chunk at = ops::chunk_of(T, C, first, chunks);
  const ops::Matrix x = PLACED(a, at);
  const ops::Target z = PLACED(out, at);
  const ops::Quad four = ops::quad(ops::element(), at.rows, at.rows);
  if (four.count == 0) return;
  const float4 p = ops::read(x, four);
  const int kept = four.row - below - four.col; // the last of the four that is
  ops::write(z, four, make_float4(kept >= 0 ? alpha * p.x : 0.0f, kept >= 1 ? alpha * p.y : 0.0f,
                                  kept >= 2 ? alpha * p.z : 0.0f, kept >= 3 ? alpha * p.w : 0.0f));
}

// out = alpha a b, with rows x inner times inner x cols, in tiles of 64 x 64. Grid (chunks,
// row tiles, column tiles), 256 threads.
extern "C" __global__ void __launch_bounds__(256, 3)
ops_matmul(VIEW(a), VIEW(b), RESULT(out), float alpha, int rows, int cols, int inner, int T, int C, int first, int chunks) {
  const ops::Chunk at = ops::chunk_of(T, C, first, chunks);
  const ops::Matrix x = PLACED(a, at), y = PLACED(b, at);
  const ops::Target z = PLACED(out, at);
  ops::product<ops::WIDE, ops::WIDE, 16, 4, 4>(x, y, z, alpha, rows ? rows : at.rows, cols ? cols : at.rows, inner ? inner : at.rows);
}

// The same in tiles of 16 x 64, for few rows: 128 threads.
extern "C" __global__ void __launch_bounds__(128, 7)
ops_matmul_low(VIEW(a), VIEW(b), RESULT(out), float alpha, int rows, int cols, int inner, int T, int C, int first,
               int chunks) {
  const ops::Chunk at = ops::chunk_of(T, C, first, chunks);
  const ops::Matrix x = PLACED(a, at), y = PLACED(b, at);
  const ops::Target z = PLACED(out, at);
  ops::product<ops::TILE, ops::WIDE, 32, 2, 4>(x, y, z, alpha, rows ? rows : at.rows, cols ? cols : at.rows, inner ? inner : at.rows);
}

// The same in tiles of 16 x 16, for few columns or few chunks: 64 threads, that fetch all
// of 64 inner elements at once.
extern "C" __global__ void __launch_bounds__(64, 12)
ops_matmul_small(VIEW(a), VIEW(b), RESULT(out), float alpha, int rows, int cols, int inner, int T, int C, int first,
                 int chunks) {
  const ops::Chunk at = ops::chunk_of(T, C, first, chunks);
  const ops::Matrix x = PLACED(a, at), y = PLACED(b, at);
  const ops::Target z = PLACED(out, at);
  ops::product<ops::TILE, ops::TILE, 64, 2, 2>(x, y, z, alpha, rows ? rows : at.rows, cols ? cols : at.rows, inner ? inner : at.rows);
}

// out[r] = sum over the columns of a, whose rows are lines: 16 threads of a row have every
// 16th four of it each, and add up what they have in pairs. A block has 64 rows, a thread
// four that follow each other. Grid (chunks, rows/64).
extern "C" __global__ void __launch_bounds__(ops::THREADS)
ops_sum(VIEW(a), RESULT(out), int rows, int cols, int T, int C, int first, int chunks) {
  const ops::Chunk at = ops::chunk_of(T, C, first, chunks);
  const ops::Matrix x = PLACED(a, at);
  const ops::Target z = PLACED(out, at);
  const int lane = threadIdx.x % 16, r = blockIdx.y * ops::WIDE + threadIdx.x / 16 * 4;
  const ops::Lines lines = ops::rows_of(x, rows = rows ? rows : at.rows, cols ? cols : at.rows);
  float sum[4] = {};
  for (int from = 0; from < lines.length; from += ops::WIDE) {
    float4 four[4];
    ops::take(four, lines, [&](int k) { return make_int2(r + k, from + 4 * lane); });
#pragma unroll
    for (int k = 0; k < 4; ++k) sum[k] += (four[k].x + four[k].y) + (four[k].z + four[k].w);
  }
#pragma unroll
  for (int apart = 8; apart > 0; apart /= 2)
    for (int k = 0; k < 4; ++k) sum[k] += __shfl_xor_sync(ops::WARP, sum[k], apart);
  const ops::Quad four = {0, r, rows - r < 4 ? rows - r : 4};
  if (lane == 0 && r < rows) ops::write({z.data, z.col, z.row}, four, make_float4(sum[0], sum[1], sum[2], sum[3]));
}

// The same where the columns of a are lines: a thread has four rows, and adds column to
// column in ascending order. Grid (chunks, quads of rows/threads).
extern "C" __global__ void __launch_bounds__(ops::THREADS, 3)
ops_sum_lines(VIEW(a), RESULT(out), int rows, int cols, int T, int C, int first, int chunks) {
  const ops::Chunk at = ops::chunk_of(T, C, first, chunks);
  const ops::Matrix x = PLACED(a, at);
  const ops::Target z = PLACED(out, at);
  const int r = ops::element() * 4;
  const ops::Lines lines = ops::cols_of(x, rows = rows ? rows : at.rows, cols ? cols : at.rows);
  if (r >= rows) return;
  float4 sum = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
  ops::each_line<false>(lines, r, [&](int, float4 line) { sum = ops::plus(sum, line); });
  const ops::Quad four = {0, r, rows - r < 4 ? rows - r : 4};
  ops::write({z.data, z.col, z.row}, four, sum);
}

// out = exp(in), all elements. Four quads to a thread: at the measured size all blocks
// are on the card at once. Grid (elements/4096).
extern "C" __global__ void __launch_bounds__(ops::THREADS) ops_exp(const float *in, float *out, int count) {
  constexpr int EACH = 4;
  const ops::Lines lines = ops::lines_of(in, 0, 1, 1, count);
  const int first = blockIdx.x * EACH * ops::THREADS + threadIdx.x;
  float4 x[EACH];
  ops::take(x, lines, [&](int k) { return make_int2(0, (first + k * ops::THREADS) * 4); });
#pragma unroll
  for (int k = 0; k < EACH; ++k) {
    const int from = (first + k * ops::THREADS) * 4;
    const ops::Quad four = {0, from, count - from < 4 ? count - from : 4};
    if (from < count) ops::write({out, 0, 1}, four, make_float4(expf(x[k].x), expf(x[k].y), expf(x[k].z), expf(x[k].w)));
  }
}

// out_r = sum of in_s over s <= r inside the chunk; [B,H,T,K]. One thread for four
// channels. Grid (chunks, quads of K/threads). in are log decays: none counts for less than
// -104, of which the exponential is 0 in float32.
extern "C" __global__ void __launch_bounds__(ops::THREADS, 2) ops_cumsum(const float *in, float *out, int T, int K, int C) {
  const ops::Chunk at = ops::chunk_of(T, C, 0, (T + C - 1) / C);
  const size_t base = ((size_t)at.head * T + (size_t)at.chunk * C) * K;
  const ops::Lines lines = ops::lines_of(in + base, K, 1, at.rows, K);
  const int d = ops::element() * 4;
  if (d >= K) return;
  const auto held = [](float g) { return g < -104.0f ? -104.0f : g; };
  float4 sum = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
  ops::each_line<false>(lines, d, [&](int r, float4 g) {
    sum = ops::plus(sum, make_float4(held(g.x), held(g.y), held(g.z), held(g.w)));
    ops::write({out + base, K, 1}, {r, d, K - d < 4 ? K - d : 4}, sum);
  });
}

// The sum of in_s from the last row up, s >= r, beginning with init [B,H,N,K].
extern "C" __global__ void __launch_bounds__(ops::THREADS, 3)
ops_revsum(const float *in, const float *init, float *out, int T, int K, int C) {
  const ops::Chunk at = ops::chunk_of(T, C, 0, (T + C - 1) / C);
  const size_t base = ((size_t)at.head * T + (size_t)at.chunk * C) * K;
  const ops::Lines lines = ops::lines_of(in + base, K, 1, at.rows, K);
  const int d = ops::element() * 4;
  if (d >= K) return;
  float4 sum = ops::four<false>(ops::lines_of(init + (size_t)blockIdx.x * K, 0, 1, 1, K), 0, d);
  ops::each_line<true>(lines, d, [&](int r, float4 x) {
    sum = ops::plus(sum, x);
    ops::write({out + base, K, 1}, {r, d, K - d < 4 ? K - d : 4}, sum);
  });
}

// out = the last row of each chunk; [B,H,T,K] to [B,H,N,K]. Grid (chunks, K/threads).
extern "C" __global__ void __launch_bounds__(ops::THREADS) ops_last(const float *in, float *out, int T, int K, int C) {
  const ops::Chunk at = ops::chunk_of(T, C, 0, (T + C - 1) / C);
  if (ops::element() >= K) return;
  const size_t last = (size_t)at.head * T + (size_t)at.chunk * C + at.rows - 1;
  out[(size_t)blockIdx.x * K + ops::element()] = in[last * K + ops::element()];
}

// out_ij = alpha sum_d x_i k_j exp(G_i - G_j) where j <= i - below, else 0, all
// C x C of it; the mask comes before the exponential, which would overflow above
// the diagonal. x, k, G are [B,H,T,K], out is [B,H,N,C,C]. Tiles of 16 x 16. Grid
// (chunks, row tiles, column tiles), 256 threads.
extern "C" __global__ void __launch_bounds__(ops::TILE * ops::TILE, 5)
ops_scores(const float *x, const float *k, const float *gcum, float *out, float alpha, int below, int T, int K, int C) {
  ops::scores(x, k, gcum, out, alpha, below, T, K, C);
}

// out_r = sum over j <= r of m_rj z_j exp(G_r - G_j). m is [B,H,N,C,C], the rest
// [B,H,T,K]. Grid (chunks, row tiles, K/64), 64 threads.
extern "C" __global__ void __launch_bounds__(ops::LANES, 14)
ops_row_sums(const float *m, const float *z, const float *gcum, float *out, int T, int K, int C) {
  ops::pair_sums<false>(m, z, gcum, out, T, K, C);
}

// out_r = sum over i >= r of m_ir z_i exp(G_i - G_r), as ops_row_sums.
extern "C" __global__ void __launch_bounds__(ops::LANES, 14)
ops_col_sums(const float *m, const float *z, const float *gcum, float *out, int T, int K, int C) {
  ops::pair_sums<true>(m, z, gcum, out, T, K, C);
}

// out = (I + a)^-1 for a strictly lower triangular a, by substitution from the
// first row down; [B,H,N,C,C], 0 beyond the chunk's rows. One thread for each
// column: it reads only what it wrote itself, in shared memory where that is enough, as is
// a there. Grid (chunks, C/256), threads for C of them.
extern "C" __global__ void __launch_bounds__(ops::THREADS) ops_inverse(const float *a, float *out, int T, int C) {
  constexpr int MOST = 32;
  __shared__ float small[MOST * MOST], held[MOST * MOST];
  const ops::Chunk at = ops::chunk_of(T, C, 0, (T + C - 1) / C);
  const float *global = a + (size_t)blockIdx.x * C * C, *lower = C <= MOST ? held : global;
  float *whole = out + (size_t)blockIdx.x * C * C;
  float *inverse = C <= MOST ? small : whole;
#pragma unroll 8
  for (int e = threadIdx.x; C <= MOST && e < C * C; e += blockDim.x) held[e] = global[e];
  __syncthreads();
  const int c = ops::element();
  if (c >= C) return;
  for (int r = 0; r < C; ++r) {
    float sum = r == c && r < at.rows ? 1.0f : 0.0f;
    for (int i = c; i < r && r < at.rows; ++i) sum = fmaf(-lower[r * C + i], inverse[i * C + c], sum);
    inverse[r * C + c] = sum;
    if (C <= MOST) whole[r * C + c] = sum;
  }
}
