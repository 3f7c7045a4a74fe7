// The memory of the device: buffers, each filled before the first launch, and the
// shared memory of a block.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <link.h>
#include <string>
#include <sys/mman.h>
#include <vector>

#include "fiber.h"

// The dynamic shared memory of a block: every extern __shared__ array of the kernels
// is another name of it.
constexpr std::size_t dynamicSize = 227 << 10;
extern "C" __attribute__((tls_model("initial-exec"))) __thread unsigned char gpuci_dynamic[];

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
  bool output = false, given = false; // of role and in
};

// Memory holds the buffers. For AddressSanitizer each is an allocation of its own;
// else they lie one after the other with NaN between them, so that what is read
// beyond one is not a number of its neighbour.
class Memory {
public:
  static constexpr std::size_t gap = 64 << 10;

  std::vector<Buffer> buffers;
  char *arena = nullptr;
  std::size_t size = 0;

  void allocate() {
#ifdef GPUCI_ADDRESS
    for (Buffer &b : buffers) b.at = static_cast<float *>(std::malloc(b.count * 4));
#else
    std::size_t all = gap;
    for (const Buffer &b : buffers) all += room(b);
    void *p = mmap(nullptr, all, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED) refuse("make room for buffers: no more memory");
    arena = static_cast<char *>(p), size = all;
    char *next = arena;
    for (Buffer &b : buffers) {
      fill(next, gap, scratchBits);
      b.at = reinterpret_cast<float *>(next + gap);
      next += room(b);
      fill(b.at + b.count, next - reinterpret_cast<char *>(b.at + b.count), scratchBits);
    }
    fill(next, gap, scratchBits);
#endif
    for (Buffer &b : buffers) fill(b.at, b.count * 4, b.output ? unwrittenBits : scratchBits);
  }

  // trampled finds the first word between two buffers that is no longer as it was.
  const void *trampled() const {
#ifndef GPUCI_ADDRESS
    const char *from = arena;
    for (std::size_t i = 0; i <= buffers.size(); i++) {
      bool last = i == buffers.size();
      const char *to = last ? arena + size : reinterpret_cast<const char *>(buffers[i].at);
      for (; from < to; from += 4) {
        if (std::memcmp(from, &scratchBits, 4) != 0) return from;
      }
      if (!last) from = reinterpret_cast<const char *>(buffers[i].at + buffers[i].count);
    }
#endif
    return nullptr;
  }

  // describe names an address in or near a buffer; "" when there is none.
  std::string describe(const void *address) const {
    const Buffer *b = near(address);
    if (!b) return "";
    std::ptrdiff_t bytes = static_cast<const char *>(address) - reinterpret_cast<const char *>(b->at);
    return b->name + "[" + std::to_string(bytes >> 2) + "]";
  }

private:
  // near is the buffer at or next to an address, nullptr when there is none within the
  // gap.
  const Buffer *near(const void *address) const {
    auto at = reinterpret_cast<std::intptr_t>(address);
    const Buffer *best = nullptr;
    std::intptr_t distance = gap;
    for (const Buffer &b : buffers) {
      auto from = reinterpret_cast<std::intptr_t>(b.at), to = from + std::intptr_t(b.count * 4);
      std::intptr_t d = at < from ? from - at : at >= to ? at - to + 1 : 0;
      if (d < distance) best = &b, distance = d;
    }
    return best;
  }

  static std::size_t room(const Buffer &b) { return gap + ((b.count * 4 + 255) & ~std::size_t(255)); }
};

// Shared is the shared memory of the worker that it was made on: the thread local
// segment of the kernels' shared object.
struct Shared {
  char *dynamic, *segment = nullptr;
  const char *base = nullptr; // where the shared object lies
  std::size_t size = 0, used = 0;

  Shared() : dynamic(reinterpret_cast<char *>(gpuci_dynamic)) {
    dl_iterate_phdr(
        [](dl_phdr_info *info, std::size_t, void *self) {
          auto *s = static_cast<Shared *>(self);
          auto *data = static_cast<char *>(info->dlpi_tls_data);
          for (int i = 0; i < info->dlpi_phnum; i++) {
            const auto &h = info->dlpi_phdr[i];
            if (h.p_type != PT_TLS || !data || s->dynamic < data || s->dynamic >= data + h.p_memsz) continue;
            s->segment = data, s->size = h.p_memsz;
            s->base = reinterpret_cast<const char *>(info->dlpi_addr);
          }
          return 0;
        },
        this);
    if (!segment) refuse("find shared memory: the kernels have no thread local segment");
    used = dynamicSize;
  }

  // begin makes the memory that of a new block, which asked for so many bytes.
  void begin(std::size_t asked) {
    fill(segment, dynamic - segment, sharedBits);
    char *end = dynamic + dynamicSize;
    fill(end, segment + size - end, sharedBits);
    std::size_t words = (asked + 3) & ~std::size_t(3);
#ifdef GPUCI_ADDRESS
    __asan_unpoison_memory_region(dynamic, dynamicSize);
#endif
    fill(dynamic, words > used ? words : used, sharedBits);
    used = words;
#ifdef GPUCI_ADDRESS
    __asan_poison_memory_region(dynamic + asked, dynamicSize - asked);
#endif
  }

  // holds says whether an address is of the shared memory, static or dynamic.
  bool holds(const void *address) const {
    auto *p = static_cast<const char *>(address);
    return p >= segment && p < segment + size;
  }

  // describe names an address of it.
  std::string describe(const void *address) const {
    auto *p = static_cast<const char *>(address);
    if (p >= dynamic && p < dynamic + dynamicSize) return "shared+" + std::to_string(p - dynamic);
    return "static+" + std::to_string(p - segment);
  }
};
