// The chunked gated delta rule as a chain of small generic kernels, the way a
// framework without a fused kernel runs it. The chain itself, and the formula
// that each launch stands for, is kernels/kda/fused/ops.go. All arithmetic is
// float32; there are no atomics, and a launch writes each element once.
#include "ops_product.cuh"

// out = a b, element by element, four to a thread. Grid (chunks, quads/256).
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

// out = alpha a + beta b. Grid (chunks, quads/256).
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

// out = a. Grid (chunks, quads/256).
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
// diagonal, else 0; square, of the chunk's rows. Grid (chunks, quads/256).
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

// out = alpha a b, with rows x inner times inner x cols, in tiles of 16 x 64. Grid
// (chunks, row tiles, column tiles), 64 threads.
extern "C" __global__ void __launch_bounds__(64, 1)
ops_matmul(VIEW(a), VIEW(b), RESULT(out), float alpha, int rows, int cols, int inner, int T, int C, int first, int chunks) {
  const ops::Chunk at = ops::chunk_of(T, C, first, chunks);
  const ops::Matrix x = PLACED(a, at), y = PLACED(b, at);
  const ops::Target z = PLACED(out, at);
  ops::product<4, ops::WIDE>(x, y, z, alpha, rows ? rows : at.rows, cols ? cols : at.rows, inner ? inner : at.rows);
}

// The same in tiles of 16 x 16, for few columns.
extern "C" __global__ void __launch_bounds__(64, 1)
ops_matmul_narrow(VIEW(a), VIEW(b), RESULT(out), float alpha, int rows, int cols, int inner, int T, int C, int first,
                  int chunks) {
  const ops::Chunk at = ops::chunk_of(T, C, first, chunks);
  const ops::Matrix x = PLACED(a, at), y = PLACED(b, at);
  const ops::Target z = PLACED(out, at);
  ops::product<2, ops::TILE>(x, y, z, alpha, rows ? rows : at.rows, cols ? cols : at.rows, inner ? inner : at.rows);
}

// out[r] = sum over the columns of a, left to right. One thread for each row, 64 of them,
// which fetch 16 columns at a time together. Grid (chunks, rows/64).
extern "C" __global__ void __launch_bounds__(ops::WIDE, 1)
ops_sum(VIEW(a), RESULT(out), int rows, int cols, int T, int C, int first, int chunks) {
  constexpr int TILE = ops::TILE, WIDE = ops::WIDE;
  __shared__ float part[WIDE][TILE + 1];
  const ops::Chunk at = ops::chunk_of(T, C, first, chunks);
  const ops::Matrix x = PLACED(a, at);
  const ops::Target z = PLACED(out, at);
  rows = rows ? rows : at.rows;
  cols = cols ? cols : at.rows;
  const int top = blockIdx.y * WIDE, r = top + threadIdx.x;
  float sum = 0.0f;
  for (int from = 0; from < cols; from += TILE) {
    const int wide = cols - from < TILE ? cols - from : TILE;
    for (int e = threadIdx.x; e < WIDE * TILE; e += WIDE) {
      const int row = x.col == 1 ? e / TILE : e % WIDE, c = x.col == 1 ? e % TILE : e / WIDE;
      if (top + row < rows && c < wide) part[row][c] = x(top + row, from + c);
    }
    __syncthreads();
    for (int c = 0; c < wide && r < rows; ++c) sum += part[threadIdx.x][c];
    __syncthreads();
  }
  if (r < rows) z(r, 0) = sum;
}

// out = exp(in), all elements. Grid (1, elements/256).
extern "C" __global__ void __launch_bounds__(ops::THREADS) ops_exp(const float *in, float *out, int count) {
  if (ops::element() < count) out[ops::element()] = expf(in[ops::element()]);
}

// out_r = sum of in_s over s <= r inside the chunk; [B,H,T,K]. One thread for
// each channel. Grid (chunks, K/256). in are log decays: none counts for less than
// -104, of which the exponential is 0 in float32.
extern "C" __global__ void __launch_bounds__(ops::THREADS) ops_cumsum(const float *in, float *out, int T, int K, int C) {
  const ops::Chunk at = ops::chunk_of(T, C, 0, (T + C - 1) / C);
  const size_t base = ((size_t)at.head * T + (size_t)at.chunk * C) * K + ops::element();
  if (ops::element() >= K) return;
  float sum = 0.0f;
  for (int r = 0; r < at.rows; ++r) {
    const float g = in[base + (size_t)r * K];
    out[base + (size_t)r * K] = sum += g < -104.0f ? -104.0f : g;
  }
}

// The sum of in_s from the last row up, s >= r, beginning with init [B,H,N,K].
extern "C" __global__ void __launch_bounds__(ops::THREADS)
ops_revsum(const float *in, const float *init, float *out, int T, int K, int C) {
  const ops::Chunk at = ops::chunk_of(T, C, 0, (T + C - 1) / C);
  const size_t base = ((size_t)at.head * T + (size_t)at.chunk * C) * K + ops::element();
  if (ops::element() >= K) return;
  float sum = init[(size_t)blockIdx.x * K + ops::element()];
  for (int r = at.rows - 1; r >= 0; --r) out[base + (size_t)r * K] = sum += in[base + (size_t)r * K];
}

// out = the last row of each chunk; [B,H,T,K] to [B,H,N,K]. Grid (chunks, K/256).
extern "C" __global__ void __launch_bounds__(ops::THREADS) ops_last(const float *in, float *out, int T, int K, int C) {
  const ops::Chunk at = ops::chunk_of(T, C, 0, (T + C - 1) / C);
  if (ops::element() >= K) return;
  const size_t last = (size_t)at.head * T + (size_t)at.chunk * C + at.rows - 1;
  out[(size_t)blockIdx.x * K + ops::element()] = in[last * K + ops::element()];
}

// out_ij = alpha sum_d x_i k_j exp(G_i - G_j) where j <= i - below, else 0, all
// C x C of it; the mask comes before the exponential, which would overflow above
// the diagonal. x, k, G are [B,H,T,K], out is [B,H,N,C,C]. One thread for each element
// in tiles of 16 x 16. Grid (chunks, row tiles, column tiles).
extern "C" __global__ void __launch_bounds__(ops::TILE * ops::TILE)
ops_scores(const float *x, const float *k, const float *gcum, float *out, float alpha, int below, int T, int K, int C) {
  constexpr int TILE = ops::TILE;
  __shared__ float xi[TILE][TILE + 1], gi[TILE][TILE + 1], kj[TILE][TILE + 1], gj[TILE][TILE + 1];
  const ops::Chunk at = ops::chunk_of(T, C, 0, (T + C - 1) / C);
  const size_t base = ((size_t)at.head * T + (size_t)at.chunk * C) * K;
  const int ty = threadIdx.y, tx = threadIdx.x, top = blockIdx.y * TILE, side = blockIdx.z * TILE;
  const int i = top + ty, j = side + tx;
  const bool counts = i < at.rows && j <= i - below;
  float sum = 0.0f;
  // Nothing of a tile above the diagonal counts, or of one with no rows: all threads pass.
  const int depth = side < top + TILE && top < at.rows ? K : 0;
  for (int from = 0; from < depth; from += TILE) {
    const bool row = i < at.rows && from + tx < K, col = side + ty < at.rows && from + tx < K;
    const size_t r = base + (size_t)i * K + from + tx, c = base + (size_t)(side + ty) * K + from + tx;
    xi[ty][tx] = row ? x[r] : 0.0f, gi[ty][tx] = row ? gcum[r] : 0.0f;
    kj[ty][tx] = col ? k[c] : 0.0f, gj[ty][tx] = col ? gcum[c] : 0.0f;
    __syncthreads();
    const int deep = counts ? (K - from < TILE ? K - from : TILE) : 0;
    for (int d = 0; d < deep; ++d) sum = fmaf(xi[ty][d] * kj[tx][d], expf(gi[ty][d] - gj[tx][d]), sum);
    __syncthreads();
  }
  if (i < C && j < C) out[((size_t)blockIdx.x * C + i) * C + j] = alpha * sum;
}

// out_r = sum over j <= r of m_rj z_j exp(G_r - G_j). m is [B,H,N,C,C], the rest
// [B,H,T,K]. Grid (chunks, C*K/256).
extern "C" __global__ void __launch_bounds__(ops::THREADS)
ops_row_sums(const float *m, const float *z, const float *gcum, float *out, int T, int K, int C) {
  const ops::Chunk at = ops::chunk_of(T, C, 0, (T + C - 1) / C);
  const size_t base = ((size_t)at.head * T + (size_t)at.chunk * C) * K;
  const int r = ops::element() / K, d = ops::element() % K;
  if (r >= at.rows) return;
  const float *row = m + ((size_t)blockIdx.x * C + r) * C;
  const float *zd = z + base + d, *gd = gcum + base + d;
  float sum = 0.0f;
  for (int j = 0; j <= r; ++j) sum = fmaf(row[j] * zd[(size_t)j * K], expf(gd[(size_t)r * K] - gd[(size_t)j * K]), sum);
  out[base + ops::element()] = sum;
}

// out_r = sum over i >= r of m_ir z_i exp(G_i - G_r), as ops_row_sums.
extern "C" __global__ void __launch_bounds__(ops::THREADS)
ops_col_sums(const float *m, const float *z, const float *gcum, float *out, int T, int K, int C) {
  const ops::Chunk at = ops::chunk_of(T, C, 0, (T + C - 1) / C);
  const size_t base = ((size_t)at.head * T + (size_t)at.chunk * C) * K;
  const int r = ops::element() / K, d = ops::element() % K;
  if (r >= at.rows) return;
  const float *col = m + (size_t)blockIdx.x * C * C + r;
  const float *zd = z + base + d, *gd = gcum + base + d;
  float sum = 0.0f;
  for (int i = r; i < at.rows; ++i) sum = fmaf(col[(size_t)i * C] * zd[(size_t)i * K], expf(gd[(size_t)i * K] - gd[(size_t)r * K]), sum);
  out[base + ops::element()] = sum;
}

// out = (I + a)^-1 for a strictly lower triangular a, by substitution from the
// first row down; [B,H,N,C,C], 0 beyond the chunk's rows. One thread for each
// column: it reads only what it wrote itself, in shared memory where that is enough.
// Grid (chunks, C/256), threads for C of them.
extern "C" __global__ void __launch_bounds__(ops::THREADS) ops_inverse(const float *a, float *out, int T, int C) {
  constexpr int MOST = 64;
  __shared__ float small[MOST * MOST];
  const ops::Chunk at = ops::chunk_of(T, C, 0, (T + C - 1) / C);
  const float *lower = a + (size_t)blockIdx.x * C * C;
  float *whole = out + (size_t)blockIdx.x * C * C;
  float *inverse = C <= MOST ? small : whole;
  const int c = ops::element();
  if (c >= C) return;
  for (int r = 0; r < C; ++r) {
    float sum = r == c && r < at.rows ? 1.0f : 0.0f;
    for (int i = c; i < r && r < at.rows; ++i) sum = fmaf(-lower[r * C + i], inverse[i * C + c], sum);
    inverse[r * C + c] = sum;
    if (C <= MOST) whole[r * C + c] = sum;
  }
}
