// What the kernels for one shape of chunk share: 16 rows, 64 key channels, value
// channels in multiples of 64. Everything about them is known to the compiler but T and
// V, so that sums stay in registers and words go four at a time.
//
// A chunk that T cuts short is filled up with rows of zeros, whose decay is 1: they
// change no sum, and only what is stored has to know how many rows are real.
//
// Rows in shared memory have four words more than they need where neighbouring threads
// read neighbouring rows: eight threads that read four words each then meet all of the
// 32 banks once.
#pragma once
#include "quad.cuh"
#include "tile.cuh"

namespace fast {

constexpr int C = 16;          // rows of a chunk
constexpr int K = 64;          // key channels
constexpr int KEYS = K + 4;    // a row of them, read down
constexpr int SQUARE = C + 4;  // a row of a [C,C] matrix
constexpr unsigned WARP = 0xffffffffu;

// Spot is a thread's place in a matrix that a block walks in quads, four channels each:
// the threads of a warp have eight neighbouring quads of four neighbouring rows. There
// are 16 quads; 128 threads have 8 rows, 256 have 16.
struct Spot {
  int row, channel; // channel is the first of the quad
};

__device__ __forceinline__ Spot spot(int thread) {
  const int lane = thread % 32, warp = thread / 32;
  return {lane / 8 + warp / 2 * 4, (lane % 8 + warp % 2 * 8) * 4};
}

__device__ __forceinline__ float4 zero() { return make_float4(0, 0, 0, 0); }

// load_if is a row of zeros where the row is not a real one.
__device__ __forceinline__ float4 load_if(bool real, const float *p) { return real ? load(p) : zero(); }

__device__ __forceinline__ float4 mul(float4 a, float4 b) {
  return make_float4(a.x * b.x, a.y * b.y, a.z * b.z, a.w * b.w);
}
__device__ __forceinline__ float4 mul(float a, float4 b) {
  return make_float4(a * b.x, a * b.y, a * b.z, a * b.w);
}

// add is sum + a b, by element.
__device__ __forceinline__ float4 add(float4 sum, float4 a, float4 b) {
  return make_float4(fmaf(a.x, b.x, sum.x), fmaf(a.y, b.y, sum.y), fmaf(a.z, b.z, sum.z), fmaf(a.w, b.w, sum.w));
}
__device__ __forceinline__ float4 add(float4 sum, float a, float4 b) {
  return make_float4(fmaf(a, b.x, sum.x), fmaf(a, b.y, sum.y), fmaf(a, b.z, sum.z), fmaf(a, b.w, sum.w));
}

// dot is sum + a.b, a chain in ascending order.
__device__ __forceinline__ float dot(float sum, float4 a, float4 b) {
  return fmaf(a.w, b.w, fmaf(a.z, b.z, fmaf(a.y, b.y, fmaf(a.x, b.x, sum))));
}

// rows4 is sum + a[0] b(0) + ... + a[3] b(3), where b(i) is a quad stride words behind
// the one before.
__device__ __forceinline__ float4 rows4(float4 sum, float4 a, const float *b, int stride) {
  sum = add(sum, a.x, load(b));
  sum = add(sum, a.y, load(b + stride));
  sum = add(sum, a.z, load(b + 2 * stride));
  return add(sum, a.w, load(b + 3 * stride));
}

// decay is exp of a log decay with the floor of tile.cuh.
__device__ __forceinline__ float4 decay(float4 g) {
  return make_float4(expf(floored(g.x)), expf(floored(g.y)), expf(floored(g.z)), expf(floored(g.w)));
}

// The sum of x over four neighbouring lanes, given to all of them.
__device__ __forceinline__ float sum4(float x) {
  x += __shfl_xor_sync(WARP, x, 1);
  return x + __shfl_xor_sync(WARP, x, 2);
}

} // namespace fast
