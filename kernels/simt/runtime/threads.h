// What kernels and the runner both know: CUDA's small vectors, where a thread is, and
// the calls by which it waits.
#pragma once

// With -fsanitize=thread GCC does not tell of a store of a structure that a call
// returns. One of numbers it does, so that is what an assignment is made of there.
#ifdef GPUCI_CHECK
#define GPUCI_ASSIGN(type, ...)                                        \
  __attribute__((always_inline)) type &operator=(const type &from) {   \
    __VA_ARGS__;                                                       \
    return *this;                                                      \
  }
#else
#define GPUCI_ASSIGN(type, ...)
#endif

struct uint3 { unsigned x, y, z; };
struct dim3 {
  unsigned x, y, z;
  constexpr dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
};
struct alignas(8) float2 {
  float x, y;
  GPUCI_ASSIGN(float2, x = from.x, y = from.y)
};
struct float3 {
  float x, y, z;
  GPUCI_ASSIGN(float3, x = from.x, y = from.y, z = from.z)
};
struct alignas(16) float4 {
  float x, y, z, w;
  GPUCI_ASSIGN(float4, x = from.x, y = from.y, z = from.z, w = from.w)
};
struct alignas(8) int2 {
  int x, y;
  GPUCI_ASSIGN(int2, x = from.x, y = from.y)
};
struct int3 {
  int x, y, z;
  GPUCI_ASSIGN(int3, x = from.x, y = from.y, z = from.z)
};
struct alignas(16) int4 {
  int x, y, z, w;
  GPUCI_ASSIGN(int4, x = from.x, y = from.y, z = from.z, w = from.w)
};

inline float2 make_float2(float x, float y) { return {x, y}; }
inline float3 make_float3(float x, float y, float z) { return {x, y, z}; }
inline float4 make_float4(float x, float y, float z, float w) { return {x, y, z, w}; }
inline int2 make_int2(int x, int y) { return {x, y}; }
inline int3 make_int3(int x, int y, int z) { return {x, y, z}; }
inline int4 make_int4(int x, int y, int z, int w) { return {x, y, z, w}; }

// gpuci_here is where the running thread is; the runner sets it with each switch.
struct gpuci_here {
  uint3 thread;
  unsigned lane;
};
struct gpuci_where {
  uint3 block;
  dim3 threads, blocks;
};

// gpuci_mode is which of the four shuffles.
enum gpuci_mode : int { gpuci_lane, gpuci_up, gpuci_down, gpuci_xor };

extern "C" {
extern __thread const gpuci_here *gpuci_self;
extern __thread const gpuci_where *gpuci_place;
void gpuci_syncthreads(unsigned barrier); // barrier: which of the source
void gpuci_syncwarp(unsigned mask);
unsigned gpuci_shuffle(gpuci_mode mode, unsigned mask, unsigned bits, int from);
}
