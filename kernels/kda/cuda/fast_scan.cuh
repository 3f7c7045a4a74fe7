// The scan of kda_fast_forward.cu: 256 threads carry the state [K,SLICE] through the
// chunks. A thread has two places: one row and a quad of value channels, of v_new and
// out, and four by four elements of the state, which stay in its registers beside their
// copy in shared memory.
#pragma once
#include "fast_prepare.cuh"

namespace fast {

// Carried is shared memory of the scanning threads.
struct Carried {
  static constexpr int words = K * SLICE + C * SLICE;
  float *state; // rows of SLICE
  float *v_new; // rows of SLICE

  float *out, *v_new_out, *states; // on the head, and the block's first value channel
  int T, V;
};

// State is a thread's part of the state: rows from key on, channels from value on.
struct State {
  int key, value;
  float4 at[4];
};

// Sums are what a row of the chunk reads of the state before it.
struct Sums {
  float4 erased, queried;
};

__device__ __forceinline__ State own(int t) {
  const Spot s = spot(t);
  return {s.row * 4, s.channel, {zero(), zero(), zero(), zero()}};
}

__device__ __forceinline__ void begin(State &s, const Carried &c, const float *state0) {
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    s.at[i] = load(state0 + (s.key + i) * c.V + s.value);
    store(c.state + (s.key + i) * SLICE + s.value, s.at[i]);
  }
}

// keep writes the state before chunk n, or behind the last one.
__device__ __forceinline__ void keep(const State &s, float *to, int V) {
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    store(to + (s.key + i) * V + s.value, s.at[i]);
  }
}

// read_state adds the key channels from, from+1, ... to W S0 and scale*(q*E) S0.
__device__ __forceinline__ void read_state(Sums &x, const Carried &c, const Ready &r, Spot s, int from) {
#pragma unroll
  for (int d = from; d < from + K / 2; d += 4) {
    const float4 W = load(r.W() + s.row * KEYS + d), qE = load(r.qE() + s.row * KEYS + d);
    const float *S = c.state + d * SLICE + s.channel;
    const float4 S0 = load(S), S1 = load(S + SLICE), S2 = load(S + 2 * SLICE), S3 = load(S + 3 * SLICE);
    x.erased = add(add(add(add(x.erased, W.x, S0), W.y, S1), W.z, S2), W.w, S3);
    x.queried = add(add(add(add(x.queried, qE.x, S0), qE.y, S1), qE.z, S2), qE.w, S3);
  }
}

// erase makes v_new = u - W S0, what the chunk writes.
__device__ __forceinline__ void erase(const Sums &x, const Carried &c, const Ready &r, Spot s, int n) {
  const float4 v_new = add(load(r.u() + s.row * SLICE + s.channel), -1, x.erased);
  store(c.v_new + s.row * SLICE + s.channel, v_new);
  if (n * C + s.row < c.T) {
    store(c.v_new_out + size_t(n * C + s.row) * c.V + s.channel, v_new);
  }
}

// carry makes S1 = diag(glast) S0 + kgd^T v_new.
__device__ __forceinline__ void carry(State &s, const Carried &c, const Ready &r) {
  const float4 glast = load(r.glast() + s.key);
  float4 written[4] = {zero(), zero(), zero(), zero()};
#pragma unroll
  for (int i = 0; i < C; ++i) {
    const float4 kgd = load(r.kgd() + i * K + s.key), v_new = load(c.v_new + i * SLICE + s.value);
    written[0] = add(written[0], kgd.x, v_new), written[1] = add(written[1], kgd.y, v_new);
    written[2] = add(written[2], kgd.z, v_new), written[3] = add(written[3], kgd.w, v_new);
  }
  s.at[0] = add(written[0], glast.x, s.at[0]), s.at[1] = add(written[1], glast.y, s.at[1]);
  s.at[2] = add(written[2], glast.z, s.at[2]), s.at[3] = add(written[3], glast.w, s.at[3]);
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    store(c.state + (s.key + i) * SLICE + s.value, s.at[i]);
  }
}

// read_out makes out = scale * (q*E) S0 + Aqk v_new.
__device__ __forceinline__ void read_out(const Sums &x, const Carried &c, const Ready &r, Spot s, int n) {
  float4 inside = zero();
#pragma unroll
  for (int j = 0; j < C; j += 4) {
    inside = rows4(inside, load(r.aqk() + s.row * SQUARE + j), c.v_new + j * SLICE + s.channel, SLICE);
  }
  if (n * C + s.row < c.T) {
    store(c.out + size_t(n * C + s.row) * c.V + s.channel, add(x.queried, 1, inside));
  }
}

} // namespace fast
