#ifdef GPUCI_CHECK

#include "shadow.h"

#include <algorithm>
#include <cstdio>
#include <vector>

#include "block.h"
#include "cell.h"
#include "facts.h"
#include "job.h"

// What a structure copy has told of already is not told again by the memcpy that it
// becomes: the last range written, by the same thread, the call before.
static const void *rangeAt;
static std::size_t rangeSize;
static const char *rangeFrom;

namespace shadow {
namespace {

Findings *findings;
const Memory *memory;
const Shared *local;
std::vector<Region> globals; // of each buffer
const char *arena;           // of memory
unsigned shift;
Region shared, device;       // of the thread local segment; of the variables of the kernels
const ::Launch *now;
Padding padding;
std::vector<std::pair<std::uint32_t, uint3>> blocks; // of the launch: first epoch and place

Spot spotOf(const Access &a, const char *what) {
  auto of = std::upper_bound(blocks.begin(), blocks.end(), a.epoch,
                             [](std::uint32_t e, const auto &b) { return e < b.first; });
  const dim3 &d = now->threads;
  unsigned i = a.thread;
  return {of == blocks.begin() ? uint3{} : (of - 1)->second, {i % d.x, i / d.x % d.y, i / (d.x * d.y)},
          a.pc ? local->base + a.pc : nullptr, what, 1};
}

// named names an address: of which memory, and where in it.
std::string named(const void *p) {
  if (local->holds(p)) return local->describe(p);
  if (std::string name = memory->describe(p); !name.empty()) return name;
  auto *at = static_cast<const char *>(p);
  if (at >= local->base && at < local->end) return "device+" + std::to_string(at - local->base);
  if (const Fiber *owner = Block::now().owner(p)) {
    const uint3 &t = owner->here.thread;
    return "local(" + std::to_string(t.x) + "," + std::to_string(t.y) + "," + std::to_string(t.z) + ")";
  }
  char text[32];
  std::snprintf(text, sizeof text, "%p", p);
  return text;
}

void tell(const char *kind, const void *p, const Access &me, bool write, const Access *other, bool wrote) {
  std::lock_guard<std::mutex> hold(findings->lock);
  Finding *f = findings->seen(kind, now->kernel, reinterpret_cast<const void *>(std::uintptr_t(me.pc)),
                              other ? reinterpret_cast<const void *>(std::uintptr_t(other->pc)) : nullptr);
  if (!f) return;
  f->memory = named(p);
  f->spots.push_back(spotOf(me, write ? "write" : "read"));
  if (other) f->spots.push_back(spotOf(*other, wrote ? "write" : "read"));
}

void read(Cell &c, const void *p, const Access &me, bool given, std::uint32_t since, bool block) {
  if (!given && c.writer.epoch < (block ? blockBegan : 1)) tell("uninitialised", p, me, false, nullptr, false);
  if (races(c.writer, me, since)) tell("race", p, me, false, &c.writer, true);
  keep(c, me);
}

void write(Cell &c, const void *p, const Access &me, bool once, std::uint32_t since) {
  bool told = true;
  if (races(c.writer, me, since)) tell("race", p, me, true, &c.writer, true);
  else if (races(c.reader, me, since)) tell("race", p, me, true, &c.reader, false);
  else if (races(c.second, me, since)) tell("race", p, me, true, &c.second, false);
  else if (races(c.earlier, me, since)) tell("race", p, me, true, &c.earlier, false);
  else told = false;
  if (once && !told && c.writer.epoch >= since) tell("rewritten", p, me, true, &c.writer, true);
  c.writer = me;
  c.reader.epoch = c.second.epoch = c.earlier.epoch = 0;
}

} // namespace

void begin(Findings &f, const Memory &m) {
  findings = &f, memory = &m;
  globals.resize(m.buffers.size());
  for (std::size_t i = 0; i < m.buffers.size(); i++) {
    globals[i].cover(reinterpret_cast<char *>(m.buffers[i].at), m.buffers[i].count * 4);
  }
  arena = m.arena, shift = m.shift;
  padding.read();
}

void launch(const ::Launch &l) {
  now = &l;
  launchBegan = epoch + 1;
  blocks.clear();
}

void block(uint3 place, const Shared &s, unsigned threads) {
  local = &s;
  if (!shared.cells) shared.cover(s.segment, s.size);
  if (!device.cells) device.cover(s.data, std::size_t(s.dataEnd - s.data));
  blockBegan = epoch + 1;
  blocks.emplace_back(blockBegan, place);
  for (unsigned w = 0; w * 32 < threads; w++) clocks[w].reset(threads - w * 32 >= 32 ? ~0u : (1u << (threads - w * 32)) - 1);
}

void interval() { epoch++; }

void syncwarp(unsigned warp, unsigned lanes) { clocks[warp].sync(lanes); }

void change() { rangeAt = nullptr; }

bool written(const float *element) {
  const Buffer *b = memory->of(element);
  Region &region = globals[std::size_t(b - memory->buffers.data())];
  std::size_t word = region.offset(element) / 4;
  if (!region.cells[word].writer.split) return region.cells[word].writer.epoch != 0;
  const Cell *bytes = region.bytes(word);
  return std::all_of(bytes, bytes + 4, [](const Cell &c) { return c.writer.epoch != 0; });
}

} // namespace shadow

#include "touch.h"

#include "instrument.h"

#endif
