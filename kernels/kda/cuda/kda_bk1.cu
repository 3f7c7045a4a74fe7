// BK1, the intra-chunk half of the adjoint of the chunked gated delta rule: it
// makes d_q, d_k, d_g, d_b, d_v and d_w, a chunk a block, of the inputs and of
// what kda_forward.cu and kda_bk2.cu export. Nothing runs between the three.
//
//   grid (N chunks, B*H), block (THREADS), float32, head-major
//
// The products with the states and dAqk (bk1.cuh) are summed over value
// channels tile by tile, no chain being longer than TILE. Here follow X; Y with
// d_v and d_w; dAkk; dG with d_q, d_k and d_b; and d_g. Their sums are chains in
// ascending order, but for d_g, the reverse cumulative sum of dG. Decay between
// two rows is the exponential of a difference, never above 1, and the causal
// bounds of the loops come before it.
#include "bk1.cuh"

namespace bk1 {

// solve_keys makes X = M^T dW in the place of the tiles.
__device__ __forceinline__ void solve_keys(const Chunk &c, float *X) {
  each(c.rows, c.K, [&](int r, int d) {
    float sum = 0;
    for (int i = r; i < c.rows; ++i) {
      sum = fmaf(c.M[i * c.C + r], c.dW[i * c.K + d], sum);
    }
    X[r * odd(c.K) + d] = sum;
  });
}

// solve_values makes Y = M^T d_v_new in the place of dW, and from it d_v and
// d_w.
__device__ __forceinline__ void solve_values(const Chunk &c, float *Y) {
  each(c.rows, c.V, [&](int r, int v) {
    float sum = 0;
    for (int i = r; i < c.rows; ++i) {
      sum = fmaf(c.M[i * c.C + r], c.d_v_new[i * c.V + v], sum);
    }
    Y[r * odd(c.V) + v] = sum;
    c.d_v[r * c.V + v] = c.w[r * c.V + v] * sum;
    c.d_w[r * c.V + v] = c.v[r * c.V + v] * sum;
  });
}

// score_keys makes dAkk = -tril(X W^T + Y u^T, -1).
__device__ __forceinline__ void score_keys(const Chunk &c, const float *X, const float *Y) {
  each_down(c.rows, c.rows, [&](int i, int j) {
    if (j < i) {
      float keys = 0, values = 0;
      for (int d = 0; d < c.K; ++d) {
        keys = fmaf(X[i * odd(c.K) + d], c.W[j * c.K + d], keys);
      }
      for (int v = 0; v < c.V; ++v) {
        values = fmaf(Y[i * odd(c.V) + v], c.u[j * c.V + v], values);
      }
      c.square.strict(i, j) = -(keys + values);
    }
  });
}

// Pairs are the four sums over the rows before and behind row r in channel d.
struct Pairs {
  float q_row; // sum over j <= r of dAqk_rj k_j P_rj
  float k_row; // sum over j < r of dAkk_rj k_j P_rj
  float q_col; // sum over i >= r of dAqk_ir q_i P_ir
  float k_col; // sum over i > r of dAkk_ir b_i k_i P_ir
};

__device__ __forceinline__ Pairs sum_pairs(const Chunk &c, int r, int d) {
  Pairs s = {0, 0, 0, 0};
  const float G = c.G[r * c.K + d];
  for (int j = 0; j < r; ++j) {
    const float kP = c.k[j * c.K + d] * expf(G - c.G[j * c.K + d]);
    s.q_row = fmaf(c.square.lower(r, j), kP, s.q_row);
    s.k_row = fmaf(c.square.strict(r, j), kP, s.k_row);
  }
  s.q_row = fmaf(c.square.lower(r, r), c.k[r * c.K + d], s.q_row); // P_rr is 1
  s.q_col = c.square.lower(r, r) * c.q[r * c.K + d];
  for (int i = r + 1; i < c.rows; ++i) {
    const float P = expf(c.G[i * c.K + d] - G);
    s.q_col = fmaf(c.square.lower(i, r), c.q[i * c.K + d] * P, s.q_col);
    s.k_col = fmaf(c.square.strict(i, r), c.b[i * c.K + d] * c.k[i * c.K + d] * P, s.k_col);
  }
  return s;
}

// gradients makes d_q, d_k, d_b, and dG in the place of dE.
__device__ __forceinline__ void gradients(const Chunk &c, const float *X) {
  each(c.rows, c.K, [&](int r, int d) {
    const int at = r * c.K + d;
    const Pairs s = sum_pairs(c, r, d);
    const float q = c.q[at], k = c.k[at], b = c.b[at], E = c.E[at];
    const float decay = expf(c.G[(c.rows - 1) * c.K + d] - c.G[at]);
    const float EX = E * X[r * odd(c.K) + d];
    const float kept = c.d_hat[at] * decay;

    float d_q = c.scale * E * c.dE[at];
    d_q += c.scale * s.q_row;
    c.d_q[at] = d_q;

    float d_k = kept;
    d_k += b * EX;
    d_k += c.scale * s.q_col;
    d_k += b * s.k_row;
    d_k += s.k_col;
    c.d_k[at] = d_k;

    float d_b = k * EX;
    d_b += k * s.k_row;
    c.d_b[at] = d_b;

    float dG = q * d_q;
    dG += b * k * EX;
    dG -= kept * k;
    dG += b * k * s.k_row;
    dG -= k * (c.scale * s.q_col + s.k_col);
    c.dE[at] = dG;
    c.d_hat[at] = kept * k;
  });
}

// sum_decays gives the last row its two further terms and makes d_g, the
// reverse cumulative sum of dG.
__device__ __forceinline__ void sum_decays(const Chunk &c) {
  each(1, c.K, [&](int, int d) {
    float sum = c.glast[d] * c.last[d];
    for (int r = 0; r < c.rows; ++r) {
      sum += c.d_hat[r * c.K + d];
    }
    for (int r = c.rows - 1; r >= 0; --r) {
      sum += c.dE[r * c.K + d];
      c.d_g[r * c.K + d] = sum;
    }
  });
}

} // namespace bk1

extern "C" __global__ void __launch_bounds__(THREADS, 1)
    kda_bk1(const float *q, const float *k, const float *b, const float *v, const float *w, const float *gcum,
            const float *gexp, const float *glast, const float *m_inv, const float *w_mat, const float *u,
            const float *v_new, const float *states, const float *d_s_next, const float *d_v_new, const float *d_out,
            float *d_q, float *d_k, float *d_g, float *d_b, float *d_v, float *d_w, int T, int K, int V, int C,
            float scale) {
  using namespace bk1;
  extern __shared__ float smem[];
  const int n = blockIdx.x;
  const size_t head = blockIdx.y, chunk = head * gridDim.x + n;
  const size_t row = head * T + size_t(n) * C, keys = row * K, values = row * V;
  Chunk c;
  c.rows = least(T - n * C, C);
  c.K = K, c.V = V, c.C = C, c.scale = scale;
  c.q = q + keys, c.k = k + keys, c.b = b + keys;
  c.v = v + values, c.w = w + values;
  c.G = gcum + keys, c.E = gexp + keys, c.glast = glast + chunk * K;
  c.M = m_inv + chunk * C * C, c.W = w_mat + keys, c.u = u + values, c.v_new = v_new + values;
  c.S0 = states + chunk * K * V;
  c.D1 = d_s_next + chunk * K * V;
  c.d_v_new = d_v_new + values, c.d_out = d_out + values;
  c.d_q = d_q + keys, c.d_k = d_k + keys, c.d_g = d_g + keys, c.d_b = d_b + keys;
  c.d_v = d_v + values, c.d_w = d_w + values;

  c.square = {smem, odd(C)};
  c.dE = c.square.data + C * odd(C);
  c.d_hat = c.dE + C * K;
  c.last = c.d_hat + C * K;
  c.dW = c.last + K;
  c.tiles = c.dW + C * most(K, odd(V));
  float *X = c.tiles, *Y = c.dW;

  clear(c);
  for (int from = 0; from < V; from += TILE) {
    const Tile t = tile_of(c, from);
    load(c, t);
    __syncthreads();
    add_states(c, t);
    add_scores(c, t);
    __syncthreads();
  }
  solve_keys(c, X);
  __syncthreads();
  solve_values(c, Y);
  __syncthreads();
  score_keys(c, X, Y);
  __syncthreads();
  gradients(c, X);
  __syncthreads();
  sum_decays(c);
}
