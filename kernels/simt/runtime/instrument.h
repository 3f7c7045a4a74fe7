// The functions that a compiler calls before each access with -fsanitize=thread. Their
// names are those of ThreadSanitizer's library, which is not linked.
#pragma once

// What a structure copy has told of already is not told again by the memcpy that it
// may become: the last range written, and by whom.
static const void *rangeAt;
static std::size_t rangeSize;
static const void *rangeBy;

static void copied(void *to, const void *from, std::size_t n, const void *pc) {
  bool known = rangeAt == to && rangeSize == n && rangeBy == gpuci_self;
  rangeAt = nullptr;
  if (known) return;
  if (from) shadow::touch<false>(from, n, pc);
  shadow::touch<true>(to, n, pc);
}

#define GPUCI_PC __builtin_return_address(0)
#define GPUCI_ACCESS(n)                                                             \
  void __tsan_read##n(void *p) { shadow::touch<false>(p, n, GPUCI_PC); }            \
  void __tsan_write##n(void *p) { shadow::touch<true>(p, n, GPUCI_PC); }            \
  void __tsan_unaligned_read##n(void *p) { shadow::touch<false>(p, n, GPUCI_PC); }  \
  void __tsan_unaligned_write##n(void *p) { shadow::touch<true>(p, n, GPUCI_PC); }

extern "C" {
GPUCI_ACCESS(1)
GPUCI_ACCESS(2)
GPUCI_ACCESS(4)
GPUCI_ACCESS(8)
GPUCI_ACCESS(16)

void __tsan_read_range(void *p, std::size_t n) { shadow::touch<false>(p, n, GPUCI_PC); }
void __tsan_write_range(void *p, std::size_t n) {
  rangeAt = p, rangeSize = n, rangeBy = gpuci_self;
  shadow::touch<true>(p, n, GPUCI_PC);
}

void __tsan_init() {}
void __tsan_func_entry(void *) {}
void __tsan_func_exit() {}
void __tsan_vptr_update(void **, void *) {}
void __tsan_vptr_read(void **) {}

// The kernels are linked with --wrap; newer Clang has names of its own.
void *__wrap_memcpy(void *to, const void *from, std::size_t n) {
  copied(to, from, n, GPUCI_PC);
  return std::memcpy(to, from, n);
}
void *__wrap_memmove(void *to, const void *from, std::size_t n) {
  copied(to, from, n, GPUCI_PC);
  return std::memmove(to, from, n);
}
void *__wrap_memset(void *to, int c, std::size_t n) {
  copied(to, nullptr, n, GPUCI_PC);
  return std::memset(to, c, n);
}
void *__tsan_memcpy(void *to, const void *from, std::size_t n) {
  copied(to, from, n, GPUCI_PC);
  return std::memcpy(to, from, n);
}
void *__tsan_memmove(void *to, const void *from, std::size_t n) {
  copied(to, from, n, GPUCI_PC);
  return std::memmove(to, from, n);
}
void *__tsan_memset(void *to, int c, std::size_t n) {
  copied(to, nullptr, n, GPUCI_PC);
  return std::memset(to, c, n);
}
}

#undef GPUCI_ACCESS
#undef GPUCI_PC
