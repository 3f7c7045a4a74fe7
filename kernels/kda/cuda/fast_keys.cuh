// The keys of a chunk of kda_fast_bk1.cu, and its small matrices: dAqk, Z, dAkk and what
// M^T makes of them.
#pragma once
#include "fast_bk1.cuh"

namespace fast_bk1 {

// Keys are what a chunk has of K columns. Pointers stand on its first row.
struct Keys {
  const float *q, *k, *b, *g, *glast;
  float *d_q, *d_k, *d_g, *d_b;
  float scale;
};

// Shared is the block's memory. What follows the tiles takes their place.
struct Shared {
  static constexpr int words = Tile::words + 4 * C * K + C * KEYS + 5 * C * SQUARE + 2 * K;
  float *data;

  __device__ __forceinline__ Tile tile() const { return {data}; }
  __device__ __forceinline__ float *dE() const { return data; }              // rows of KEYS
  __device__ __forceinline__ float *dW() const { return data + C * KEYS; }   // rows of KEYS
  __device__ __forceinline__ float *d_hat() const { return data + 2 * C * KEYS; } // rows of KEYS
  __device__ __forceinline__ float *dG() const { return data + 3 * C * KEYS; }
  __device__ __forceinline__ float *kept() const { return dG() + C * K; } // d_hat*k*decay

  __device__ __forceinline__ float *q() const { return data + Tile::words; }
  __device__ __forceinline__ float *k() const { return q() + C * K; }
  __device__ __forceinline__ float *bk() const { return k() + C * K; }
  __device__ __forceinline__ float *step() const { return bk() + C * K; }   // exp(g)
  __device__ __forceinline__ float *bkE() const { return step() + C * K; }  // rows of KEYS
  __device__ __forceinline__ float *M() const { return bkE() + C * KEYS; }  // this and below: rows of SQUARE
  __device__ __forceinline__ float *dAqk() const { return M() + C * SQUARE; } // times scale
  __device__ __forceinline__ float *dAkk() const { return dAqk() + C * SQUARE; }
  __device__ __forceinline__ float *Z() const { return dAkk() + C * SQUARE; }
  __device__ __forceinline__ float *MZ() const { return Z() + C * SQUARE; }
  __device__ __forceinline__ float *last() const { return MZ() + C * SQUARE; } // two halves
};

// Row is a thread's quad of one row of keys.
struct Row {
  int row, channel;
  bool real;
  float4 E, X;
};

__device__ __forceinline__ Row begin(const Keys &c, const Shared &s, int row, int channel, int rows) {
  const bool real = row < rows;
  const int at = row * K + channel;
  const float4 k = load_if(real, c.k + at);
  store(s.q() + at, load_if(real, c.q + at));
  store(s.k() + at, k);
  store(s.bk() + at, mul(load_if(real, c.b + at), k));
  store(s.step() + at, decay(load_if(real, c.g + at)));
  return {row, channel, real, zero(), zero()};
}

// decay_keys makes E, the decay since the chunk began, and b*k*E.
__device__ __forceinline__ void decay_keys(Row &x, const Shared &s) {
  x.E = load(s.step() + x.channel);
  for (int i = 1; i <= x.row; ++i) {
    x.E = mul(x.E, load(s.step() + i * K + x.channel));
  }
  store(s.bkE() + x.row * KEYS + x.channel, mul(load(s.bk() + x.row * K + x.channel), x.E));
}

__device__ __forceinline__ void put(const States &x, const Shared &s) {
#pragma unroll
  for (int i = 0; i < 2; ++i) {
#pragma unroll
    for (int m = 0; m < 4; ++m) {
      const int at = (x.row + i) * KEYS + x.key + 16 * m;
      s.dE()[at] = x.dE[i][m];
      s.dW()[at] = -x.dW[i][m];
      s.d_hat()[at] = x.d_hat[i][m];
    }
  }
  s.last()[threadIdx.x] = x.last;
}

// score makes dAqk = tril(dOut v_new^T) and Z. Each of the four lanes puts down one
// column.
__device__ __forceinline__ void score(Pairs &p, const Shared &s, float scale) {
#pragma unroll
  for (int d = p.part * 4; d < K; d += 16) {
    product(p.keys, p, s.dW(), s.bkE(), KEYS, d);
  }
#pragma unroll
  for (int i = 0; i < 2; ++i) {
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      const float score = sum4(p.scores[i][j]), Z = sum4(p.keys[i][j]);
      const int row = p.row + i, col = p.col + j;
      if (j == p.part) {
        s.dAqk()[row * SQUARE + col] = col <= row ? scale * score : 0;
        s.Z()[row * SQUARE + col] = Z;
      }
    }
  }
}

// solve makes X = M^T dW and M^T Z.
__device__ __forceinline__ void solve(Row (&x)[2], const Shared &s) {
  const int row = threadIdx.x / C, col = threadIdx.x % C;
  float sum[2] = {0, 0};
#pragma unroll
  for (int i = 0; i < C; ++i) {
    const float *M = s.M() + i * SQUARE;
    const float4 dW = load(s.dW() + i * KEYS + x[0].channel);
    const float Z = s.Z()[i * SQUARE + col];
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      x[half].X = add(x[half].X, M[x[half].row], dW);
      sum[half] = fmaf(M[row + 8 * half], Z, sum[half]);
    }
  }
  s.MZ()[row * SQUARE + col] = sum[0];
  s.MZ()[(row + 8) * SQUARE + col] = sum[1];
}

// score_keys makes dAkk = -tril(M^T Z M^T, -1).
__device__ __forceinline__ void score_keys(const Shared &s) {
  const int col = threadIdx.x % C;
#pragma unroll
  for (int row = threadIdx.x / C; row < C; row += THREADS / C) {
    float sum = 0;
#pragma unroll
    for (int m = 0; m < C; m += 4) {
      sum = dot(sum, load(s.MZ() + row * SQUARE + m), load(s.M() + col * SQUARE + m));
    }
    s.dAkk()[row * SQUARE + col] = col < row ? -sum : 0;
  }
}

} // namespace fast_bk1
