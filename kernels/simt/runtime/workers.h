// The workers: threads of the host, each running one block at a time.
#pragma once

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <pthread.h>
#include <vector>

#include "block.h"
#include "crash.h"
#include "job.h"

class Workers {
public:
  Workers(unsigned n, std::uint64_t order, Findings &findings) : order(order), findings(findings), own(findings) {
    crash::watch();
    for (unsigned i = 1; i < n; i++) {
      pthread_attr_t a;
      pthread_attr_init(&a);
      pthread_attr_setstacksize(&a, 2 << 20); // the thread local segment lies in it
      pthread_t id;
      if (pthread_create(&id, &a, [](void *w) -> void * { return static_cast<Workers *>(w)->serve(), nullptr; }, this)) {
        refuse("start worker: no more threads");
      }
      others++;
    }
  }

  // run runs all blocks of a launch. It returns false when one stands still.
  bool run(const Launch &l, std::uint64_t number) {
    launch = &l, seed = order ? order * 0x9e3779b97f4a7c15u + number : 0;
    count = std::uint64_t(l.blocks.x) * l.blocks.y * l.blocks.z, taken = 0;
    if (others == 0 || count == 1) {
      work(own);
      return !stuck;
    }
    {
      std::lock_guard<std::mutex> hold(lock);
      busy = others, turn++;
    }
    start.notify_all();
    work(own);
    std::unique_lock<std::mutex> hold(lock);
    done.wait(hold, [&] { return busy == 0; });
    return !stuck;
  }

  const char *base() const { return own.shared.base; }

private:
  // work takes blocks until none is left. With an order the blocks go round from any
  // one of them, up or down.
  void work(Block &block) {
    Random r{seed};
    std::uint64_t shift = seed ? r.next() % count : 0;
    bool down = seed && (r.next() & 1);
    const dim3 &d = launch->blocks;
    for (std::uint64_t i; !stuck && (i = taken++) < count;) {
      i = (i + shift) % count;
      if (down) i = count - 1 - i;
      uint3 place = {unsigned(i % d.x), unsigned(i / d.x % d.y), unsigned(i / d.x / d.y)};
      std::uint64_t s = seed ? Random{seed ^ (i + 1) * 0xd1342543de82ef95u}.next() | 1 : 0;
      if (!block.run(*launch, place, s)) stuck = true;
    }
  }

  void serve() {
    crash::watch();
    Block block(findings);
    for (std::uint64_t seen = 0;;) {
      {
        std::unique_lock<std::mutex> hold(lock);
        start.wait(hold, [&] { return turn != seen; });
        seen = turn;
      }
      work(block);
      std::lock_guard<std::mutex> hold(lock);
      if (--busy == 0) done.notify_one();
    }
  }

  std::uint64_t order, seed = 0, count = 0, turn = 0;
  const Launch *launch = nullptr;
  std::atomic<std::uint64_t> taken{0};
  std::atomic<bool> stuck{false};
  unsigned others = 0, busy = 0;
  std::mutex lock;
  std::condition_variable start, done;
  Findings &findings;
  Block own;
};
