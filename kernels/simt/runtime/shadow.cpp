#ifdef GPUCI_CHECK

#include "shadow.h"

#include <algorithm>
#include <vector>

#include "block.h"
#include "cell.h"
#include "job.h"

namespace shadow {
namespace {

Findings *findings;
const Memory *memory;
const Shared *local;
Region global, shared;
std::vector<std::uint16_t> owners; // of each 256 bytes of global memory: the buffer's number, from 1
const ::Launch *now;
std::vector<std::pair<std::uint32_t, uint3>> blocks; // of the launch: first epoch and place

Spot spotOf(const Access &a, const char *what) {
  auto of = std::upper_bound(blocks.begin(), blocks.end(), a.epoch,
                             [](std::uint32_t e, const auto &b) { return e < b.first; });
  const dim3 &d = now->threads;
  unsigned i = a.thread;
  return {of == blocks.begin() ? uint3{} : (of - 1)->second, {i % d.x, i / d.x % d.y, i / (d.x * d.y)},
          a.pc ? local->base + a.pc : nullptr, what, 1};
}

void tell(const char *kind, const void *p, const Access &me, bool write, const Access *other, bool wrote) {
  std::lock_guard<std::mutex> hold(findings->lock);
  Finding *f = findings->seen(kind, now->kernel, reinterpret_cast<const void *>(std::uintptr_t(me.pc)),
                              other ? reinterpret_cast<const void *>(std::uintptr_t(other->pc)) : nullptr);
  if (!f) return;
  f->memory = local->holds(p) ? local->describe(p) : memory->describe(p);
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
  if (once && !told && c.writer.epoch >= since && (c.writer.bytes & me.bytes)) tell("rewritten", p, me, true, &c.writer, true);
  std::uint8_t before = c.writer.epoch == me.epoch && c.writer.thread == me.thread ? c.writer.bytes : 0;
  c.writer = me;
  c.writer.bytes |= before;
  c.reader.epoch = c.second.epoch = c.earlier.epoch = 0;
}

} // namespace

void begin(Findings &f, const Memory &m) {
  findings = &f, memory = &m;
  global.cover(m.arena, m.size);
  owners.assign(m.size / 256 + 1, 0);
  for (std::size_t i = 0; i < m.buffers.size(); i++) {
    const Buffer &b = m.buffers[i];
    std::size_t from = global.offset(b.at) / 256, to = (global.offset(b.at) + b.count * 4 + 255) / 256;
    std::fill(owners.begin() + from, owners.begin() + to, std::uint16_t(i + 1));
  }
}

void launch(const ::Launch &l) {
  now = &l;
  launchBegan = epoch + 1;
  blocks.clear();
}

void block(uint3 place, const Shared &s, unsigned threads) {
  local = &s;
  if (!shared.cells) shared.cover(s.segment, s.size);
  blockBegan = epoch + 1;
  blocks.emplace_back(blockBegan, place);
  for (unsigned w = 0; w * 32 < threads; w++) clocks[w].reset(threads - w * 32 >= 32 ? ~0u : (1u << (threads - w * 32)) - 1);
}

void interval() { epoch++; }

void syncwarp(unsigned warp, unsigned lanes) { clocks[warp].sync(lanes); }

bool written(const float *element) { return global.cells[global.offset(element) / 4].writer.epoch != 0; }

// place says where an access is: the buffer, none for shared memory, and whether all
// of it is inside.
static bool place(const Region &region, std::size_t at, std::size_t size, const Buffer *&buffer) {
  if (&region == &shared) {
    std::size_t d = std::size_t(region.at + at - local->dynamic);
    return d >= dynamicSize || d + size <= now->shared;
  }
  unsigned owner = owners[at / 256];
  if (!owner) return false;
  buffer = &memory->buffers[owner - 1];
  return at + size <= global.offset(buffer->at) + buffer->count * 4;
}

// look is an access to memory that has a shadow.
template <bool writes>
static void look(Region &region, std::size_t at, std::size_t size, Access me) {
  const Buffer *buffer = nullptr;
  if (!place(region, at, size, buffer)) {
    tell("out-of-bounds", region.at + at, me, writes, nullptr, false);
    return;
  }
  std::uint32_t since = buffer ? launchBegan : blockBegan;
  for (std::size_t end = at + size; at < end;) {
    std::size_t word = at / 4, next = std::min(end, word * 4 + 4);
    me.bytes = std::uint8_t(((1u << (next - at)) - 1) << at % 4);
    if constexpr (writes) write(region.cells[word], region.at + at, me, buffer && buffer->output, since);
    else read(region.cells[word], region.at + at, me, buffer && buffer->given, since, !buffer);
    at = next;
  }
}

// touch is every access that the compiler tells of. What is neither global nor shared
// is the thread's own.
template <bool writes>
static inline void touch(const void *p, std::size_t size, const void *from) {
  Region *region = &global;
  std::size_t at = global.offset(p);
  if (at >= global.size) {
    region = &shared, at = shared.offset(p);
    if (at >= shared.size) return;
  }
  unsigned thread = Block::self().index;
  std::uint32_t stamp = clocks[thread / 32].stamp(thread % 32);
  if (!writes && size == 4 && at % 4 == 0 && known(region->cells[at / 4], thread, stamp)) return;
  std::uint32_t pc = std::uint32_t(static_cast<const char *>(from) - local->base);
  look<writes>(*region, at, size, {epoch, pc, stamp, std::uint16_t(thread), 15});
}

} // namespace shadow

#include "instrument.h"

#endif
