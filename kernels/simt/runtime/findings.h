// What was seen to be wrong, once for each kind and place.
#pragma once

#include <cstdint>
#include <cstdio>
#include <map>
#include <mutex>
#include <string>
#include <tuple>
#include <vector>

#include "threads.h"

// Spot is a thread at a place. pc is the address that a call from there returns to.
struct Spot {
  uint3 block, thread;
  const void *pc;
  const char *what;  // read, write, barrier, syncwarp, shuffle
  unsigned threads;  // how many stand there
};

struct Finding {
  const char *kind;
  std::string kernel, memory;
  std::uint64_t count;
  std::vector<Spot> spots;
};

class Findings {
public:
  // seen counts one more, and gives the finding to be filled in when it is the first
  // of its kind, kernel and places. Whoever asks holds the lock.
  Finding *seen(const char *kind, const std::string &kernel, const void *at, const void *other) {
    auto [where, fresh] = index.try_emplace({kind, kernel, at, other}, list.size());
    if (!fresh) {
      list[where->second].count++;
      return nullptr;
    }
    list.push_back({kind, kernel, "", 1, {}});
    return &list.back();
  }

  // write prints one line each; places are relative to base, where the kernels lie.
  void write(std::FILE *to, const char *base) const {
    for (const Finding &f : list) {
      std::fprintf(to, "finding %s %s %llu %s", f.kind, f.kernel.empty() ? "-" : f.kernel.c_str(),
                   static_cast<unsigned long long>(f.count), f.memory.empty() ? "-" : f.memory.c_str());
      for (const Spot &s : f.spots) {
        std::fprintf(to, " %u,%u,%u:%u,%u,%u:%llx:%s:%u", s.block.x, s.block.y, s.block.z, s.thread.x, s.thread.y,
                     s.thread.z, s.pc ? static_cast<unsigned long long>(static_cast<const char *>(s.pc) - base) : 0ull,
                     s.what, s.threads);
      }
      std::fputc('\n', to);
    }
  }

  std::mutex lock;

private:
  std::map<std::tuple<std::string, std::string, const void *, const void *>, std::size_t> index;
  std::vector<Finding> list;
};
