// CUDA's arithmetic that C++ does not have. The fast forms are the exact ones: a
// host has no special function unit, and a gate's bar must hold without it.
#pragma once

#define __expf expf
#define __logf logf
#define __sinf sinf
#define __cosf cosf
#define __powf powf
#define __saturatef(x) fminf(fmaxf((x), 0.0f), 1.0f)
#define __fdividef(x, y) ((x) / (y))

GPUCI_INLINE float rsqrtf(float x) { return 1.0f / sqrtf(x); }
GPUCI_INLINE double rsqrt(double x) { return 1.0 / sqrt(x); }
GPUCI_INLINE float __fmaf_rn(float x, float y, float z) { return fmaf(x, y, z); }
GPUCI_INLINE float __fadd_rn(float x, float y) { return x + y; }
GPUCI_INLINE float __fmul_rn(float x, float y) { return x * y; }
GPUCI_INLINE float __fdiv_rn(float x, float y) { return x / y; }
GPUCI_INLINE float __fsqrt_rn(float x) { return sqrtf(x); }

GPUCI_INLINE int min(int x, int y) { return y < x ? y : x; }
GPUCI_INLINE int max(int x, int y) { return x < y ? y : x; }
GPUCI_INLINE unsigned min(unsigned x, unsigned y) { return y < x ? y : x; }
GPUCI_INLINE unsigned max(unsigned x, unsigned y) { return x < y ? y : x; }
GPUCI_INLINE long long min(long long x, long long y) { return y < x ? y : x; }
GPUCI_INLINE long long max(long long x, long long y) { return x < y ? y : x; }
GPUCI_INLINE float min(float x, float y) { return fminf(x, y); }
GPUCI_INLINE float max(float x, float y) { return fmaxf(x, y); }

GPUCI_INLINE int __float_as_int(float x) {
  int n;
  __builtin_memcpy(&n, &x, 4);
  return n;
}
GPUCI_INLINE float __int_as_float(int n) {
  float x;
  __builtin_memcpy(&x, &n, 4);
  return x;
}

template <class T>
GPUCI_INLINE T __ldg(const T *p) { return *p; }
