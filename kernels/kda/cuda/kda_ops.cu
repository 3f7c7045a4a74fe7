// The chunked gated delta rule as a chain of small generic kernels, the way a
// framework without a fused kernel runs it. The chain itself, and the formula
// that each launch stands for, is kernels/kda/fused/ops.go. All arithmetic is
// float32; there are no atomics, and a launch writes each element once.
#include "ops.cuh"

// out = a b, element by element. Grid (chunks, elements/256).
extern "C" __global__ void __launch_bounds__(ops::THREADS)
ops_mul(VIEW(a), VIEW(b), RESULT(out), int rows, int cols, int T, int C, int first, int chunks) {
  const ops::Chunk at = ops::chunk_of(T, C, first, chunks);
  const ops::Matrix x = PLACED(a, at), y = PLACED(b, at);
  const ops::Target z = PLACED(out, at);
  rows = rows ? rows : at.rows;
  cols = cols ? cols : at.rows;
  const int i = ops::element();
  if (i >= rows * cols) return;
  z(i / cols, i % cols) = x(i / cols, i % cols) * y(i / cols, i % cols);
}

// out = alpha a + beta b. Grid (chunks, elements/256).
extern "C" __global__ void __launch_bounds__(ops::THREADS)
ops_add(VIEW(a), float alpha, VIEW(b), float beta, RESULT(out), int rows, int cols, int T, int C, int first, int chunks) {
  const ops::Chunk at = ops::chunk_of(T, C, first, chunks);
  const ops::Matrix x = PLACED(a, at), y = PLACED(b, at);
  const ops::Target z = PLACED(out, at);
  rows = rows ? rows : at.rows;
  cols = cols ? cols : at.rows;
  const int i = ops::element();
  if (i >= rows * cols) return;
  z(i / cols, i % cols) = fmaf(alpha, x(i / cols, i % cols), beta * y(i / cols, i % cols));
}

// out = a. Grid (chunks, elements/256).
extern "C" __global__ void __launch_bounds__(ops::THREADS)
ops_copy(VIEW(a), RESULT(out), int rows, int cols, int T, int C, int first, int chunks) {
  const ops::Chunk at = ops::chunk_of(T, C, first, chunks);
  const ops::Matrix x = PLACED(a, at);
  const ops::Target z = PLACED(out, at);
  rows = rows ? rows : at.rows;
  cols = cols ? cols : at.rows;
  const int i = ops::element();
  if (i >= rows * cols) return;
  z(i / cols, i % cols) = x(i / cols, i % cols);
}

// out = alpha a, kept where the column is at least below columns left of the
// diagonal, else 0; square, of the chunk's rows. Grid (chunks, elements/256).
extern "C" __global__ void __launch_bounds__(ops::THREADS)
ops_mask(VIEW(a), RESULT(out), float alpha, int below, int T, int C, int first, int chunks) {
  const ops::Chunk at = ops::chunk_of(T, C, first, chunks);
  const ops::Matrix x = PLACED(a, at);
  const ops::Target z = PLACED(out, at);
  const int i = ops::element(), r = i / at.rows, c = i % at.rows;
  if (r >= at.rows) return;
  z(r, c) = c <= r - below ? alpha * x(r, c) : 0.0f;
}

// out = alpha a b, with rows x inner times inner x cols. One thread for each
// element in tiles of 16 x 16. Grid (chunks, row tiles, column tiles).
extern "C" __global__ void __launch_bounds__(ops::TILE * ops::TILE)
ops_matmul(VIEW(a), VIEW(b), RESULT(out), float alpha, int rows, int cols, int inner, int T, int C, int first, int chunks) {
  constexpr int TILE = ops::TILE;
  __shared__ float left[TILE][TILE + 1]; // a padding column keeps a column's words in different banks
  __shared__ float right[TILE][TILE + 1];
  const ops::Chunk at = ops::chunk_of(T, C, first, chunks);
  const ops::Matrix x = PLACED(a, at), y = PLACED(b, at);
  const ops::Target z = PLACED(out, at);
  rows = rows ? rows : at.rows;
  cols = cols ? cols : at.rows;
  inner = inner ? inner : at.rows;
  const int ty = threadIdx.y, tx = threadIdx.x;
  const int r = blockIdx.y * TILE + ty, c = blockIdx.z * TILE + tx;
  float sum = 0.0f;
  for (int from = 0; from < inner; from += TILE) {
    left[ty][tx] = r < rows && from + tx < inner ? x(r, from + tx) : 0.0f;
    right[ty][tx] = from + ty < inner && c < cols ? y(from + ty, c) : 0.0f;
    __syncthreads();
    for (int i = 0; i < TILE; ++i) sum = fmaf(left[ty][i], right[i][tx], sum);
    __syncthreads();
  }
  if (r < rows && c < cols) z(r, c) = alpha * sum;
}

// out[r] = sum over the columns of a, left to right. One thread for each row.
// Grid (chunks, rows/256).
extern "C" __global__ void __launch_bounds__(ops::THREADS)
ops_sum(VIEW(a), RESULT(out), int rows, int cols, int T, int C, int first, int chunks) {
  const ops::Chunk at = ops::chunk_of(T, C, first, chunks);
  const ops::Matrix x = PLACED(a, at);
  const ops::Target z = PLACED(out, at);
  rows = rows ? rows : at.rows;
  cols = cols ? cols : at.rows;
  const int r = ops::element();
  if (r >= rows) return;
  float sum = 0.0f;
  for (int c = 0; c < cols; ++c) sum += x(r, c);
  z(r, 0) = sum;
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
// the diagonal. x, k, G are [B,H,T,K], out is [B,H,N,C,C]. Grid (chunks, C*C/256).
extern "C" __global__ void __launch_bounds__(ops::THREADS)
ops_scores(const float *x, const float *k, const float *gcum, float *out, float alpha, int below, int T, int K, int C) {
  const ops::Chunk at = ops::chunk_of(T, C, 0, (T + C - 1) / C);
  const size_t base = ((size_t)at.head * T + (size_t)at.chunk * C) * K;
  const int i = ops::element() / C, j = ops::element() % C;
  if (i >= C) return;
  float sum = 0.0f;
  if (i < at.rows && j <= i - below) {
    const float *xi = x + base + (size_t)i * K, *kj = k + base + (size_t)j * K;
    const float *gi = gcum + base + (size_t)i * K, *gj = gcum + base + (size_t)j * K;
    for (int d = 0; d < K; ++d) sum = fmaf(xi[d] * kj[d], expf(gi[d] - gj[d]), sum);
  }
  out[((size_t)blockIdx.x * C + i) * C + j] = alpha * sum;
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
// column: it reads only what it wrote itself. Grid (chunks, C/256).
extern "C" __global__ void __launch_bounds__(ops::THREADS) ops_inverse(const float *a, float *out, int T, int C) {
  const ops::Chunk at = ops::chunk_of(T, C, 0, (T + C - 1) / C);
  const float *lower = a + (size_t)blockIdx.x * C * C;
  float *inverse = out + (size_t)blockIdx.x * C * C;
  const int c = ops::element();
  if (c >= C) return;
  for (int r = 0; r < C; ++r) {
    float sum = r == c && r < at.rows ? 1.0f : 0.0f;
    for (int i = c; i < r && r < at.rows; ++i) sum = fmaf(-lower[r * C + i], inverse[i * C + c], sum);
    inverse[r * C + c] = sum;
  }
}
