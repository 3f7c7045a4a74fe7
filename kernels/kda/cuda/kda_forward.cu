// Forward pass of the chunked gated delta rule with channel-wise decay and
// separate erase and write gates (arXiv 2605.22791), one block for each batch
// and head, which carries the state [K,V] through the chunks in shared memory.
//
//   grid (B*H), block (THREADS), float32, head-major
//
// Beside out and state_t it exports what kda_bk2.cu and kda_bk1.cu read. The
// sums over channels and rows are plain float32 chains in ascending order; the
// chain of the inverse runs in descending order, from the diagonal outwards,
// so that neighbouring threads read one address.
//
// exp(-G) alone overflows float32, so decay between two rows is always the
// exponential of a difference, and the causal mask comes before it.
#include "tile.cuh"

namespace forward {

// Chunk is one chunk of one head. Pointers stand on the chunk's first row.
struct Chunk {
  int rows; // real rows, at most C; nothing beyond them is read
  int K, V, C;
  float scale;
  const float *q, *k, *g, *b, *v, *w;
  float *out;
  float *gcum, *gexp, *glast; // G, exp(G), exp(L) where L is G of the last row
  float *aqk, *m_inv;         // [C,C]
  float *w_mat, *u, *kgd, *v_new;
  float *states;

  float *state;  // shared, [K,V]
  float *G;      // shared, rows of odd(K)
  Square square; // shared; lower: (I + Akk)^-1, strict: Akk
  float *stage;  // shared; first k in rows of odd(K), then w*v, then v_new, in rows of V
};

// sum_gates makes G, restarting in every chunk, and stages k.
__device__ __forceinline__ void sum_gates(const Chunk &c) {
  each(1, c.K, [&](int, int d) {
    float sum = 0;
    for (int r = 0; r < c.rows; ++r) {
      sum += floored(c.g[r * c.K + d]);
      c.G[r * odd(c.K) + d] = sum;
    }
  });
  each(c.rows, c.K, [&](int r, int d) { c.stage[r * odd(c.K) + d] = c.k[r * c.K + d]; });
}

// export_decays writes G and its exponentials, k decayed to the chunk's end,
// and the state before the chunk.
__device__ __forceinline__ void export_decays(const Chunk &c) {
  const float *L = c.G + (c.rows - 1) * odd(c.K);
  each(c.rows, c.K, [&](int r, int d) {
    const float G = c.G[r * odd(c.K) + d];
    c.gcum[r * c.K + d] = G;
    c.gexp[r * c.K + d] = expf(G);
    c.kgd[r * c.K + d] = c.k[r * c.K + d] * expf(L[d] - G);
  });
  each(1, c.K, [&](int, int d) { c.glast[d] = expf(L[d]); });
  each(c.K, c.V, [&](int d, int v) { c.states[d * c.V + v] = c.state[d * c.V + v]; });
}

// score makes Aqk and Akk, zero where the row or the column is padding or the
// column is the later one.
__device__ __forceinline__ void score(const Chunk &c) {
  each(c.C, c.C, [&](int i, int j) {
    float qk = 0, kk = 0;
    if (i < c.rows && j <= i) {
      for (int d = 0; d < c.K; ++d) {
        const float P = expf(c.G[i * odd(c.K) + d] - c.G[j * odd(c.K) + d]);
        const float kP = c.stage[j * odd(c.K) + d] * P;
        qk = fmaf(c.q[i * c.K + d], kP, qk);
        kk = fmaf(c.b[i * c.K + d] * c.stage[i * odd(c.K) + d], kP, kk);
      }
    }
    c.aqk[i * c.C + j] = c.scale * qk;
    if (i < c.rows && j < i) {
      c.square.strict(i, j) = kk;
    }
  });
}

// invert makes M = (I + Akk)^-1 by substitution, a thread for each column, and
// stages w*v.
__device__ __forceinline__ void invert(const Chunk &c) {
  each(1, c.rows, [&](int, int j) {
    c.square.lower(j, j) = 1;
    for (int i = j + 1; i < c.rows; ++i) {
      float sum = 0;
      for (int m = i - 1; m >= j; --m) {
        sum = fmaf(c.square.strict(i, m), c.square.lower(m, j), sum);
      }
      c.square.lower(i, j) = -sum;
    }
  });
  each(c.rows, c.V, [&](int r, int v) { c.stage[r * c.V + v] = c.w[r * c.V + v] * c.v[r * c.V + v]; });
}

// transform makes u = M (w*v) and W = M (b*k*E), and exports M.
__device__ __forceinline__ void transform(const Chunk &c) {
  each(c.C, c.C, [&](int i, int j) {
    c.m_inv[i * c.C + j] = i < c.rows && j <= i ? c.square.lower(i, j) : 0;
  });
  each(c.rows, c.V, [&](int r, int v) {
    float sum = 0;
    for (int j = 0; j <= r; ++j) {
      sum = fmaf(c.square.lower(r, j), c.stage[j * c.V + v], sum);
    }
    c.u[r * c.V + v] = sum;
  });
  each(c.rows, c.K, [&](int r, int d) {
    float sum = 0;
    for (int j = 0; j <= r; ++j) {
      const float bkE = c.b[j * c.K + d] * c.k[j * c.K + d] * c.gexp[j * c.K + d];
      sum = fmaf(c.square.lower(r, j), bkE, sum);
    }
    c.w_mat[r * c.K + d] = sum;
  });
}

// erase makes v_new = u - W S0, what the chunk writes.
__device__ __forceinline__ void erase(const Chunk &c) {
  each(c.rows, c.V, [&](int r, int v) {
    float old = 0;
    for (int d = 0; d < c.K; ++d) {
      old = fmaf(c.w_mat[r * c.K + d], c.state[d * c.V + v], old);
    }
    const float v_new = c.u[r * c.V + v] - old;
    c.v_new[r * c.V + v] = v_new;
    c.stage[r * c.V + v] = v_new;
  });
}

// read_out makes out = scale * (q*E) S0 + Aqk v_new.
__device__ __forceinline__ void read_out(const Chunk &c) {
  each(c.rows, c.V, [&](int r, int v) {
    float before = 0, inside = 0;
    for (int d = 0; d < c.K; ++d) {
      before = fmaf(c.q[r * c.K + d] * c.gexp[r * c.K + d], c.state[d * c.V + v], before);
    }
    for (int j = 0; j <= r; ++j) {
      inside = fmaf(c.aqk[r * c.C + j], c.stage[j * c.V + v], inside);
    }
    c.out[r * c.V + v] = c.scale * before + inside;
  });
}

// carry makes S1 = diag(glast) S0 + kgd^T v_new.
__device__ __forceinline__ void carry(const Chunk &c) {
  each(c.K, c.V, [&](int d, int v) {
    float written = 0;
    for (int r = 0; r < c.rows; ++r) {
      written = fmaf(c.kgd[r * c.K + d], c.stage[r * c.V + v], written);
    }
    c.state[d * c.V + v] = c.glast[d] * c.state[d * c.V + v] + written;
  });
}

// next moves every pointer to the chunk behind.
__device__ __forceinline__ void next(Chunk &c) {
  const int keys = c.C * c.K, values = c.C * c.V, pairs = c.C * c.C;
  c.q += keys, c.k += keys, c.g += keys, c.b += keys;
  c.v += values, c.w += values, c.out += values;
  c.gcum += keys, c.gexp += keys, c.glast += c.K;
  c.aqk += pairs, c.m_inv += pairs;
  c.w_mat += keys, c.u += values, c.kgd += keys, c.v_new += values;
  c.states += c.K * c.V;
}

} // namespace forward

extern "C" __global__ void __launch_bounds__(THREADS, 1)
    kda_forward(const float *q, const float *k, const float *g, const float *b, const float *v, const float *w,
                const float *state0, float *out, float *state_t, float *gcum, float *gexp, float *glast, float *aqk,
                float *m_inv, float *w_mat, float *u, float *kgd, float *v_new, float *states, int T, int K, int V,
                int C, float scale) {
  using namespace forward;
  extern __shared__ float smem[];
  const size_t head = blockIdx.x, chunks = (T + C - 1) / C;
  const size_t keys = head * T * K, values = head * T * V, pairs = head * chunks * C * C, cells = head * K * V;
  Chunk c;
  c.K = K, c.V = V, c.C = C, c.scale = scale;
  c.q = q + keys, c.k = k + keys, c.b = b + keys;
  c.g = g + keys;
  c.v = v + values, c.w = w + values, c.out = out + values;
  c.gcum = gcum + keys, c.gexp = gexp + keys, c.glast = glast + head * chunks * K;
  c.aqk = aqk + pairs, c.m_inv = m_inv + pairs;
  c.w_mat = w_mat + keys, c.u = u + values, c.kgd = kgd + keys, c.v_new = v_new + values;
  c.states = states + cells * chunks;

  c.state = smem;
  c.G = c.state + K * V;
  c.square = {c.G + C * odd(K), odd(C)};
  c.stage = c.square.data + C * odd(C);
  each(K, V, [&](int d, int j) { c.state[d * V + j] = state0[cells + d * V + j]; });

  for (int left = T; left > 0; left -= C) {
    c.rows = least(left, C);
    sum_gates(c);
    __syncthreads();
    export_decays(c);
    score(c);
    __syncthreads();
    invert(c);
    __syncthreads();
    transform(c);
    __syncthreads();
    erase(c);
    __syncthreads();
    read_out(c);
    __syncthreads();
    carry(c);
    __syncthreads();
    next(c);
  }
  each(K, V, [&](int d, int j) { state_t[cells + d * V + j] = c.state[d * V + j]; });
}
