// BK2, the inter-chunk half of the adjoint of the chunked gated delta rule: it
// carries the gradient of the state from the last chunk to the first.
//
//   grid (tiles of V, B*H), block (THREADS), float32, head-major
//
// Value channels never mix here, so each block has a tile of them to itself,
// with its slice [K,TILE] of the gradient in shared memory. The sums over rows
// and channels are float32 chains in ascending order.
#include "tile.cuh"

namespace bk2 {

// Chunk is one chunk of one head and the block's tile of value channels.
// Pointers stand on the chunk's first row, those of width V on the tile's
// first channel.
struct Chunk {
  int rows; // real rows, at most C; nothing beyond them is read
  int cols; // real value channels of the tile, at most TILE
  int K, V, C;
  float scale;
  const float *q, *gexp, *glast, *aqk, *w_mat, *kgd, *d_out;
  float *d_v_new, *d_s_next;

  float *dS;   // shared, [K,TILE]
  float *d_o;  // shared, rows of TILE: the tile of d_out
  float *d_vn; // shared, rows of TILE: the tile of d_v_new
};

// stage fetches the tile of d_out and exports the gradient of the state after
// the chunk.
__device__ __forceinline__ void stage(const Chunk &c) {
  each(c.rows, c.cols, [&](int r, int v) { c.d_o[r * TILE + v] = c.d_out[r * c.V + v]; });
  each(c.K, c.cols, [&](int d, int v) { c.d_s_next[d * c.V + v] = c.dS[d * TILE + v]; });
}

// written makes d_v_new = Aqk^T dOut + kgd dS.
__device__ __forceinline__ void written(const Chunk &c) {
  each(c.rows, c.cols, [&](int r, int v) {
    float inside = 0, after = 0;
    for (int i = r; i < c.rows; ++i) {
      inside = fmaf(c.aqk[i * c.C + r], c.d_o[i * TILE + v], inside);
    }
    for (int d = 0; d < c.K; ++d) {
      after = fmaf(c.kgd[r * c.K + d], c.dS[d * TILE + v], after);
    }
    const float d_v_new = inside + after;
    c.d_v_new[r * c.V + v] = d_v_new;
    c.d_vn[r * TILE + v] = d_v_new;
  });
}

// carry makes dS <- diag(glast) dS + scale * (q*E)^T dOut - W^T d_v_new.
__device__ __forceinline__ void carry(const Chunk &c) {
  each(c.K, c.cols, [&](int d, int v) {
    float queried = 0, erased = 0;
    for (int r = 0; r < c.rows; ++r) {
      queried = fmaf(c.q[r * c.K + d] * c.gexp[r * c.K + d], c.d_o[r * TILE + v], queried);
      erased = fmaf(c.w_mat[r * c.K + d], c.d_vn[r * TILE + v], erased);
    }
    const float kept = c.glast[d] * c.dS[d * TILE + v];
    c.dS[d * TILE + v] = kept + c.scale * queried - erased;
  });
}

} // namespace bk2

extern "C" __global__ void __launch_bounds__(THREADS, 1)
    kda_bk2(const float *q, const float *gexp, const float *glast, const float *aqk, const float *w_mat,
            const float *kgd, const float *d_out, const float *d_state_t, float *d_v_new, float *d_s_next,
            float *d_state, int T, int K, int V, int C, float scale) {
  using namespace bk2;
  extern __shared__ float smem[];
  const int from = blockIdx.x * TILE;
  const size_t head = blockIdx.y, chunks = (T + C - 1) / C;
  const size_t keys = head * T * K, values = head * T * V + from, cells = head * K * V + from;
  Chunk c;
  c.cols = least(V - from, TILE);
  c.K = K, c.V = V, c.C = C, c.scale = scale;
  c.dS = smem;
  c.d_o = c.dS + K * TILE;
  c.d_vn = c.d_o + C * TILE;
  each(K, c.cols, [&](int d, int v) { c.dS[d * TILE + v] = d_state_t[cells + d * V + v]; });

  for (int n = chunks - 1; n >= 0; --n) {
    const size_t row = size_t(n) * C, chunk = head * chunks + n;
    c.rows = least(T - n * C, C);
    c.q = q + keys + row * K;
    c.gexp = gexp + keys + row * K;
    c.glast = glast + chunk * K;
    c.aqk = aqk + chunk * C * C;
    c.w_mat = w_mat + keys + row * K;
    c.kgd = kgd + keys + row * K;
    c.d_out = d_out + values + row * V;
    c.d_v_new = d_v_new + values + row * V;
    c.d_s_next = d_s_next + chunk * K * V + from;
    stage(c);
    __syncthreads();
    written(c);
    __syncthreads();
    carry(c);
    __syncthreads();
  }
  each(K, c.cols, [&](int d, int v) { d_state[cells + d * V + v] = c.dS[d * TILE + v]; });
}
