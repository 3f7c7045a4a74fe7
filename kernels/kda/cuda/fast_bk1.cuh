// The sums over value channels of a chunk of kda_fast_bk1.cu, a tile of channels at a
// time, in registers until all tiles are through.
#pragma once
#include "fast.cuh"

namespace fast_bk1 {
using namespace fast;

constexpr int THREADS = 128;
constexpr int VALUES = TILE + 4; // a row of a tile, read down

// Tile is a tile of value channels in shared memory, rows of VALUES.
struct Tile {
  static constexpr int words = (2 * K + 4 * C) * VALUES;
  float *data;

  __device__ __forceinline__ float *S0() const { return data; }
  __device__ __forceinline__ float *D1() const { return data + K * VALUES; }
  __device__ __forceinline__ float *d_o() const { return D1() + K * VALUES; }
  __device__ __forceinline__ float *d_vn() const { return d_o() + C * VALUES; } // d_v_new
  __device__ __forceinline__ float *v_new() const { return d_vn() + C * VALUES; }
  __device__ __forceinline__ float *wv() const { return v_new() + C * VALUES; } // w*v
};

// Values are what a chunk has of V columns. Pointers stand on the chunk's first row; S0
// and D1 are the state before it and the gradient of the state behind it.
struct Values {
  const float *v, *w, *v_new, *S0, *D1, *d_v_new, *d_out;
  float *d_v, *d_w;
  int rows, V;
};

// Own are a thread's quads of v and w in a tile, of which it makes d_v and d_w.
struct Own {
  int row, channel;
  bool real;
  float4 v, w;
};

__device__ __forceinline__ Own stage(const Values &c, const Tile &t, int from) {
  const int thread = threadIdx.x;
  Own own = {thread / 8, thread % 8 * 4, thread / 8 < c.rows, zero(), zero()};
  const int at = own.row * c.V + from + own.channel, to = own.row * VALUES + own.channel;
  own.v = load_if(own.real, c.v + at);
  own.w = load_if(own.real, c.w + at);
  store(t.d_o() + to, load_if(own.real, c.d_out + at));
  store(t.d_vn() + to, load_if(own.real, c.d_v_new + at));
  store(t.v_new() + to, load_if(own.real, c.v_new + at));
  store(t.wv() + to, mul(own.w, own.v));
#pragma unroll
  for (int d = 0; d < K; d += C) {
    store(t.S0() + d * VALUES + to, load(c.S0 + d * c.V + at));
    store(t.D1() + d * VALUES + to, load(c.D1 + d * c.V + at));
  }
  return own;
}

// States are the products with the states: two rows of the chunk, from row on, by four
// key channels, 16 from one to the next.
struct States {
  int row, key;
  float dE[2][4], dW[2][4], d_hat[2][4]; // dOut S0^T, d_v_new S0^T, v_new D1^T
  float last;                            // of sum(D1*S0): one key channel, half of the tile
};

__device__ __forceinline__ States states_of() {
  const Spot s = spot(threadIdx.x);
  return {s.row * 2, s.channel / 4, {}, {}, {}, 0};
}

__device__ __forceinline__ void add_states(States &x, const Tile &t) {
  const float *d_o = t.d_o() + x.row * VALUES, *d_vn = t.d_vn() + x.row * VALUES, *v_new = t.v_new() + x.row * VALUES;
#pragma unroll 2
  for (int v = 0; v < TILE; v += 4) {
    const float4 o0 = load(d_o + v), o1 = load(d_o + VALUES + v);
    const float4 e0 = load(d_vn + v), e1 = load(d_vn + VALUES + v);
    const float4 n0 = load(v_new + v), n1 = load(v_new + VALUES + v);
#pragma unroll
    for (int m = 0; m < 4; ++m) {
      const int at = (x.key + 16 * m) * VALUES + v;
      const float4 S0 = load(t.S0() + at), D1 = load(t.D1() + at);
      x.dE[0][m] = dot(x.dE[0][m], o0, S0), x.dE[1][m] = dot(x.dE[1][m], o1, S0);
      x.dW[0][m] = dot(x.dW[0][m], e0, S0), x.dW[1][m] = dot(x.dW[1][m], e1, S0);
      x.d_hat[0][m] = dot(x.d_hat[0][m], n0, D1), x.d_hat[1][m] = dot(x.d_hat[1][m], n1, D1);
    }
  }
}

// add_last adds half a row of D1*S0: two warps have the one half of all rows, two the
// other.
__device__ __forceinline__ void add_last(States &x, const Tile &t) {
  const int at = threadIdx.x % K * VALUES + threadIdx.x / K * (TILE / 2);
#pragma unroll
  for (int v = 0; v < TILE / 2; v += 4) {
    x.last = dot(x.last, load(t.D1() + at + v), load(t.S0() + at + v));
  }
}

// Pairs are two rows by four columns of two [C,C] matrices, over a fourth of the
// channels; the neighbouring lanes have the others.
struct Pairs {
  int row, col, part;
  float scores[2][4]; // dOut v_new^T
  float keys[2][4];   // d_v_new (w*v)^T, then with dW (b*k*E)^T
};

__device__ __forceinline__ Pairs pairs_of() {
  const int tile = threadIdx.x / 4;
  return {tile / 4 * 2, tile % 4 * 4, int(threadIdx.x % 4), {}, {}};
}

// product adds x y^T over channels a quad at a time; both have rows of stride.
__device__ __forceinline__ void product(float (&sum)[2][4], const Pairs &p, const float *x, const float *y, int stride,
                                        int at) {
  const float4 x0 = load(x + p.row * stride + at), x1 = load(x + (p.row + 1) * stride + at);
#pragma unroll
  for (int j = 0; j < 4; ++j) {
    const float4 y0 = load(y + (p.col + j) * stride + at);
    sum[0][j] = dot(sum[0][j], x0, y0), sum[1][j] = dot(sum[1][j], x1, y0);
  }
}

__device__ __forceinline__ void add_pairs(Pairs &p, const Tile &t) {
#pragma unroll
  for (int v = p.part * 4; v < TILE; v += 16) {
    product(p.scores, p, t.d_o(), t.v_new(), VALUES, v);
    product(p.keys, p, t.d_vn(), t.wv(), VALUES, v);
  }
}

// solve_values makes Y = M^T d_v_new, and from it d_v and d_w.
__device__ __forceinline__ void solve_values(const Values &c, const Tile &t, const Own &own, const float *M, int from) {
  float4 Y = zero();
#pragma unroll
  for (int i = 0; i < C; ++i) {
    Y = add(Y, M[i * SQUARE + own.row], load(t.d_vn() + i * VALUES + own.channel));
  }
  if (own.real) {
    const int at = own.row * c.V + from + own.channel;
    store(c.d_v + at, mul(own.w, Y));
    store(c.d_w + at, mul(own.v, Y));
  }
}

} // namespace fast_bk1
