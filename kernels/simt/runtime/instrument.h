// The functions that a compiler calls before each access with -fsanitize=thread. Their
// names are those of ThreadSanitizer's library, which is not linked.
#pragma once

#include <cmath>

// copied is a copy or, without a source, a filling. That which stands right behind the
// telling of a structure's copy is that copy.
static void copied(void *to, const void *from, std::size_t n, const void *pc) {
  std::size_t far = std::size_t(static_cast<const char *>(pc) - rangeFrom);
  bool known = rangeAt == to && rangeSize == n && far < 64;
  rangeAt = nullptr;
  if (known || n == 0) return;
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
  rangeAt = p, rangeSize = n, rangeFrom = static_cast<const char *>(GPUCI_PC);
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

// What else of the library is given an address.
int __wrap_memcmp(const void *a, const void *b, std::size_t n) {
  if (n) shadow::touch<false>(a, n, GPUCI_PC), shadow::touch<false>(b, n, GPUCI_PC);
  return std::memcmp(a, b, n);
}
#define GPUCI_OUT(result, name, in, type, out)              \
  result __wrap_##name in {                                 \
    shadow::touch<true>(out, sizeof(type), GPUCI_PC);       \
    return name
GPUCI_OUT(float, modff, (float x, float *w), float, w)(x, w); }
GPUCI_OUT(double, modf, (double x, double *w), double, w)(x, w); }
GPUCI_OUT(float, frexpf, (float x, int *e), int, e)(x, e); }
GPUCI_OUT(double, frexp, (double x, int *e), int, e)(x, e); }
GPUCI_OUT(float, remquof, (float x, float y, int *q), int, q)(x, y, q); }
GPUCI_OUT(double, remquo, (double x, double y, int *q), int, q)(x, y, q); }
void __wrap_sincosf(float x, float *s, float *c) {
  shadow::touch<true>(s, 4, GPUCI_PC), shadow::touch<true>(c, 4, GPUCI_PC);
  *s = sinf(x), *c = cosf(x);
}
void __wrap_sincos(double x, double *s, double *c) {
  shadow::touch<true>(s, 8, GPUCI_PC), shadow::touch<true>(c, 8, GPUCI_PC);
  *s = sin(x), *c = cos(x);
}

// An index beyond the bound of an array, wherever the array is (-fsanitize=bounds).
void __ubsan_handle_out_of_bounds(void *, std::uintptr_t) { shadow::beyond(GPUCI_PC); }

// A conversion that devices saturate (-fsanitize=float-cast-overflow) ends the kernel
// here as it does in the other builds.
void __ubsan_handle_float_cast_overflow(void *, std::uintptr_t) { crash::end(SIGILL, GPUCI_PC); }
}

#undef GPUCI_OUT
#undef GPUCI_ACCESS
#undef GPUCI_PC
