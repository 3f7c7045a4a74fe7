// The entries of a source file by name, and how to call one with a void**, as
// cuLaunchKernel does.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

namespace gpuci {

// Entry is a kernel. kinds has a letter for each parameter: p is a pointer to float,
// i an int or unsigned, f a float.
struct Entry {
  Entry(const char *name, void (*call)(void **), const char *kinds, unsigned bound = 0);
  const char *name;
  void (*call)(void **);
  const char *kinds;
  unsigned bound; // threads of a block, from __launch_bounds__; 0: not said
  Entry *next;
};

template <class P>
constexpr char kind() {
  constexpr bool pointer = std::is_same_v<P, float *> || std::is_same_v<P, const float *>;
  constexpr bool whole = std::is_same_v<P, int> || std::is_same_v<P, unsigned>;
  static_assert(pointer || whole || std::is_same_v<P, float>,
                "gpuci simt: a kernel's parameters are float *, const float *, int, unsigned or float");
  return pointer ? 'p' : whole ? 'i' : 'f';
}

template <auto F>
struct Thunk;

template <class... P, void (*F)(P...)>
struct Thunk<F> {
  static constexpr char kinds[] = {kind<P>()..., 0};
  static void call(void **args) { call(args, std::index_sequence_for<P...>()); }
  template <std::size_t... I>
  static void call([[maybe_unused]] void **args, std::index_sequence<I...>) {
    F(*static_cast<P *>(args[I])...);
  }
};

} // namespace gpuci
