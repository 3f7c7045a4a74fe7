// What is kept of a word, and what a new access to it tells.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <sys/mman.h>
#include <unordered_map>

#include "clock.h"
#include "refuse.h"

namespace shadow {
namespace {

// Access is one thread's at a word. Epochs number the barrier intervals of all blocks
// of all launches, in the order in which they run; 0 is never.
struct Access {
  std::uint32_t epoch, pc, stamp;
  std::uint16_t thread;
  bool split; // of a cell's writer: its bytes have cells of their own
};

// Cell is of one word: who wrote it last and who has read it since. Two readers of
// the interval are enough, where they are of two warps if any two are: whoever writes
// is another than one of them. earlier is a reader in an earlier block of the launch.
// From the first access to a part of it on, a word is four cells, of a byte each.
struct Cell {
  Access writer, reader, second, earlier;
};

struct Region {
  char *at = nullptr;
  std::size_t size = 0;
  Cell *cells = nullptr;

  void cover(char *from, std::size_t bytes) {
    at = from, size = bytes;
    void *p = mmap(nullptr, bytes / 4 * sizeof(Cell), PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED) refuse("keep shadow of " + std::to_string(bytes) + " bytes: not enough memory");
    cells = static_cast<Cell *>(p);
  }
  std::size_t offset(const void *p) const { return std::size_t(static_cast<const char *>(p) - at); }

  // bytes gives the cells of a word's bytes.
  Cell *bytes(std::size_t word) {
    Cell &c = cells[word];
    auto [where, fresh] = parts.try_emplace(word);
    if (fresh) {
      where->second.fill(c);
      c.writer.split = true;
      c.reader.epoch = c.second.epoch = 0; // nothing is known of the word by them
    }
    return where->second.data();
  }

private:
  std::unordered_map<std::size_t, std::array<Cell, 4>> parts;
};

// The running interval, and the first ones of its launch and its block.
std::uint32_t epoch, launchBegan, blockBegan;
Clock clocks[32]; // of each warp of the block

// ordered says whether an access of this launch comes before what me does, in every
// order of threads.
inline bool ordered(const Access &a, const Access &me) {
  if (a.epoch < blockBegan) return false; // of another block
  if (a.epoch != me.epoch || a.thread == me.thread) return true;
  unsigned warp = me.thread / 32;
  return a.thread / 32 == warp && clocks[warp].before(a.thread % 32, a.stamp, me.thread % 32);
}

inline bool races(const Access &a, const Access &me, std::uint32_t since) {
  return a.epoch >= since && !ordered(a, me);
}

// keep adds me to the readers.
void keep(Cell &c, const Access &me) {
  if (c.reader.epoch != me.epoch) { // the first in this interval
    if (c.reader.epoch >= launchBegan && c.reader.epoch < blockBegan && c.earlier.epoch < launchBegan) c.earlier = c.reader;
    c.reader = me, c.second.epoch = 0;
  } else if (ordered(c.reader, me)) {
    c.reader = me;
  } else if (c.second.epoch != me.epoch || ordered(c.second, me) ||
             (c.second.thread / 32 == c.reader.thread / 32 && me.thread / 32 != c.reader.thread / 32)) {
    c.second = me;
  }
}

// known says whether one more read of the whole word tells nothing new: two others
// have read it in this interval, and nobody has written it, as that would have made
// them forgotten. Who looks for a race with a reader finds one among the two.
inline bool known(const Cell &c, unsigned thread, std::uint32_t stamp) {
  const Access &a = c.reader, &b = c.second;
  if (a.epoch != epoch || c.writer.epoch == epoch) return false;
  if (a.thread == thread) return a.stamp == stamp;
  if (b.epoch != epoch) return false;
  if (a.thread / 32 != b.thread / 32) return true;
  return a.thread / 32 == thread / 32 && a.stamp == stamp && b.stamp == stamp;
}

} // namespace
} // namespace shadow
