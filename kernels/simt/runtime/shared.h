// The shared memory of a block.
#pragma once

#include <cstddef>
#include <cstring>
#include <link.h>
#include <string>

#include "memory.h"

// The dynamic shared memory of a block: every extern __shared__ array of the kernels
// is another name of it.
constexpr std::size_t dynamicSize = 227 << 10;
extern "C" __attribute__((tls_model("initial-exec"))) __thread unsigned char gpuci_dynamic[];

// Shared is the shared memory of the worker that it was made on: the thread local
// segment of the kernels' shared object. Before the dynamic part and behind what any
// device has of it lies a guard, so that neither is next to a static array.
struct Shared {
  static constexpr std::size_t guard = 16 << 10; // as in sharedUnit
  char *dynamic, *segment = nullptr;
  const char *base = nullptr;                 // where the shared object lies
  char *data = nullptr, *dataEnd = nullptr;   // its variables: __device__ and the like
  const char *end = nullptr;                  // of all of it
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
            s->loaded(info);
          }
          return 0;
        },
        this);
    if (!segment) refuse("find shared memory: the kernels have no thread local segment");
    used = dynamicSize;
    fill(dynamic - guard, guard, sharedBits);
    fill(dynamic + dynamicSize, guard, sharedBits);
#ifdef GPUCI_ADDRESS
    __asan_poison_memory_region(dynamic - guard, guard);
    __asan_poison_memory_region(dynamic + dynamicSize, guard);
#endif
  }

  // loaded notes where the parts of the shared object lie.
  void loaded(const dl_phdr_info *info) {
    for (int i = 0; i < info->dlpi_phnum; i++) {
      const auto &h = info->dlpi_phdr[i];
      if (h.p_type != PT_LOAD) continue;
      char *from = reinterpret_cast<char *>(info->dlpi_addr + h.p_vaddr);
      if (from + h.p_memsz > end) end = from + h.p_memsz;
      if (h.p_flags & PF_W) data = from, dataEnd = from + h.p_memsz;
    }
  }

  // trampled finds a word of the guards that a kernel has written, and mends it.
  const void *trampled() {
#ifndef GPUCI_ADDRESS
    for (char *p : {dynamic - guard, dynamic + dynamicSize}) {
      for (char *to = p + guard; p < to; p += 4) {
        if (std::memcmp(p, &sharedBits, 4) == 0) continue;
        fill(p, std::size_t(to - p), sharedBits);
        return p;
      }
    }
#endif
    return nullptr;
  }

  // begin makes the memory that of a new block, which asked for so many bytes.
  void begin(std::size_t asked) {
    fill(segment, dynamic - guard - segment, sharedBits);
    char *behind = dynamic + dynamicSize + guard;
    fill(behind, segment + size - behind, sharedBits);
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

  // guarded says whether an address is of the dynamic part or its guards.
  bool guarded(const void *address) const {
    return std::size_t(static_cast<const char *>(address) - (dynamic - guard)) < guard + dynamicSize + guard;
  }

  // describe names an address of it.
  std::string describe(const void *address) const {
    auto *p = static_cast<const char *>(address);
    if (guarded(p)) return (p < dynamic ? "shared" : "shared+") + std::to_string(p - dynamic);
    return "static+" + std::to_string(p - segment);
  }
};
