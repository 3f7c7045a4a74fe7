// What an access is to, and whether it may be. A part of shadow.cpp.
#pragma once

namespace shadow {

// Rules are what holds in a kind of memory.
struct Rules {
  bool given; // it has had values from the beginning
  bool once;  // it is to be written once in a launch
  bool fixed; // it is not to be written
  bool block; // it is the block's own
};

// look is an access to memory that has a shadow.
template <bool writes>
static void look(Region &region, std::size_t at, std::size_t size, Access me, Rules rules) {
  std::uint32_t since = rules.block ? blockBegan : launchBegan;
  if (writes && rules.fixed) tell("rewritten", region.at + at, me, true, nullptr, false);
  for (std::size_t from = at, end = at + size; at < end;) {
    std::size_t word = at / 4, next = std::min(end, word * 4 + 4);
    Cell *cell = &region.cells[word];
    std::size_t n = 1;
    if (next - at < 4 || cell->writer.split) cell = region.bytes(word) + at % 4, n = next - at;
    for (std::size_t i = 0; i < n; i++) {
      char *p = region.at + at + i;
      if constexpr (writes) write(cell[i], p, me, rules.once, since);
      else read(cell[i], p, me, rules.given || padding.has(size, at + i - from), since, rules.block);
    }
    at = next;
  }
}

// elsewhere is an access to what has no shadow: the thread's own stack, what the runner
// has for it, or constants. Else it is to nothing that the kernel may touch.
static bool elsewhere(const char *p, std::size_t size, bool writes) {
  auto within = [&](const void *from, std::size_t bytes) {
    std::size_t d = std::size_t(p - static_cast<const char *>(from));
    return d < bytes && size <= bytes - d;
  };
  const Fiber &self = Block::self();
  if (within(self.stack.base, Stack::size)) return true;
  if (writes) return false;
  return within(gpuci_self, sizeof *gpuci_self) || within(gpuci_place, sizeof *gpuci_place) ||
         within(&gpuci_self, sizeof gpuci_self) || within(&gpuci_place, sizeof gpuci_place) ||
         within(now->args.data(), now->args.size() * sizeof(void *)) ||
         within(now->values.data(), now->values.size() * sizeof now->values[0]) ||
         within(local->base, std::size_t(local->end - local->base));
}

// visit is an access that tells something new, or is to what has no shadow.
template <bool writes>
__attribute__((noinline)) static void visit(const char *at, std::size_t size, const void *from) {
  Region *region = nullptr;
  Rules rules{};
  bool inside = true;
  if (const Buffer *b = memory->of(at)) {
    region = &globals[std::size_t(b - memory->buffers.data())];
    std::size_t d = region->offset(at);
    inside = d < region->size && size <= region->size - d;
    rules = {b->given, b->output, b->input, false};
  } else if (local->holds(at)) {
    region = &shared, rules.block = true;
    std::size_t d = std::size_t(at - local->dynamic);
    inside = local->guarded(at) ? d < now->shared && size <= now->shared - d : !local->guarded(at + size - 1);
  } else if (at >= local->data && at + size <= local->dataEnd) {
    region = &device, rules.given = true;
  } else {
    if (elsewhere(at, size, writes)) return;
    inside = false;
  }
  unsigned thread = Block::self().index;
  Access me{epoch, std::uint32_t(static_cast<const char *>(from) - local->base), clocks[thread / 32].stamp(thread % 32),
            std::uint16_t(thread), false};
  if (inside) look<writes>(*region, region->offset(at), size, me, rules);
  else tell("out-of-bounds", at, me, writes, nullptr, false);
}

// touch is every access that the compiler tells of. Most are reads of what others have
// read already, or of the thread's own stack. (What is known is inside.)
template <bool writes>
static inline void touch(const void *p, std::size_t size, const void *from) {
  auto *at = static_cast<const char *>(p);
  const Fiber &self = Block::self();
  if (!writes && size == 4 && std::uintptr_t(p) % 4 == 0) {
    const Region *region = &shared;
    std::size_t d = shared.offset(p);
    if (d >= shared.size) {
      std::size_t slot = std::size_t(at - arena) >> shift;
      region = slot < globals.size() ? &globals[slot] : nullptr;
      d = region ? region->offset(p) : 0;
    }
    if (region && d < region->size && known(region->cells[d / 4], self.index, clocks[self.index / 32].stamp(self.index % 32))) return;
    if (!region && (at == reinterpret_cast<const char *>(&self) || std::size_t(at - reinterpret_cast<const char *>(gpuci_place)) < sizeof(gpuci_where))) return;
  } else if (at == reinterpret_cast<const char *>(&gpuci_self)) {
    return;
  }
  if (std::size_t(at - self.stack.base) < Stack::size - size) return;
  visit<writes>(at, size, from);
}

// beyond is an index that is not one of an array.
static void beyond(const void *from) {
  Access me{epoch, std::uint32_t(static_cast<const char *>(from) - local->base), 0, std::uint16_t(Block::self().index), false};
  std::lock_guard<std::mutex> hold(findings->lock);
  if (Finding *f = findings->seen("out-of-bounds", now->kernel, from, "index")) f->spots.push_back(spotOf(me, "index"));
}

} // namespace shadow
