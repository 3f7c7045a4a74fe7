// What a .cu file sees in place of CUDA's own headers when it is compiled for the
// host: the words of the language, the built-in variables, barriers, shuffles and
// some arithmetic. What is not here (see absent.h) is an error of the compiler.
#pragma once

#include <cfloat>
#include <climits>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#include "threads.h"

#define __global__
#define __device__
#define __host__
#define __forceinline__ __inline__ __attribute__((always_inline))
// GCC tells of nothing that a call itself reads or writes, so that no call is left (see
// checkFlags): to CUDA the word is a hint.
#if defined(GPUCI_CHECK) && !defined(__clang__)
#define __noinline__
#else
#define __noinline__ __attribute__((noinline))
#endif
#define __launch_bounds__(...)
#define __align__(n) __attribute__((aligned(n)))
#define __constant__ static

// A block runs on one worker from its first to its last instruction, so that what
// belongs to the thread of the host is shared by the block. Nothing of it needs a
// constructor at run time; GCC, when told, then looks for none at each access. What
// nobody writes is not to be taken for the zero of a static variable: it is used, by
// the runner that fills it.
#if defined(__clang__)
#define __shared__ thread_local __attribute__((used))
#else
#define __shared__ __constinit thread_local __attribute__((used))
#endif

#define threadIdx (gpuci_self->thread)
#define blockIdx (gpuci_place->block)
#define blockDim (gpuci_place->threads)
#define gridDim (gpuci_place->blocks)
constexpr int warpSize = 32;

#define GPUCI_INLINE static inline __attribute__((always_inline))

// Each __syncthreads() of the source has a number, also of those that a macro makes of
// one line; copies that the compiler makes of it have the same.
#define __syncthreads() gpuci_syncthreads(__COUNTER__)
GPUCI_INLINE void __syncwarp(unsigned mask = 0xffffffffu) { gpuci_syncwarp(mask); }

namespace gpuci {

// exchange gives the value of another lane; from is a lane of the same warp.
template <class T>
GPUCI_INLINE T exchange(gpuci_mode mode, unsigned mask, T value, int from) {
  static_assert(sizeof(T) == 4 && std::is_arithmetic_v<T>,
                "gpuci simt: shuffles are there for float, int and unsigned only");
  unsigned bits;
  __builtin_memcpy(&bits, &value, 4);
  bits = gpuci_shuffle(mode, mask, bits, from);
  __builtin_memcpy(&value, &bits, 4);
  return value;
}

// segment is the first lane of the running lane's part of the warp.
GPUCI_INLINE int segment(int width) { return int(gpuci_self->lane) & ~(width - 1); }

} // namespace gpuci

template <class T>
GPUCI_INLINE T __shfl_sync(unsigned mask, T v, int lane, int width = 32) {
  return gpuci::exchange(gpuci_lane, mask, v, gpuci::segment(width) + (lane & (width - 1)));
}
template <class T>
GPUCI_INLINE T __shfl_down_sync(unsigned mask, T v, unsigned delta, int width = 32) {
  int lane = int(gpuci_self->lane), to = lane + int(delta);
  return gpuci::exchange(gpuci_down, mask, v, to < gpuci::segment(width) + width ? to : lane);
}
template <class T>
GPUCI_INLINE T __shfl_up_sync(unsigned mask, T v, unsigned delta, int width = 32) {
  int lane = int(gpuci_self->lane), to = lane - int(delta);
  return gpuci::exchange(gpuci_up, mask, v, to >= gpuci::segment(width) ? to : lane);
}
template <class T>
GPUCI_INLINE T __shfl_xor_sync(unsigned mask, T v, int with, int width = 32) {
  int lane = int(gpuci_self->lane), to = lane ^ with;
  return gpuci::exchange(gpuci_xor, mask, v, to < gpuci::segment(width) + width ? to : lane);
}

#include "arithmetic.h"
#include "absent.h"
#include "registry.h"
#include "arch.h"
