// The memory of the device: buffers, each filled before the first launch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <sys/mman.h>
#include <utility>
#include <vector>

#include "fiber.h"

// Quiet NaNs that tell who has not written. Arithmetic keeps them.
constexpr std::uint32_t unwrittenBits = 0x7fc0a11eu, scratchBits = 0x7fc05c5cu, sharedBits = 0x7fc05a5au;

inline void fill(void *at, std::size_t bytes, std::uint32_t bits) {
  auto *p = static_cast<std::uint32_t *>(at);
  for (std::size_t i = 0; i < bytes / 4; i++) p[i] = bits;
}

struct Buffer {
  std::string name, role, in, out; // in, out: files, "-" for none
  std::size_t count = 0;
  float *at = nullptr;
  bool input = false, output = false, given = false; // of role, role and in
};

// Memory holds the buffers. Each stands in the middle of addresses of its own, 16 GiB of
// them where there is room: no int, which is what kernels count with, leads from one
// buffer to another. What lies next to a buffer is NaN, and told when it was written;
// what lies further out cannot be touched, nor, but in Check, an input be written.
class Memory {
public:
  static constexpr std::size_t page = 4096, gap = page;

  std::vector<Buffer> buffers;
  char *arena = nullptr;
  std::size_t size = 0;
  unsigned shift = 34; // a buffer has 1 << shift bytes of addresses

  void allocate() {
    while (shift < 46 && !roomy()) shift++;
    void *p = reserve();
    while (p == MAP_FAILED && (--shift, roomy())) p = reserve();
    if (p == MAP_FAILED) refuse("make room for buffers: no more addresses");
    arena = static_cast<char *>(p), size = buffers.size() << shift;
    for (std::size_t i = 0; i < buffers.size(); i++) place(buffers[i], i);
  }

  // protect has the inputs, once they are there, not be written.
  void protect() const {
#ifndef GPUCI_CHECK
    for (const Buffer &b : buffers) {
      if (!b.input) continue;
      auto [from, all] = pages(b);
      if (mprotect(from, all, PROT_READ) != 0) refuse("protect input " + b.name);
    }
#endif
  }

  // within says whether an address is of an element of the buffer.
  static bool within(const Buffer &b, const void *p) {
    return std::size_t(static_cast<const char *>(p) - reinterpret_cast<const char *>(b.at)) < b.count * 4;
  }

  // of gives the buffer whose addresses an address is among; nullptr when there is none.
  const Buffer *of(const void *address) const {
    std::size_t at = std::size_t(static_cast<const char *>(address) - arena);
    return at < size ? &buffers[at >> shift] : nullptr;
  }

  // trampled finds the first word next to a buffer that is no longer as it was.
  const void *trampled() const {
#ifndef GPUCI_ADDRESS
    for (const Buffer &b : buffers) {
      auto *from = reinterpret_cast<const char *>(b.at), *to = from + b.count * 4;
      for (const char *p : {from - gap, to}) {
        for (const char *end = p + gap; p < end; p += 4) {
          if (std::memcmp(p, &scratchBits, 4) != 0) return p;
        }
      }
    }
#endif
    return nullptr;
  }

  // describe names an address in or near a buffer; "" when there is none.
  std::string describe(const void *address) const {
    const Buffer *b = of(address);
    if (!b) return "";
    std::ptrdiff_t bytes = static_cast<const char *>(address) - reinterpret_cast<const char *>(b->at);
    return b->name + "[" + std::to_string(bytes >> 2) + "]";
  }

private:
  // roomy says whether the largest buffer fits into the half of its addresses.
  bool roomy() const {
    std::size_t most = 0;
    for (const Buffer &b : buffers) most = b.count * 4 > most ? b.count * 4 : most;
    return most + 2 * gap + 2 * page <= std::size_t(1) << (shift - 1);
  }

  void *reserve() const {
    return mmap(nullptr, buffers.size() << shift, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  }

  // pages are those of a buffer and of the gaps at both ends.
  static std::pair<char *, std::size_t> pages(const Buffer &b) {
    char *at = reinterpret_cast<char *>(b.at), *from = at - std::size_t(at) % page - gap;
    return {from, (std::size_t(at - from) + b.count * 4 + gap + page - 1) & ~(page - 1)};
  }

  // place puts a buffer where its addresses have their middle. Beginnings are staggered:
  // at the same offset of every page they would share a few sets of the cache.
  void place(Buffer &b, std::size_t i) {
    std::size_t bytes = b.count * 4;
    char *at = arena + (i << shift) + (std::size_t(1) << (shift - 1)) + i * 7 % 16 * 256;
    b.at = reinterpret_cast<float *>(at);
    auto [from, all] = pages(b);
    if (mprotect(from, all, PROT_READ | PROT_WRITE) != 0) refuse("make room for buffer " + b.name + ": no more memory");
    fill(from, std::size_t(at - from), scratchBits);
    fill(at, bytes, b.output ? unwrittenBits : scratchBits);
    fill(at + bytes, std::size_t(from + all - at) - bytes, scratchBits);
#ifdef GPUCI_ADDRESS
    __asan_poison_memory_region(from, std::size_t(at - from));
    __asan_poison_memory_region(at + bytes, std::size_t(from + all - at) - bytes);
#endif
  }
};
