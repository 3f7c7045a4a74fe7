// kda_forward.cu for the shape of fast.cuh, a block for each head and each 64 value
// channels of it.
//
//   grid (V/64, B*H), block (512), float32, head-major
//
// Half of the threads prepare a chunk while the others carry the state through the one
// before it (fast_prepare.cuh and fast_scores.cuh, fast_scan.cuh): neither waits for
// what the other does in a step, and a multiprocessor always has two kinds of work. Sums
// are float32 chains in ascending order, but for the scores, whose four chains are added
// up by lanes, and the gates of a chunk, four rows at a time.
//
// By count of what nvcc makes of it for sm_90, not by measurement: a chunk of a head is
// 240,000 multiply-adds and, with all that goes with them, 4,000 issue slots of each of
// the four schedulers; 32 chunks cannot be done in less than 71 us at 1.8 GHz. Eight batches
// of 12 heads occupy 96 of 132 multiprocessors.
#include "fast_scan.cuh"
#include "fast_scores.cuh"

extern "C" __global__ void __launch_bounds__(2 * THREADS, 1)
    kda_fast_forward(const float *q, const float *k, const float *g, const float *b, const float *v, const float *w,
                     const float *state0, float *out, float *state_t, float *glast, float *aqk, float *m_inv, float *qe,
                     float *w_mat, float *kgd, float *v_new, float *states, int T, int V, float scale) {
  using namespace fast;
  extern __shared__ float smem[];
  const int chunks = (T + C - 1) / C, t = threadIdx.x % THREADS, from = blockIdx.x * SLICE;
  const bool scanner = threadIdx.x < THREADS;
  const size_t head = blockIdx.y, keys = head * T * K, values = head * T * V + from, pairs = head * chunks * C * C;
  const size_t cells = head * K * V + from, all_cells = head * chunks * K * V + from;
  const Inputs in = {q + keys, k + keys, g + keys, b + keys, v + values, w + values, T, V, scale};
  Exports to;
  to.glast = glast + head * chunks * K, to.aqk = aqk + pairs, to.m_inv = m_inv + pairs;
  to.qe = qe + keys, to.w_mat = w_mat + keys, to.kgd = kgd + keys;
  to.first = from == 0;
  const Work work = {smem + 2 * Ready::words};
  Carried c = {work.data + Work::words, work.data + Work::words + K * SLICE};
  c.out = out + values, c.v_new_out = v_new + values, c.states = states + all_cells;
  c.T = T, c.V = V;

  const Spot s = spot(t);
  State state = own(t);
  Sums sums = {zero(), zero()};
  Rows rows = {};
  if (scanner) {
    begin(state, c, state0 + cells);
  } else {
    fetch(rows, in, 0, t);
  }
  // In round n chunk n is scanned and chunk n+1 prepared: the first round only prepares,
  // the last one only scans.
  for (int n = -1; n < chunks; ++n) {
    const Ready now = {smem + (n & 1) * Ready::words}, ahead = {smem + (~n & 1) * Ready::words};
    const bool scans = scanner && n >= 0, prepares = !scanner && n + 1 < chunks;
    if (scans) {
      keep(state, c.states + size_t(n) * K * V, V);
      sums = {zero(), zero()};
      read_state(sums, c, now, s, 0);
    } else if (prepares) {
      gates(rows, in, ahead, work, to, n + 1, t);
    }
    __syncthreads();
    if (scans) {
      read_state(sums, c, now, s, K / 2);
      erase(sums, c, now, s, n);
    } else if (prepares) {
      score(ahead, work, t);
    }
    __syncthreads();
    if (scans) {
      carry(state, c, now);
    } else if (prepares) {
      invert(work, to, n + 1, t);
      export_scores(ahead, to, n + 1, t);
    }
    __syncthreads();
    if (scans) {
      read_out(sums, c, now, s, n);
    } else if (prepares) {
      fetch(rows, in, n + 2, t);
      transform(ahead, work, in, to, n + 1, t);
    }
    __syncthreads();
  }
  if (scanner) {
    keep(state, state_t + cells, V);
  }
}
