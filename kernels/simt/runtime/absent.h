// What CUDA has and this does not: to use it is an error of the compiler that says
// so, and not a kernel that computes something else.
#pragma once

namespace gpuci {
template <class...>
inline constexpr bool there = false;
}

#define GPUCI_ABSENT(name)                                                            \
  template <class... A>                                                               \
  inline int name(A &&...) {                                                          \
    static_assert(gpuci::there<A...>, "gpuci simt: " #name " is not there on the host"); \
    return 0;                                                                         \
  }

GPUCI_ABSENT(atomicAdd)
GPUCI_ABSENT(atomicSub)
GPUCI_ABSENT(atomicExch)
GPUCI_ABSENT(atomicMin)
GPUCI_ABSENT(atomicMax)
GPUCI_ABSENT(atomicInc)
GPUCI_ABSENT(atomicDec)
GPUCI_ABSENT(atomicCAS)
GPUCI_ABSENT(atomicAnd)
GPUCI_ABSENT(atomicOr)
GPUCI_ABSENT(atomicXor)
GPUCI_ABSENT(tex1D)
GPUCI_ABSENT(tex1Dfetch)
GPUCI_ABSENT(tex2D)
GPUCI_ABSENT(tex3D)
GPUCI_ABSENT(surf2Dread)
GPUCI_ABSENT(surf2Dwrite)
GPUCI_ABSENT(__ballot_sync)
GPUCI_ABSENT(__any_sync)
GPUCI_ABSENT(__all_sync)
GPUCI_ABSENT(__syncthreads_count)
GPUCI_ABSENT(__syncthreads_and)
GPUCI_ABSENT(__syncthreads_or)
GPUCI_ABSENT(__nanosleep)

using cudaTextureObject_t = unsigned long long;
using cudaSurfaceObject_t = unsigned long long;
