#include "block.h"

#include "job.h"

__thread Block *Block::current;

#ifdef GPUCI_CHECK
static constexpr bool checking = true;
#else
static constexpr bool checking = false;
#endif

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
  shadow::change();
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

// path names a barrier and, where frames are kept, the calls that led to it: in Check
// the compilers copy no call, so that two paths are two places of the source. (A frame
// begins with the address of its caller's and the one to return to, on x86-64 as on
// aarch64; the first has none.)
static std::uint64_t path(unsigned id, [[maybe_unused]] const void *site, [[maybe_unused]] const void *frame) {
  std::uint64_t all = id + 1;
#ifdef GPUCI_CHECK
  for (auto *f = static_cast<const void *const *>(frame); f; f = static_cast<const void *const *>(f[0])) {
    all = (all ^ reinterpret_cast<std::uintptr_t>(f[1])) * 0x9e3779b97f4a7c15u;
  }
#else
  all = all << 48 ^ reinterpret_cast<std::uintptr_t>(site);
#endif
  return all;
}

void Block::barrier(unsigned id, const void *site, const void *frame) {
  Fiber &f = self();
  f.waits = "barrier", f.site = site, f.id = id, f.path = path(id, site, frame);
  if (!first) first = &f;
  else if (first->path != f.path) divergent(first->id == id && !checking ? "copied-barrier" : "divergent-barrier", f, *first);
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
unsigned Block::meet(const char *what, gpuci_mode mode, unsigned mask, unsigned bits, int from, const void *site) {
  Fiber &f = self();
  Warp &w = warps[f.index / 32];
  f.waits = what, f.mode = mode, f.site = site, f.bits = bits, f.from = from;
  if (!(mask >> f.here.lane & 1)) divergent("divergent-barrier", f, f);
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
// among them has no value: NaN. Lanes must have come for the same kind of shuffle,
// wherever in the source it stands (PTX ISA, shfl.sync: "with the same qualifiers").
void Block::exchange(Warp &w, unsigned base, unsigned lanes, bool ordering) {
  Fiber *list[32];
  unsigned n = 0;
  for (unsigned left = lanes; left; left &= left - 1) list[n++] = &fibers[base + unsigned(__builtin_ctz(left))];
  for (unsigned i = 0; i < n; i++) {
    int from = list[i]->from;
    if (from >= 0 && list[i]->mode != list[0]->mode) divergent("divergent-barrier", *list[i], *list[0]);
    if (from >= 0 && !(lanes >> from & 1)) absent(*list[i]);
    list[i]->result = from >= 0 && (lanes >> from & 1) ? fibers[base + unsigned(from)].bits : sharedBits;
    list[i]->waits = nullptr;
  }
  w.waiting &= ~lanes;
  if (ordering) shadow::syncwarp(base / 32, lanes);
  if (seed) random.shuffle(list, n);
  for (unsigned i = 0; i < n; i++) queue(list[i]);
}

// What kernels call.

extern "C" {
__thread const gpuci_here *gpuci_self;
__thread const gpuci_where *gpuci_place;

void gpuci_syncthreads(unsigned id) {
  Block::now().barrier(id, __builtin_return_address(0), __builtin_frame_address(0));
}

void gpuci_syncwarp(unsigned mask) { Block::now().meet("syncwarp", gpuci_lane, mask, 0, -1, __builtin_return_address(0)); }

unsigned gpuci_shuffle(gpuci_mode mode, unsigned mask, unsigned bits, int from) {
  return Block::now().meet("shuffle", mode, mask, bits, from & 31, __builtin_return_address(0));
}
}
