// kda_bk2.cu for the shape of fast.cuh: the gradient of the state from the last chunk to
// the first, a block for each head and each tile of value channels, which never mix.
//
//   grid (V/TILE, B*H), block (128), float32, head-major
//
// A thread has two places: one row and a quad of value channels, of d_v_new, and four by
// four elements of the gradient of the state, which stay in its registers beside their
// copy in shared memory. While a chunk is worked on, what the next one needs is on its
// way to registers. The sums are float32 chains in ascending order.
//
// By count of what nvcc makes of it for sm_90, not by measurement: a chunk of a tile is
// 106,000 multiply-adds and 1,080 issue slots of each scheduler; where two blocks share a
// multiprocessor, 32 chunks cannot be done in less than 38 us at 1.8 GHz.
#include "fast.cuh"

namespace fast_bk2 {
using namespace fast;

constexpr int THREADS = 128;

// Operands are those of one chunk in shared memory; there are two of them, used in turn.
struct Operands {
  static constexpr int words = 2 * C * K + C * KEYS + C * SQUARE + C * TILE + K;
  float *data;

  __device__ __forceinline__ float *qE() const { return data; }              // rows of K
  __device__ __forceinline__ float *W() const { return data + C * K; }       // rows of K
  __device__ __forceinline__ float *kgd() const { return data + 2 * C * K; } // rows of KEYS
  __device__ __forceinline__ float *aqk() const { return kgd() + C * KEYS; } // transposed, rows of SQUARE
  __device__ __forceinline__ float *d_o() const { return aqk() + C * SQUARE; } // rows of TILE
  __device__ __forceinline__ float *glast() const { return d_o() + C * TILE; }
};

// Head is one head and the block's tile: pointers stand on the head's first row or chunk,
// those of width V on the tile's first channel.
struct Head {
  const float *qe, *glast, *aqk, *w_mat, *kgd, *d_out;
  float *d_v_new, *d_s_next;
  int T, V;
};

// Fetched is a thread's share of the operands of a chunk, on their way.
struct Fetched {
  float4 qE[2], W[2], kgd[2], d_o;
  float aqk[2], glast;
};

// Place is where a thread is: half a row of keys, a quad of a row of the tile.
struct Place {
  Spot keys; // and the row eight below
  int row, channel;
};

__device__ __forceinline__ Place place() {
  const int t = threadIdx.x;
  return {spot(t), t / 8, t % 8 * 4};
}

__device__ __forceinline__ void fetch(Fetched &x, const Head &h, const Place &p, int n) {
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const int row = n * C + p.keys.row + half * 8;
    const size_t at = size_t(row) * K + p.keys.channel;
    x.qE[half] = load_if(row < h.T, h.qe + at);
    x.W[half] = load_if(row < h.T, h.w_mat + at);
    x.kgd[half] = load_if(row < h.T, h.kgd + at);
    x.aqk[half] = h.aqk[n * C * C + half * THREADS + threadIdx.x];
  }
  const int row = n * C + p.row;
  x.d_o = load_if(row < h.T, h.d_out + size_t(row) * h.V + p.channel);
  x.glast = threadIdx.x < K ? h.glast[n * K + threadIdx.x] : 0;
}

__device__ __forceinline__ void stage(const Fetched &x, const Operands &to, const Place &p) {
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const int row = p.keys.row + half * 8, pair = half * THREADS + threadIdx.x;
    store(to.qE() + row * K + p.keys.channel, x.qE[half]);
    store(to.W() + row * K + p.keys.channel, x.W[half]);
    store(to.kgd() + row * KEYS + p.keys.channel, x.kgd[half]);
    to.aqk()[pair % C * SQUARE + pair / C] = x.aqk[half];
  }
  store(to.d_o() + p.row * TILE + p.channel, x.d_o);
  if (threadIdx.x < K) {
    to.glast()[threadIdx.x] = x.glast;
  }
}

// Gradient is a thread's part of dS: four rows from key on, of the tile's quad.
struct Gradient {
  int key;
  float4 at[4];
};

// keep writes dS to another matrix of width V, or of width TILE.
__device__ __forceinline__ void keep(const Gradient &s, const Place &p, float *to, int width) {
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    store(to + (s.key + i) * width + p.channel, s.at[i]);
  }
}

// written makes d_v_new = Aqk^T dOut + kgd dS.
__device__ __forceinline__ void written(const Operands &o, const float *dS, float *d_vn, const Head &h, const Place &p,
                                        int n) {
  float4 inside = zero(), after = zero();
#pragma unroll
  for (int i = 0; i < C; i += 4) {
    inside = rows4(inside, load(o.aqk() + p.row * SQUARE + i), o.d_o() + i * TILE + p.channel, TILE);
  }
#pragma unroll
  for (int d = 0; d < K; d += 4) {
    after = rows4(after, load(o.kgd() + p.row * KEYS + d), dS + d * TILE + p.channel, TILE);
  }
  const float4 d_v_new = add(inside, 1, after);
  store(d_vn + p.row * TILE + p.channel, d_v_new);
  if (n * C + p.row < h.T) {
    store(h.d_v_new + size_t(n * C + p.row) * h.V + p.channel, d_v_new);
  }
}

// carry makes dS <- diag(glast) dS + scale * (q*E)^T dOut - W^T d_v_new.
__device__ __forceinline__ void carry(Gradient &s, const Operands &o, const float *d_vn, const Place &p) {
  float4 sum[4] = {zero(), zero(), zero(), zero()};
#pragma unroll
  for (int r = 0; r < C; ++r) {
    const float4 qE = load(o.qE() + r * K + s.key), W = load(o.W() + r * K + s.key);
    const float4 queried = load(o.d_o() + r * TILE + p.channel), erased = load(d_vn + r * TILE + p.channel);
    sum[0] = add(add(sum[0], qE.x, queried), -W.x, erased), sum[1] = add(add(sum[1], qE.y, queried), -W.y, erased);
    sum[2] = add(add(sum[2], qE.z, queried), -W.z, erased), sum[3] = add(add(sum[3], qE.w, queried), -W.w, erased);
  }
  const float4 glast = load(o.glast() + s.key);
  s.at[0] = add(sum[0], glast.x, s.at[0]), s.at[1] = add(sum[1], glast.y, s.at[1]);
  s.at[2] = add(sum[2], glast.z, s.at[2]), s.at[3] = add(sum[3], glast.w, s.at[3]);
}

} // namespace fast_bk2

extern "C" __global__ void __launch_bounds__(128, 4)
    kda_fast_bk2(const float *qe, const float *glast, const float *aqk, const float *w_mat, const float *kgd,
                 const float *d_out, const float *d_state_t, float *d_v_new, float *d_s_next, float *d_state, int T,
                 int V) {
  using namespace fast_bk2;
  extern __shared__ float smem[];
  const int chunks = (T + C - 1) / C, from = blockIdx.x * TILE;
  const size_t head = blockIdx.y, keys = head * T * K, values = head * T * V + from, cells = head * K * V + from;
  Head h;
  h.qe = qe + keys, h.w_mat = w_mat + keys, h.kgd = kgd + keys;
  h.glast = glast + head * chunks * K, h.aqk = aqk + head * chunks * C * C;
  h.d_out = d_out + values, h.d_v_new = d_v_new + values;
  h.d_s_next = d_s_next + head * chunks * K * V + from;
  h.T = T, h.V = V;
  const Place p = place();
  float *dS = smem + 2 * Operands::words, *d_vn = dS + K * TILE;
  Gradient s;
  s.key = p.row * 4;
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    s.at[i] = load(d_state_t + cells + (s.key + i) * V + p.channel);
  }
  keep(s, p, dS, TILE);
  Fetched x;
  fetch(x, h, p, chunks - 1);
  stage(x, {smem + (~chunks & 1) * Operands::words}, p);
  __syncthreads();

  for (int n = chunks - 1; n >= 0; --n) {
    const Operands now = {smem + (n & 1) * Operands::words}, ahead = {smem + (~n & 1) * Operands::words};
    if (n > 0) {
      fetch(x, h, p, n - 1);
    }
    keep(s, p, h.d_s_next + size_t(n) * K * V, V);
    written(now, dS, d_vn, h, p, n);
    __syncthreads();
    carry(s, now, d_vn, p);
    keep(s, p, dS, TILE);
    if (n > 0) {
      stage(x, ahead, p);
    }
    __syncthreads();
  }
  keep(s, p, d_state + cells, V);
}
