#include "block.h"

#include "job.h"

__thread Block *Block::current;

// body is where every fiber begins.
static void body() {
  Block &block = Block::now();
  arrive(Block::self().stack, block.main.bottom ? nullptr : &block.main);
  block.launch->entry->call(const_cast<void **>(block.launch->args.data()));
  block.leave();
}

bool Block::run(const Launch &l, uint3 place, std::uint64_t s) {
  launch = &l;
  where = {place, l.threads, l.blocks};
  seed = s, random.state = s;
  current = this;
  gpuci_place = &where;
  shared.begin(l.shared);
  begin(l.threads.x * l.threads.y * l.threads.z);
  Fiber *to = next();
  gpuci_self = &to->here;
  change(main, to->stack);
  return !stuck;
}

// begin makes the threads, each to run from its first instruction.
void Block::begin(unsigned n) {
  if (fibers.size() < n) {
    std::size_t old = fibers.size();
    fibers.resize(n);
    for (std::size_t i = old; i < n; i++) fibers[i].stack.allocate();
  }
  threads = live = n, waiting = 0, head = tail = 0, first = nullptr;
  const dim3 &d = where.threads;
  for (unsigned i = 0; i < n; i++) {
    Fiber &f = fibers[i];
    f.here = {{i % d.x, i / d.x % d.y, i / (d.x * d.y)}, i % 32};
    f.index = i, f.done = false, f.waits = nullptr;
    f.stack.prepare(body, i);
  }
  for (unsigned w = 0; w * 32 < n; w++) {
    unsigned lanes = n - w * 32;
    warps[w] = {lanes >= 32 ? ~0u : (1u << lanes) - 1, 0};
  }
  shadow::block(where.block, shared, n);
  release();
}

// release lets all threads run that have not returned, in the order of this interval.
void Block::release() {
  for (unsigned i = 0; i < threads; i++) {
    if (fibers[i].done) continue;
    fibers[i].waits = nullptr;
    queue(&fibers[i]);
  }
  if (seed) random.shuffle(ring + head % capacity, tail - head);
  waiting = 0, first = nullptr;
  shadow::interval();
}

// next is the thread to run now; nullptr when the block is at its end, or stuck.
Fiber *Block::next() {
  if (head == tail) {
    if (live == 0) return nullptr;
    if (waiting != live) {
      standstill();
      return nullptr;
    }
    head = tail = 0;
    release();
  }
  return ring[head++ % capacity];
}

void Block::giveWay(Fiber &f, bool forgood) {
  Fiber *to = next();
  if (to == &f) return;
  if (!to) {
    change(f.stack, main, forgood);
    return;
  }
  gpuci_self = &to->here;
  if (tail - head > 1) __builtin_prefetch(ring[(head + 1) % capacity]->stack.at);
  if (tail - head > 3) __builtin_prefetch(&ring[(head + 3) % capacity]->stack.at);
  change(f.stack, to->stack, forgood);
}

void Block::barrier(const void *site) {
  Fiber &f = self();
  f.waits = "barrier", f.site = site;
  if (!first) first = &f;
  else if (first->site != site) divergent(f, *first);
  waiting++;
  giveWay(f, false);
}

void Block::leave() {
  Fiber &f = self();
  f.done = true;
  live--;
  Warp &w = warps[f.index / 32];
  w.live &= ~(1u << f.here.lane);
  for (unsigned lanes = w.waiting; lanes; lanes &= lanes - 1) {
    unsigned lane = unsigned(__builtin_ctz(lanes));
    Fiber &other = fibers[f.index / 32 * 32 + lane];
    if ((w.waiting >> lane & 1) && complete(w, other)) exchange(w, f.index / 32 * 32, other.mask & w.live, other.from < 0);
  }
  giveWay(f, true);
}

// meet waits for the lanes of the mask; from is the lane whose value is wanted, -1
// for __syncwarp, which wants none but orders memory (a shuffle does not).
unsigned Block::meet(const char *what, unsigned mask, unsigned bits, int from, const void *site) {
  Fiber &f = self();
  Warp &w = warps[f.index / 32];
  f.waits = what, f.site = site, f.bits = bits, f.from = from;
  if (!(mask >> f.here.lane & 1)) divergent(f, f);
  f.mask = mask | 1u << f.here.lane;
  w.waiting |= 1u << f.here.lane;
  if (complete(w, f)) exchange(w, f.index / 32 * 32, f.mask & w.live, from < 0);
  giveWay(f, false);
  return f.result;
}

// complete says whether all lanes that f waits for have come. Those that returned
// are not waited for.
bool Block::complete(const Warp &w, const Fiber &f) const {
  unsigned lanes = f.mask & w.live;
  if ((w.waiting & lanes) != lanes) return false;
  for (unsigned left = lanes; left; left &= left - 1) {
    const Fiber &other = fibers[f.index / 32 * 32 + unsigned(__builtin_ctz(left))];
    if ((other.mask & w.live) != lanes || (other.from < 0) != (f.from < 0)) return false;
  }
  return true;
}

// exchange gives each lane what it asked for and lets them run. A lane that is not
// among them has no value: NaN.
void Block::exchange(Warp &w, unsigned base, unsigned lanes, bool ordering) {
  Fiber *list[32];
  unsigned n = 0;
  for (unsigned left = lanes; left; left &= left - 1) list[n++] = &fibers[base + unsigned(__builtin_ctz(left))];
  for (unsigned i = 0; i < n; i++) {
    int from = list[i]->from;
    list[i]->result = from >= 0 && (lanes >> from & 1) ? fibers[base + unsigned(from)].bits : sharedBits;
    list[i]->waits = nullptr;
  }
  w.waiting &= ~lanes;
  if (ordering) shadow::syncwarp(base / 32, lanes);
  if (seed) random.shuffle(list, n);
  for (unsigned i = 0; i < n; i++) queue(list[i]);
}

Spot Block::spot(const Fiber &f, unsigned n) const {
  return {where.block, f.here.thread, f.site, f.waits, n};
}

// divergent tells of two threads that wait at different places for each other, or of
// one that its own mask does not name.
void Block::divergent(const Fiber &f, const Fiber &other) {
  std::lock_guard<std::mutex> hold(findings.lock);
  if (Finding *found = findings.seen("divergent-barrier", launch->kernel, f.site, other.site)) {
    found->spots.push_back(spot(f, 1));
    if (&f != &other) found->spots.push_back(spot(other, 1));
  }
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

// What kernels call.

extern "C" {
__thread const gpuci_here *gpuci_self;
__thread const gpuci_where *gpuci_place;

void gpuci_syncthreads() { Block::now().barrier(__builtin_return_address(0)); }

void gpuci_syncwarp(unsigned mask) { Block::now().meet("syncwarp", mask, 0, -1, __builtin_return_address(0)); }

unsigned gpuci_shuffle(unsigned mask, unsigned bits, int from) {
  return Block::now().meet("shuffle", mask, bits, from & 31, __builtin_return_address(0));
}
}
