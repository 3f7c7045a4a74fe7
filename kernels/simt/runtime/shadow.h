// What the check build knows of every word of global and shared memory: who wrote it,
// who has read it since. In the other builds nothing is kept.
#pragma once

#include <cstddef>
#include <cstdint>

#include "findings.h"
#include "memory.h"
#include "shared.h"

struct Launch;

namespace shadow {

#ifdef GPUCI_CHECK

// begin is called once, with the buffers in their places.
void begin(Findings &findings, const Memory &memory);

// launch, block, interval and syncwarp say what is ordered from here on: all before a
// launch with all in it, the threads of a block at each barrier, the lanes of a warp
// at a __syncwarp. Blocks run one after the other, but nothing orders them.
void launch(const Launch &l);
void block(uint3 place, const Shared &shared, unsigned threads);
void interval();
void syncwarp(unsigned warp, unsigned lanes);

// change says that another thread runs from here on.
void change();

// written says whether a kernel has written an element.
bool written(const float *element);

#else

inline void begin(Findings &, const Memory &) {}
inline void launch(const Launch &) {}
inline void block(uint3, const Shared &, unsigned) {}
inline void interval() {}
inline void syncwarp(unsigned, unsigned) {}
inline void change() {}

inline bool written(const float *element) {
  std::uint32_t bits;
  __builtin_memcpy(&bits, element, 4);
  return bits != unwrittenBits;
}

#endif

} // namespace shadow
