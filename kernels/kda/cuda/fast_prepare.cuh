// What kda_fast_forward.cu has to know of a chunk before the state comes to it: decays,
// Aqk, M, W and u. 256 threads of a block make it for the chunk ahead, in four steps
// with a barrier behind each, while the others are at the chunk before.
#pragma once
#include "fast.cuh"

namespace fast {

constexpr int SLICE = 64; // value channels of a block of the forward

// Ready is what is handed to the scan. There are two of it, used in turn.
struct Ready {
  static constexpr int words = 2 * C * KEYS + C * K + C * SLICE + C * SQUARE + K;
  float *data;

  __device__ __forceinline__ float *W() const { return data; }                  // rows of KEYS
  __device__ __forceinline__ float *qE() const { return data + C * KEYS; }      // scale*q*E, rows of KEYS
  __device__ __forceinline__ float *kgd() const { return data + 2 * C * KEYS; } // rows of K
  __device__ __forceinline__ float *u() const { return kgd() + C * K; }         // rows of SLICE
  __device__ __forceinline__ float *aqk() const { return u() + C * SLICE; }     // rows of SQUARE
  __device__ __forceinline__ float *glast() const { return aqk() + C * SQUARE; }
};

// Work is shared memory of the preparing threads alone.
struct Work {
  static constexpr int words = 6 * C * KEYS + C * SLICE + 2 * C * SQUARE;
  float *data;

  __device__ __forceinline__ float *q() const { return data; } // scaled
  __device__ __forceinline__ float *k() const { return data + C * KEYS; }
  __device__ __forceinline__ float *bk() const { return data + 2 * C * KEYS; }
  __device__ __forceinline__ float *bkE() const { return data + 3 * C * KEYS; }
  __device__ __forceinline__ float *G() const { return data + 4 * C * KEYS; }
  __device__ __forceinline__ float *step() const { return data + 5 * C * KEYS; } // exp(g)
  __device__ __forceinline__ float *wv() const { return data + 6 * C * KEYS; }   // rows of SLICE
  __device__ __forceinline__ float *akk() const { return wv() + C * SLICE; }     // transposed
  __device__ __forceinline__ float *m_inv() const { return akk() + C * SQUARE; }
};

// Inputs stand on the first row of the head, v and w on the block's first channel.
struct Inputs {
  const float *q, *k, *g, *b, *v, *w;
  int T, V;
  float scale;
};

// Exports are what the backward reads; they stand on the head. Blocks behind the first
// slice of a head make the same again and keep it to themselves.
struct Exports {
  float *glast, *aqk, *m_inv, *qe, *w_mat, *kgd;
  bool first;
};

// Rows are one thread's of a chunk, fetched while another is worked on: four rows of one
// key channel, and a quad of v and w. A warp has eight channels of all 16 rows.
struct Rows {
  float q[4], k[4], g[4], b[4];
  float4 v, w;
};

__device__ __forceinline__ int key_channel(int t) { return t / 32 * 8 + t % 8; }
__device__ __forceinline__ int key_row(int t) { return t % 32 / 8 * 4; }

__device__ __forceinline__ void fetch(Rows &x, const Inputs &in, int n, int t) {
  const int d = key_channel(t), from = n * C + key_row(t);
#pragma unroll
  for (int m = 0; m < 4; ++m) {
    const bool real = from + m < in.T;
    const size_t at = size_t(from + m) * K + d;
    x.q[m] = real ? in.q[at] : 0;
    x.k[m] = real ? in.k[at] : 0;
    x.g[m] = real ? floored(in.g[at]) : 0;
    x.b[m] = real ? in.b[at] : 0;
  }
  const Spot s = spot(t);
  const bool real = n * C + s.row < in.T;
  const size_t at = size_t(n * C + s.row) * in.V + s.channel;
  x.v = load_if(real, in.v + at);
  x.w = load_if(real, in.w + at);
}

// gates makes G, restarting in every chunk, and all that is one element of a row times a
// decay. The sums over the four rows of a thread are joined over the warp.
__device__ __forceinline__ void gates(const Rows &x, const Inputs &in, const Ready &r, const Work &work,
                                      const Exports &to, int n, int t) {
  const int d = key_channel(t), from = key_row(t), lane = t % 32;
  float G[4];
  G[0] = x.g[0], G[1] = G[0] + x.g[1], G[2] = G[1] + x.g[2], G[3] = G[2] + x.g[3];
  float sum = G[3];
  float up = __shfl_up_sync(WARP, sum, 8);
  sum += lane >= 8 ? up : 0;
  up = __shfl_up_sync(WARP, sum, 16);
  sum += lane >= 16 ? up : 0;
  up = __shfl_up_sync(WARP, sum, 8);
  const float before = lane >= 8 ? up : 0;
  const float L = __shfl_sync(WARP, sum, 24 + lane % 8);
#pragma unroll
  for (int m = 0; m < 4; ++m) {
    const int row = from + m, at = row * KEYS + d;
    G[m] += before;
    const float E = expf(G[m]), q = in.scale * x.q[m], bk = x.b[m] * x.k[m];
    const float qE = q * E, kgd = x.k[m] * expf(L - G[m]);
    work.q()[at] = q;
    work.k()[at] = x.k[m];
    work.bk()[at] = bk;
    work.bkE()[at] = bk * E;
    work.G()[at] = G[m];
    work.step()[at] = expf(x.g[m]);
    r.qE()[at] = qE;
    r.kgd()[row * K + d] = kgd;
    if (to.first && n * C + row < in.T) {
      to.qe[size_t(n * C + row) * K + d] = qE;
      to.kgd[size_t(n * C + row) * K + d] = kgd;
    }
  }
  if (lane >= 24) {
    r.glast()[d] = expf(L);
    if (to.first) {
      to.glast[n * K + d] = expf(L);
    }
  }
  const Spot s = spot(t);
  store(work.wv() + s.row * SLICE + s.channel, mul(x.w, x.v));
}

} // namespace fast
