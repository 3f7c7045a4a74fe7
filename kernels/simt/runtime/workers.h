// The workers: threads of the host, each running one block at a time.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <pthread.h>
#include <vector>

#include "block.h"
#include "crash.h"
#include "job.h"

class Workers {
public:
  Workers(unsigned n, std::uint64_t order, std::uint64_t limit, Findings &findings)
      : order(order), limit(limit), findings(findings), own(findings) {
    crash::watch();
    all.push_back(pthread_self());
    if (limit) spawn([](void *w) -> void * { return static_cast<Workers *>(w)->wait(), nullptr; });
    for (unsigned i = 1; i < n; i++) {
      all.push_back(spawn([](void *w) -> void * { return static_cast<Workers *>(w)->serve(), nullptr; }));
      others++;
    }
  }

  // run runs all blocks of a launch. It returns false when one stands still.
  bool run(const Launch &l, std::uint64_t number) {
    launch = &l, seed = order ? order * 0x9e3779b97f4a7c15u + number : 0;
    count = std::uint64_t(l.blocks.x) * l.blocks.y * l.blocks.z, taken = 0;
    begun();
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
  pthread_t spawn(void *(*f)(void *)) {
    pthread_attr_t a;
    pthread_attr_init(&a);
    pthread_attr_setstacksize(&a, 4 << 20); // the thread local segment lies in it
    pthread_t id;
    if (pthread_create(&id, &a, f, this)) refuse("start worker: no more threads");
    return id;
  }

  void begun() {
    std::lock_guard<std::mutex> hold(timeLock);
    launches++;
    next.notify_one();
  }

  // wait ends the process when a launch takes too long, as one does in which a thread
  // waits in a loop for another: that one never runs. The first worker that is still in a
  // kernel says where.
  void wait() {
    std::unique_lock<std::mutex> hold(timeLock);
    for (std::uint64_t seen = 0;;) {
      next.wait(hold, [&] { return launches != seen; });
      seen = launches;
      if (next.wait_for(hold, std::chrono::milliseconds(limit), [&] { return launches != seen; })) continue;
      for (pthread_t id : all) {
        if (pthread_kill(id, SIGALRM) == 0) usleep(200000); // whoever is in no kernel lives on
      }
    }
  }

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
#ifndef GPUCI_CHECK
    if (const void *at = block.shared.trampled()) {
      std::lock_guard<std::mutex> hold(findings.lock);
      Finding *found = findings.seen("out-of-bounds", "", launch, nullptr);
      if (found) found->memory = block.shared.describe(at);
    }
#endif
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

  std::uint64_t order, limit, launches = 0, seed = 0, count = 0, turn = 0;
  const Launch *launch = nullptr;
  std::atomic<std::uint64_t> taken{0};
  std::atomic<bool> stuck{false};
  unsigned others = 0, busy = 0;
  std::mutex lock;
  std::condition_variable start, done, next;
  std::mutex timeLock;
  std::vector<pthread_t> all; // the workers
  Findings &findings;
  Block own;
};
