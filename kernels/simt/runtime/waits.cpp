// What a block tells of threads that wait, and of whose stack is whose.
#include "block.h"

#include "job.h"

Spot Block::spot(const Fiber &f, unsigned n) const {
  return {where.block, f.here.thread, f.site, f.waits, n};
}

// divergent tells of two threads that wait at different places for each other, or of
// one that its own mask does not name.
void Block::divergent(const char *kind, const Fiber &f, const Fiber &other) {
  std::lock_guard<std::mutex> hold(findings.lock);
  if (Finding *found = findings.seen(kind, launch->kernel, f.site, other.site)) {
    found->spots.push_back(spot(f, 1));
    if (&f != &other) found->spots.push_back(spot(other, 1));
  }
}

// absent tells of a lane that asked for the value of one that does not take part.
void Block::absent(const Fiber &f) {
  std::lock_guard<std::mutex> hold(findings.lock);
  Finding *found = findings.seen("uninitialised", launch->kernel, f.site, nullptr);
  if (!found) return;
  found->memory = "lane[" + std::to_string(f.from) + "]";
  found->spots.push_back(spot(f, 1));
}

const Fiber *Block::owner(const void *p) const {
  for (unsigned i = 0; i < threads; i++) {
    if (fibers[i].stack.holds(p)) return &fibers[i];
  }
  return nullptr;
}

// standstill tells of threads that wait for what does not come: the first thread of
// each place, and how many stand there.
void Block::standstill() {
  stuck = true;
  std::lock_guard<std::mutex> hold(findings.lock);
  Finding *found = findings.seen("deadlock", launch->kernel, nullptr, nullptr);
  if (!found) return;
  for (unsigned i = 0; i < threads; i++) {
    const Fiber &f = fibers[i];
    if (f.done) continue;
    bool known = false;
    for (Spot &s : found->spots) {
      if (s.pc != f.site) continue;
      s.threads++, known = true;
      break;
    }
    if (!known) found->spots.push_back(spot(f, 1));
  }
}
