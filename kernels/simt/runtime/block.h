// A block: its threads as fibers, its barriers, and who runs next.
#pragma once

#include <cstdint>
#include <vector>

#include "fiber.h"
#include "findings.h"
#include "memory.h"
#include "shadow.h"
#include "shared.h"

struct Launch;

// Random is splitmix64 (Steele, Lea, Flood 2014).
struct Random {
  std::uint64_t state;
  std::uint64_t next() {
    std::uint64_t z = state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  // shuffle puts n things into any order, each as likely.
  template <class T>
  void shuffle(T *things, unsigned n) {
    for (unsigned i = n; i > 1; i--) {
      unsigned j = unsigned((next() >> 32) * i >> 32);
      T t = things[i - 1];
      things[i - 1] = things[j], things[j] = t;
    }
  }
};

struct Fiber {
  gpuci_here here; // first: kernels see the fiber by it
  Stack stack;
  unsigned index;
  bool done;
  const char *waits; // for what; nullptr when it can run
  const void *site;  // where it waits
  std::uint64_t path; // at a barrier: which, and in Check by which calls
  unsigned id;        // the barrier's number in the source
  unsigned mask, bits, result;
  gpuci_mode mode;
  int from; // the lane that it wants the value of
};

// Warp is which of its lanes have not returned, and which wait for other lanes.
struct Warp {
  unsigned live, waiting;
};

class Block {
public:
  explicit Block(Findings &findings) : findings(findings) {}

  // run runs one block to its end. It returns false for one that stands still.
  bool run(const Launch &launch, uint3 place, std::uint64_t seed);

  void barrier(unsigned id, const void *site, const void *frame);
  unsigned meet(const char *what, gpuci_mode mode, unsigned mask, unsigned bits, int from, const void *site);
  bool running() const { return live > 0 && !stuck; }
  void leave(); // of a thread that has returned; does not come back

  static Fiber &self() { return *reinterpret_cast<Fiber *>(const_cast<gpuci_here *>(gpuci_self)); }
  // owner is the thread whose stack an address is of; nullptr for none.
  const Fiber *owner(const void *p) const;

  static Block &now() { return *current; }
  static __thread Block *current;

  const Launch *launch = nullptr;
  gpuci_where where{};
  Shared shared;
  Stack main;

private:
  void begin(unsigned threads);
  void queue(Fiber *f) { ring[tail++ % capacity] = f; }
  Fiber *next();
  void release();
  void standstill();
  void giveWay(Fiber &f, bool forgood);
  bool complete(const Warp &w, const Fiber &f) const;
  void exchange(Warp &w, unsigned first, unsigned lanes, bool ordering);
  void divergent(const char *kind, const Fiber &f, const Fiber &other);
  void absent(const Fiber &f);
  Spot spot(const Fiber &f, unsigned threads) const;

  static constexpr unsigned capacity = 1024;
  std::vector<Fiber> fibers;
  Warp warps[capacity / 32];
  Fiber *ring[capacity];
  unsigned head = 0, tail = 0;
  unsigned threads = 0, live = 0, waiting = 0;
  Fiber *first = nullptr; // of those at the barrier
  std::uint64_t seed = 0;
  Random random{};
  bool stuck = false;
  Findings &findings;
};
