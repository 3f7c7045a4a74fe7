// Which accesses of the lanes of a warp a __syncwarp has ordered: vector clocks (Mattern
// 1989) of 32 entries, of which a full __syncwarp needs none.
#pragma once

#include <cstdint>
#include <cstring>

class Clock {
public:
  void reset(unsigned all) {
    lanes = all, time = full = 1;
    for (std::uint32_t &s : stamps) s = 1;
    if (partial) std::memset(seen, 0, sizeof seen);
    partial = false;
  }

  // sync orders all before it with all after it, among the lanes.
  void sync(unsigned among) {
    time++;
    if (among == lanes) {
      full = time;
    } else {
      partial = true;
      join(among);
    }
    for (unsigned left = among; left; left &= left - 1) stamps[__builtin_ctz(left)] = time;
  }

  // stamp goes with each access of a lane.
  std::uint32_t stamp(unsigned lane) const { return stamps[lane]; }

  // before says whether an access with the stamp of a lane is ordered before what
  // another lane does now.
  bool before(unsigned lane, std::uint32_t stamp, unsigned now) const {
    return stamp < full || (partial && seen[now][lane] >= stamp);
  }

private:
  void join(unsigned among) {
    std::uint32_t all[32] = {};
    for (unsigned left = among; left; left &= left - 1) {
      unsigned lane = unsigned(__builtin_ctz(left));
      for (unsigned i = 0; i < 32; i++) all[i] = all[i] > seen[lane][i] ? all[i] : seen[lane][i];
      all[lane] = all[lane] > stamps[lane] ? all[lane] : stamps[lane];
    }
    for (unsigned left = among; left; left &= left - 1) std::memcpy(seen[__builtin_ctz(left)], all, sizeof all);
  }

  unsigned lanes = 0;
  std::uint32_t time = 0, full = 0, stamps[32], seen[32][32];
  bool partial = true;
};
