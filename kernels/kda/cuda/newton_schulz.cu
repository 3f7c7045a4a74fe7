// Batched orthogonalisation by the Newton-Schulz iteration of Muon (Keller
// Jordan, 2024, https://kellerjordan.github.io/posts/muon): five steps of
//
//     Z <- a Z + Z (b G + c G G),  G = Z^T Z
//
// from Z = X / (|X| + eps), |X| the Frobenius norm of the one matrix, every
// singular value moving to the neighbourhood of 1. The quintic does not converge:
// its coefficients trade that for a slope of 3.4 at 0. All of it is float32.
//
// Z is tall: [longer, shorter], so that G is the smaller of the two Gram
// matrices. An x of no more rows than columns is therefore transposed on its way
// in and back on its way out.
//
// One launch serves the batch, one block a matrix. G and P = b G + c G G lie in
// shared memory, 2 * shorter^2 floats; Z goes from one half of the scratch to
// the other, since a step reads whole rows of what it replaces.

namespace newton {

constexpr int THREADS = 256;
constexpr int STEPS = 5;
constexpr int PATCH = 4; // a thread makes 4 x 4 elements from 8 loads

// The sum of x over the block's threads, given to all of them. The order of the
// additions is that of a tree over the thread numbers.
static __device__ __forceinline__ float block_sum(float x, float *partial) {
  partial[threadIdx.x] = x;
  for (int half = THREADS / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) partial[threadIdx.x] += partial[threadIdx.x + half];
  }
  __syncthreads();
  return partial[0];
}

// The rows or columns of a patch. At the edge the last one is read again, and
// not written.
struct Span {
  int from, top;
  __device__ __forceinline__ int at(int i) const { return from + i < top ? from + i : top - 1; }
};

// Calls write(i, j, sum over k < inner of left(k, i) right(k, j)) for every i < rows
// and j < cols, with left(k, i) = left[k * left_k + i * left_i] and
// right(k, j) = right[k * cols + j]. A sum is one chain, k ascending.
template <class Write>
static __device__ __forceinline__ void product(int rows, int cols, int inner, const float *left, int left_k, int left_i,
                                               const float *right, Write write) {
  const int down = (rows + PATCH - 1) / PATCH, across = (cols + PATCH - 1) / PATCH;
  for (int patch = threadIdx.x; patch < down * across; patch += THREADS) {
    const Span row = {patch / across * PATCH, rows}, col = {patch % across * PATCH, cols};
    float sum[PATCH][PATCH] = {};
    for (int k = 0; k < inner; ++k) {
      float x[PATCH], y[PATCH];
      for (int i = 0; i < PATCH; ++i) x[i] = left[k * left_k + row.at(i) * left_i];
      for (int j = 0; j < PATCH; ++j) y[j] = right[k * cols + col.at(j)];
      for (int i = 0; i < PATCH; ++i)
        for (int j = 0; j < PATCH; ++j) sum[i][j] = fmaf(x[i], y[j], sum[i][j]);
    }
    for (int i = 0; i < PATCH; ++i)
      for (int j = 0; j < PATCH; ++j)
        if (row.from + i < rows && col.from + j < cols) write(row.from + i, col.from + j, sum[i][j]);
  }
}

// G = Z^T Z. Both (i, j) and (j, i) are the same products in the same order, so G
// is symmetric to the last bit.
static __device__ __forceinline__ void gram(float *G, const float *Z, int longer, int shorter) {
  product(shorter, shorter, longer, Z, shorter, 1, Z, [=](int i, int j, float sum) { G[i * shorter + j] = sum; });
}

// P = b G + c G G. Rows of G serve as its columns.
static __device__ __forceinline__ void polynomial(float *P, const float *G, int shorter, float b, float c) {
  product(shorter, shorter, shorter, G, shorter, 1, G, [=](int i, int j, float sum) {
    const int at = i * shorter + j;
    P[at] = fmaf(b, G[at], c * sum);
  });
}

// to = a Z + Z P, element (l, s) of it at l * to_l + s * to_s.
static __device__ __forceinline__ void update(float *to, int to_l, int to_s, const float *Z, const float *P, int longer,
                                              int shorter, float a) {
  product(longer, shorter, shorter, Z, 1, shorter, P, [=](int l, int s, float sum) {
    to[l * to_l + s * to_s] = fmaf(a, Z[l * shorter + s], sum);
  });
}

} // namespace newton

// x and out are [n, d, cols], scratch is [n, 2, d, cols]. Grid n, 256 threads,
// 2 * min(d, cols)^2 floats of shared memory. That leaves room for one block on a
// multiprocessor, which the compiler has to be told to spend registers freely.
extern "C" __global__ void __launch_bounds__(newton::THREADS, 1)
newton_schulz(const float *x, float *out, float *scratch, int d, int cols, float a, float b, float c, float eps) {
  extern __shared__ float smem[];
  __shared__ float partial[newton::THREADS];
  const int size = d * cols;
  x += (size_t)blockIdx.x * size;
  out += (size_t)blockIdx.x * size;
  scratch += (size_t)blockIdx.x * 2 * size;

  float squares = 0.0f;
  for (int i = threadIdx.x; i < size; i += newton::THREADS) squares = fmaf(x[i], x[i], squares);
  const float norm = sqrtf(newton::block_sum(squares, partial)) + eps;

  const bool wide = d <= cols;
  const int longer = wide ? cols : d, shorter = wide ? d : cols;
  const int x_l = wide ? 1 : cols, x_s = wide ? cols : 1; // where x has element (l, s) of Z
  float *Z = scratch, *next = scratch + size;
  for (int i = threadIdx.x; i < size; i += newton::THREADS)
    Z[i] = x[i / shorter * x_l + i % shorter * x_s] / norm;

  float *G = smem, *P = smem + shorter * shorter;
  for (int step = 0; step < newton::STEPS; ++step) {
    __syncthreads(); // Z is whole
    newton::gram(G, Z, longer, shorter);
    __syncthreads();
    newton::polynomial(P, G, shorter, b, c);
    __syncthreads();
    if (step == newton::STEPS - 1) {
      newton::update(out, x_l, x_s, Z, P, longer, shorter, a);
    } else {
      newton::update(next, shorter, 1, Z, P, longer, shorter, a);
    }
    float *was = Z;
    Z = next;
    next = was;
  }
}
