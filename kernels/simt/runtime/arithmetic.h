// CUDA's arithmetic that C++ does not have. The fast forms are the exact ones: a
// host has no special function unit, and a gate's bar must hold without it.
#pragma once

// These have the overloads for float in the global namespace. <cmath> alone leaves C's
// there, so that exp(x) would be that of double and abs(x) that of int.
#include <limits>
#include <math.h>
#include <stdlib.h>

#define __expf expf
#define __exp10f exp10f
#define __logf logf
#define __log2f log2f
#define __log10f log10f
#define __sinf sinf
#define __cosf cosf
#define __powf powf
#define __saturatef(x) fminf(fmaxf((x), 0.0f), 1.0f)
#define __fdividef(x, y) (float(x) / float(y))

GPUCI_INLINE float rsqrtf(float x) { return 1.0f / sqrtf(x); }
GPUCI_INLINE float rsqrt(float x) { return rsqrtf(x); }
GPUCI_INLINE double rsqrt(double x) { return 1.0 / sqrt(x); }
GPUCI_INLINE float __fmaf_rn(float x, float y, float z) { return fmaf(x, y, z); }
GPUCI_INLINE float __fadd_rn(float x, float y) { return x + y; }
GPUCI_INLINE float __fsub_rn(float x, float y) { return x - y; }
GPUCI_INLINE float __fmul_rn(float x, float y) { return x * y; }
GPUCI_INLINE float __fdiv_rn(float x, float y) { return x / y; }
GPUCI_INLINE float __fsqrt_rn(float x) { return sqrtf(x); }
GPUCI_INLINE float __int2float_rn(int n) { return float(n); }

// The pairs of types that CUDA's have, and what each gives; another pair is ambiguous
// there as here.
#define GPUCI_LESS(to, one, other)                                              \
  GPUCI_INLINE to min(one a, other b) { return to(b) < to(a) ? to(b) : to(a); } \
  GPUCI_INLINE to max(one a, other b) { return to(a) < to(b) ? to(b) : to(a); }
#define GPUCI_WHOLE(whole, natural)        \
  GPUCI_LESS(whole, whole, whole)          \
  GPUCI_LESS(natural, natural, natural)    \
  GPUCI_LESS(natural, whole, natural)      \
  GPUCI_LESS(natural, natural, whole)

namespace gpuci {
using ulong = unsigned long;
using llong = long long;
using ullong = unsigned long long;
} // namespace gpuci
GPUCI_WHOLE(int, unsigned)
GPUCI_WHOLE(long, gpuci::ulong)
GPUCI_WHOLE(gpuci::llong, gpuci::ullong)
#undef GPUCI_WHOLE
#undef GPUCI_LESS

// A NaN loses against a number.
#define GPUCI_FLOATING(to, one, other)                              \
  GPUCI_INLINE to min(one a, other b) { return fmin(to(a), to(b)); } \
  GPUCI_INLINE to max(one a, other b) { return fmax(to(a), to(b)); }
GPUCI_FLOATING(float, float, float)
GPUCI_FLOATING(double, double, double)
GPUCI_FLOATING(double, float, double)
GPUCI_FLOATING(double, double, float)
#undef GPUCI_FLOATING

namespace gpuci {
// saturate is the integer next to a whole number, as devices convert: 0 for NaN, the
// largest for what is above. A conversion in C++ has no such meaning and ends the kernel.
template <class To>
GPUCI_INLINE To saturate(float x) {
  constexpr To least = std::numeric_limits<To>::min(), most = std::numeric_limits<To>::max();
  if (x != x) return 0;
  if (x <= float(least)) return least;
  return x >= float(most) ? most : To(x); // float(most) is the power of two above it
}
} // namespace gpuci

GPUCI_INLINE int __float2int_rz(float x) { return gpuci::saturate<int>(truncf(x)); }
GPUCI_INLINE int __float2int_rn(float x) { return gpuci::saturate<int>(rintf(x)); }
GPUCI_INLINE int __float2int_rd(float x) { return gpuci::saturate<int>(floorf(x)); }
GPUCI_INLINE int __float2int_ru(float x) { return gpuci::saturate<int>(ceilf(x)); }
GPUCI_INLINE unsigned __float2uint_rz(float x) { return gpuci::saturate<unsigned>(truncf(x)); }
GPUCI_INLINE unsigned __float2uint_rn(float x) { return gpuci::saturate<unsigned>(rintf(x)); }

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
