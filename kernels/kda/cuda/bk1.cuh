// One chunk of kda_bk1.cu, and the sums over value channels that need S0 and D1 in
// shared memory, tile by tile.
#pragma once
#include "tile.cuh"

namespace bk1 {

// Chunk is one chunk of one head. Pointers stand on the chunk's first row; S0
// and D1 are the state before it and the gradient of the state after it.
struct Chunk {
  int rows; // real rows, at most C; nothing beyond them is read
  int K, V, C;
  float scale;
  const float *q, *k, *b, *v, *w;
  const float *G, *E, *glast, *M, *W, *u, *v_new, *S0, *D1, *d_v_new, *d_out;
  float *d_q, *d_k, *d_g, *d_b, *d_v, *d_w;

  Square square; // shared; lower: dAqk, strict: dAkk
  float *dE;     // shared [C,K]: dOut S0^T, then dG
  float *d_hat;  // shared [C,K]: v_new D1^T, then d_hat*k*decay
  float *last;   // shared [K]: sum_v(D1*S0)
  float *dW;     // shared [C,K]: -d_v_new S0^T, then Y in rows of odd(V)
  float *tiles;  // shared: three tiles, then X in rows of odd(K)
};

// Tile is a range of value channels of S0, D1 and dOut in shared memory.
struct Tile {
  int from, cols, stride;
  float *S0, *D1, *dO;
};

__device__ __forceinline__ Tile tile_of(const Chunk &c, int from) {
  Tile t;
  t.from = from;
  t.cols = least(c.V - from, TILE);
  t.stride = odd(least(c.V, TILE));
  t.S0 = c.tiles;
  t.D1 = t.S0 + c.K * t.stride;
  t.dO = t.D1 + c.K * t.stride;
  return t;
}

__device__ __forceinline__ void load(const Chunk &c, const Tile &t) {
  each(c.K, t.cols, [&](int d, int v) {
    t.S0[d * t.stride + v] = c.S0[d * c.V + t.from + v];
    t.D1[d * t.stride + v] = c.D1[d * c.V + t.from + v];
  });
  each(c.rows, t.cols, [&](int r, int v) { t.dO[r * t.stride + v] = c.d_out[r * c.V + t.from + v]; });
}

// clear sets to zero what the tiles add to.
__device__ __forceinline__ void clear(const Chunk &c) {
  each(c.rows, c.K, [&](int r, int d) {
    c.dE[r * c.K + d] = 0;
    c.dW[r * c.K + d] = 0;
    c.d_hat[r * c.K + d] = 0;
  });
  each(1, c.K, [&](int, int d) { c.last[d] = 0; });
  each_down(c.rows, c.rows, [&](int i, int j) {
    if (j <= i) {
      c.square.lower(i, j) = 0;
    }
  });
}

// add_states adds one tile to dOut S0^T, -d_v_new S0^T, d_hat = v_new D1^T and
// the sum of D1*S0.
__device__ __forceinline__ void add_states(const Chunk &c, const Tile &t) {
  each(c.rows, c.K, [&](int r, int d) {
    float out = 0, erased = 0, hat = 0;
    for (int v = 0; v < t.cols; ++v) {
      const float S0 = t.S0[d * t.stride + v];
      out = fmaf(t.dO[r * t.stride + v], S0, out);
      erased = fmaf(c.d_v_new[r * c.V + t.from + v], S0, erased);
      hat = fmaf(c.v_new[r * c.V + t.from + v], t.D1[d * t.stride + v], hat);
    }
    c.dE[r * c.K + d] += out;
    c.dW[r * c.K + d] -= erased;
    c.d_hat[r * c.K + d] += hat;
  });
  each(1, c.K, [&](int, int d) {
    float sum = 0;
    for (int v = 0; v < t.cols; ++v) {
      sum = fmaf(t.D1[d * t.stride + v], t.S0[d * t.stride + v], sum);
    }
    c.last[d] += sum;
  });
}

// add_scores adds one tile to dAqk = tril(dOut v_new^T).
__device__ __forceinline__ void add_scores(const Chunk &c, const Tile &t) {
  each_down(c.rows, c.rows, [&](int i, int j) {
    if (j <= i) {
      float sum = 0;
      for (int v = 0; v < t.cols; ++v) {
        sum = fmaf(t.dO[i * t.stride + v], c.v_new[j * c.V + t.from + v], sum);
      }
      c.square.lower(i, j) += sum;
    }
  });
}

} // namespace bk1
