// The small matrices of a chunk of fast_prepare.cuh: Aqk, Akk, M, and with them u and W.
//
// Scores come two rows by two columns. All four decays of such a square are one
// exponential, from its last column to its first row, times the steps of a row: one
// exponential for eight products, none of them above 1. It is not taken above the
// diagonal, where it would overflow.
#pragma once
#include "fast_prepare.cuh"

namespace fast {

// Scores are two rows and two columns of Aqk and of Akk.
struct Scores {
  float qk[2][2], kk[2][2];
};

// below adds one channel of a square below the diagonal; far is the decay from the last
// column to the first row.
__device__ __forceinline__ void below(Scores &s, float q0, float q1, float bk0, float bk1, float k0, float k1,
                                      float far, float row_step, float col_step) {
  k0 *= far * col_step, k1 *= far;
  q1 *= row_step, bk1 *= row_step;
  s.qk[0][0] = fmaf(q0, k0, s.qk[0][0]), s.qk[0][1] = fmaf(q0, k1, s.qk[0][1]);
  s.qk[1][0] = fmaf(q1, k0, s.qk[1][0]), s.qk[1][1] = fmaf(q1, k1, s.qk[1][1]);
  s.kk[0][0] = fmaf(bk0, k0, s.kk[0][0]), s.kk[0][1] = fmaf(bk0, k1, s.kk[0][1]);
  s.kk[1][0] = fmaf(bk1, k0, s.kk[1][0]), s.kk[1][1] = fmaf(bk1, k1, s.kk[1][1]);
}

// diagonal adds one channel of a square on the diagonal.
__device__ __forceinline__ void diagonal(Scores &s, float q0, float q1, float bk1, float k0, float k1, float step) {
  s.qk[0][0] = fmaf(q0, k0, s.qk[0][0]);
  k0 *= step;
  s.qk[1][0] = fmaf(q1, k0, s.qk[1][0]), s.qk[1][1] = fmaf(q1, k1, s.qk[1][1]);
  s.kk[1][0] = fmaf(bk1, k0, s.kk[1][0]);
}

// sum_below takes the 16 channels of a lane for rows i, i+1 and columns j, j+1: four times
// a quad, next to those of the three lanes that have the others.
__device__ __forceinline__ void sum_below(Scores &s, const Work &work, int i, int j, int part) {
#pragma unroll 1
  for (int d = part * 4; d < K; d += 16) {
    const int row = i * KEYS + d, col = j * KEYS + d;
    const float4 q0 = load(work.q() + row), q1 = load(work.q() + row + KEYS);
    const float4 b0 = load(work.bk() + row), b1 = load(work.bk() + row + KEYS);
    const float4 k0 = load(work.k() + col), k1 = load(work.k() + col + KEYS);
    const float4 to = load(work.G() + row), from = load(work.G() + col + KEYS);
    const float4 a = load(work.step() + row + KEYS), c = load(work.step() + col + KEYS);
    below(s, q0.x, q1.x, b0.x, b1.x, k0.x, k1.x, expf(to.x - from.x), a.x, c.x);
    below(s, q0.y, q1.y, b0.y, b1.y, k0.y, k1.y, expf(to.y - from.y), a.y, c.y);
    below(s, q0.z, q1.z, b0.z, b1.z, k0.z, k1.z, expf(to.z - from.z), a.z, c.z);
    below(s, q0.w, q1.w, b0.w, b1.w, k0.w, k1.w, expf(to.w - from.w), a.w, c.w);
  }
}

__device__ __forceinline__ void sum_diagonal(Scores &s, const Work &work, int i, int part) {
#pragma unroll
  for (int d = part * 4; d < K; d += 16) {
    const int row = i * KEYS + d, next = row + KEYS;
    const float4 q0 = load(work.q() + row), q1 = load(work.q() + next), b1 = load(work.bk() + next);
    const float4 k0 = load(work.k() + row), k1 = load(work.k() + next), a = load(work.step() + next);
    diagonal(s, q0.x, q1.x, b1.x, k0.x, k1.x, a.x);
    diagonal(s, q0.y, q1.y, b1.y, k0.y, k1.y, a.y);
    diagonal(s, q0.z, q1.z, b1.z, k0.z, k1.z, a.z);
    diagonal(s, q0.w, q1.w, b1.w, k0.w, k1.w, a.w);
  }
}

// score makes Aqk, and Akk transposed, both with zeros where the mask has them. A square
// is the work of four lanes: one warp has the eight on the diagonal, four have the 28
// below it.
__device__ __forceinline__ void score(const Ready &r, const Work &work, int t) {
  const int warp = t / 32, part = t % 4;
  if (warp > 4) {
    return;
  }
  int a = t % 32 / 4, b = a;
  const int left = (warp - 1) * 8 + t % 32 / 4; // of the squares below the diagonal, row by row
  Scores s = {};
  if (warp == 0) {
    sum_diagonal(s, work, 2 * a, part);
  } else {
    a = 1, b = left < 28 ? left : 27;
    for (; b >= a; ++a) {
      b -= a;
    }
    sum_below(s, work, 2 * a, 2 * b, part);
  }
#pragma unroll
  for (int i = 0; i < 2; ++i) {
#pragma unroll
    for (int j = 0; j < 2; ++j) {
      s.qk[i][j] = sum4(s.qk[i][j]);
      s.kk[i][j] = sum4(s.kk[i][j]);
    }
  }
  if (left >= 28) {
    return;
  }
  // Each lane puts down one of the four.
  const int i = part / 2, j = part % 2, row = 2 * a + i, col = 2 * b + j;
  const float qk = i ? (j ? s.qk[1][1] : s.qk[1][0]) : (j ? s.qk[0][1] : s.qk[0][0]);
  const float kk = i ? (j ? s.kk[1][1] : s.kk[1][0]) : (j ? s.kk[0][1] : s.kk[0][0]);
  r.aqk()[row * SQUARE + col] = qk;
  work.akk()[col * SQUARE + row] = kk;
  if (a != b) {
    r.aqk()[col * SQUARE + row] = 0;
    work.akk()[row * SQUARE + col] = 0;
  }
}

// invert makes M = (I + Akk)^-1, a column a thread: each row that is known is taken from
// all rows behind it, so that no sum waits for a chain.
__device__ __forceinline__ void invert(const Work &work, const Exports &to, int n, int t) {
  if (t >= C) {
    return;
  }
  float x[C];
#pragma unroll
  for (int i = 0; i < C; ++i) {
    x[i] = i == t;
  }
#pragma unroll
  for (int m = 0; m < C - 1; ++m) {
#pragma unroll
    for (int i = (m + 1) / 4 * 4; i < C; i += 4) {
      const float4 below = load(work.akk() + m * SQUARE + i);
      x[i + 3] = fmaf(-below.w, x[m], x[i + 3]);
      if (i + 2 > m) x[i + 2] = fmaf(-below.z, x[m], x[i + 2]);
      if (i + 1 > m) x[i + 1] = fmaf(-below.y, x[m], x[i + 1]);
      if (i > m) x[i] = fmaf(-below.x, x[m], x[i]);
    }
  }
#pragma unroll
  for (int i = 0; i < C; ++i) {
    work.m_inv()[i * SQUARE + t] = x[i];
    if (to.first) {
      to.m_inv[(n * C + i) * C + t] = x[i];
    }
  }
}

// export_scores is what the warps without a column do meanwhile.
__device__ __forceinline__ void export_scores(const Ready &r, const Exports &to, int n, int t) {
  const int at = t - 32; // of 64 quads
  if (to.first && at >= 0 && at < C * C / 4) {
    store(to.aqk + n * C * C + at * 4, load(r.aqk() + at / 4 * SQUARE + at % 4 * 4));
  }
}

// transform makes u = M (w*v) and W = M (b*k*E), the same row and channels of both.
__device__ __forceinline__ void transform(const Ready &r, const Work &work, const Inputs &in, const Exports &to, int n,
                                          int t) {
  const Spot s = spot(t);
  float4 u = zero(), W = zero();
#pragma unroll
  for (int j = 0; j < C; j += 4) {
    const float4 m = load(work.m_inv() + s.row * SQUARE + j);
    u = rows4(u, m, work.wv() + j * SLICE + s.channel, SLICE);
    W = rows4(W, m, work.bkE() + j * KEYS + s.channel, KEYS);
  }
  store(r.u() + s.row * SLICE + s.channel, u);
  store(r.W() + s.row * KEYS + s.channel, W);
  if (to.first && n * C + s.row < in.T) {
    store(to.w_mat + size_t(n * C + s.row) * K + s.channel, W);
  }
}

} // namespace fast
