// kda_bk1.cu for the shape of fast.cuh: all gradients but that of the state, a chunk a
// block.
//
//   grid (N chunks, B*H), block (128), float32, head-major
//
// The sums over value channels come first (fast_bk1.cuh). With Z = dW (b*k*E)^T +
// d_v_new (w*v)^T the gradient of Akk is -tril(M^T Z M^T, -1), so that neither u nor W
// is needed: W = M (b*k*E), u = M (w*v), X = M^T dW, Y = M^T d_v_new. Decays between two
// rows are taken on the way, a step exp(g) at a time, none of which is above 1.
//
// By count of what nvcc makes of it for sm_90, not by measurement: a chunk with 64 value
// channels is 290,000 multiply-adds and 4,200 issue slots of each scheduler, 54 us for
// 3,072 chunks at 1.8 GHz on 132 multiprocessors; and 95 KB read and written, 69 us at
// 4.26 TB/s. Four blocks fit a multiprocessor.
#include "fast_keys.cuh"

namespace fast_bk1 {

// Sums are those over the rows before and behind a row, and the decay to the chunk's end.
struct Sums {
  float4 q_row; // sum over j <= r of dAqk_rj k_j P_rj
  float4 k_row; // sum over j < r of dAkk_rj k_j P_rj
  float4 q_col; // sum over i >= r of dAqk_ir q_i P_ir
  float4 k_col; // sum over i > r of dAkk_ir b_i k_i P_ir
  float4 decay;
};

// sum_rows comes to row r from the first row and from the last one, and takes what it has
// through the decay of each row on the way.
__device__ __forceinline__ Sums sum_rows(const Row &x, const Shared &s) {
  const int r = x.row;
  Sums y = {zero(), zero(), zero(), zero(), make_float4(1, 1, 1, 1)};
  for (int j = 0; j <= r; ++j) {
    const float4 k = load(s.k() + j * K + x.channel), step = load(s.step() + j * K + x.channel);
    y.q_row = add(mul(s.dAqk()[r * SQUARE + j], k), step, y.q_row);
    y.k_row = add(mul(s.dAkk()[r * SQUARE + j], k), step, y.k_row);
  }
  for (int i = C - 1; i > r; --i) {
    const float4 q = load(s.q() + i * K + x.channel), bk = load(s.bk() + i * K + x.channel);
    const float4 step = load(s.step() + i * K + x.channel);
    y.q_col = mul(step, add(y.q_col, s.dAqk()[i * SQUARE + r], q));
    y.k_col = mul(step, add(y.k_col, s.dAkk()[i * SQUARE + r], bk));
    y.decay = mul(step, y.decay);
  }
  y.q_col = add(y.q_col, s.dAqk()[r * SQUARE + r], load(s.q() + r * K + x.channel));
  return y;
}

// gradients makes d_q, d_k, d_b and dG.
__device__ __forceinline__ void gradients(const Row &x, const Keys &c, const Shared &s) {
  const int at = x.row * K + x.channel, wide = x.row * KEYS + x.channel;
  const float4 b = load_if(x.real, c.b + at); // again: registers are rare before
  const Sums y = sum_rows(x, s);
  const float4 q = load(s.q() + at), k = load(s.k() + at), bk = load(s.bk() + at);
  const float4 EX = mul(x.E, x.X), kept = mul(load(s.d_hat() + wide), y.decay);
  const float4 before = add(EX, 1, y.k_row), behind = add(y.q_col, 1, y.k_col);

  const float4 d_q = add(y.q_row, mul(c.scale, x.E), load(s.dE() + wide));
  float4 d_k = kept;
  d_k = add(d_k, b, before);
  d_k = add(d_k, 1, behind);
  const float4 d_b = mul(k, before);

  float4 dG = mul(q, d_q);
  dG = add(dG, bk, before);
  dG = add(dG, mul(-1, kept), k);
  dG = add(dG, mul(-1, k), behind);
  store(s.dG() + at, dG);
  store(s.kept() + at, mul(kept, k));
  if (x.real) {
    store(c.d_q + at, d_q);
    store(c.d_k + at, d_k);
    store(c.d_b + at, d_b);
  }
}

// sum_decays gives the last row its two further terms and makes d_g, the reverse
// cumulative sum of dG.
__device__ __forceinline__ void sum_decays(const Keys &c, const Shared &s, int rows) {
  const int d = threadIdx.x;
  if (d >= K) {
    return;
  }
  float sum = c.glast[d] * (s.last()[d] + s.last()[K + d]);
#pragma unroll
  for (int r = 0; r < C; ++r) {
    sum += s.kept()[r * K + d];
  }
#pragma unroll
  for (int r = C - 1; r >= 0; --r) {
    sum += s.dG()[r * K + d];
    if (r < rows) {
      c.d_g[r * K + d] = sum;
    }
  }
}

} // namespace fast_bk1

extern "C" __global__ void __launch_bounds__(128, 4)
    kda_fast_bk1(const float *q, const float *k, const float *b, const float *v, const float *w, const float *g,
                 const float *glast, const float *m_inv, const float *v_new, const float *states, const float *d_s_next,
                 const float *d_v_new, const float *d_out, float *d_q, float *d_k, float *d_g, float *d_b, float *d_v,
                 float *d_w, int T, int V, float scale) {
  using namespace fast_bk1;
  extern __shared__ float smem[];
  const int n = blockIdx.x, rows = least(T - n * C, C);
  const size_t head = blockIdx.y, chunk = head * gridDim.x + n, row = head * T + size_t(n) * C;
  const size_t keys = row * K, values = row * V, cells = chunk * K * V;
  Keys c;
  c.q = q + keys, c.k = k + keys, c.b = b + keys, c.g = g + keys;
  c.glast = glast + chunk * K;
  c.d_q = d_q + keys, c.d_k = d_k + keys, c.d_g = d_g + keys, c.d_b = d_b + keys;
  c.scale = scale;
  Values of;
  of.v = v + values, of.w = w + values, of.v_new = v_new + values;
  of.S0 = states + cells;
  of.D1 = d_s_next + cells;
  of.d_v_new = d_v_new + values, of.d_out = d_out + values;
  of.d_v = d_v + values, of.d_w = d_w + values;
  of.rows = rows, of.V = V;
  const Shared s = {smem};
  const Spot spot = fast::spot(threadIdx.x);
  Row x[2] = {begin(c, s, spot.row, spot.channel, rows), begin(c, s, spot.row + 8, spot.channel, rows)};
  if (threadIdx.x < C * C / 4) {
    const int at = threadIdx.x;
    store(s.M() + at / 4 * SQUARE + at % 4 * 4, load(m_inv + chunk * C * C + at * 4));
  }
  States states_part = states_of();
  Pairs pairs = pairs_of();
  for (int from = 0; from < V; from += TILE) {
    const Own own = stage(of, s.tile(), from);
    __syncthreads();
    solve_values(of, s.tile(), own, s.M(), from);
    add_states(states_part, s.tile());
    add_last(states_part, s.tile());
    add_pairs(pairs, s.tile());
    __syncthreads();
  }
  decay_keys(x[0], s);
  decay_keys(x[1], s);
  put(states_part, s);
  __syncthreads();
  score(pairs, s, scale);
  __syncthreads();
  solve(x, s);
  __syncthreads();
  score_keys(s);
  __syncthreads();
  gradients(x[0], c, s);
  gradients(x[1], c, s);
  __syncthreads();
  sum_decays(c, s, rows);
}
