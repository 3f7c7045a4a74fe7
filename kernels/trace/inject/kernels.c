// Launches: a function with a grid, a block and its shared memory has one number.
#include "noted.h"
#include "record.h"

#include <stdio.h>
#include <string.h>

enum { SHAPE = 7, QUICK_BITS = 13, NUMBER_BITS = 24 };

// Quick finds the number of a launch that was seen before, whatever stands between: a word
// holds 40 bits of a hash and the number, its place has 13 bits more. One that is
// overwritten is found the long way, by its name.
static _Atomic uint64_t quick[1 << QUICK_BITS];
static _Atomic uint32_t loads; // how often something was unloaded: a handle may have come again

static inline uint64_t mix(uint64_t h, uint64_t v) {
	h = (h ^ v) * 0x9E3779B97F4A7C15u;
	return h ^ h >> 29;
}

static inline uint64_t hash(void *function, const unsigned *shape, uint32_t context) {
	uint64_t pair[3];
	memcpy(pair, shape, sizeof pair);
	uint64_t h = mix((uint64_t)function, pair[0]);
	h = mix(mix(h, pair[1]), pair[2]);
	h = mix(h, (uint64_t)shape[6] << 32 | context);
	return mix(h, atomic_load_explicit(&loads, memory_order_relaxed));
}

void kernels_unloaded(void) { atomic_fetch_add(&loads, 1); }

// card names the card of a context; 0: it is not known.
static int card(uint32_t context) {
	int device;
	char card[160], text[200];
	if (driver_device(&device)) return 0;
	driver_card(device, card, sizeof card);
	snprintf(text, sizeof text, "%u\t%d\t%s", context, device, card);
	return name_of('D', &context, sizeof context, text) != 0;
}

enum { CONTEXTS = 256 };
static _Atomic uint8_t seen[CONTEXTS]; // contexts whose card is named

// context_seen names the card of a context when something is asked for in it. Numbers of
// contexts are small; beyond these the first launch of each kernel does it.
void context_seen(uint32_t context) {
	if (context >= CONTEXTS || atomic_load_explicit(&seen[context], memory_order_relaxed)) return;
	if (card(context)) atomic_store_explicit(&seen[context], 1, memory_order_relaxed);
}

// named finds or gives the number by all that is told of a launch.
static uint32_t named(const CallbackData *d, void *function, const unsigned *s) {
	char text[6000];
	int n = snprintf(text, sizeof text, "%p\t%u,%u,%u\t%u,%u,%u\t%u\t%s", function, s[0], s[1], s[2], s[3], s[4], s[5], s[6], d->symbol ? d->symbol : "");
	card(d->context_uid);
	return name_of('K', text, n < (int)sizeof text ? n : (int)sizeof text - 1, text);
}

static void launched(const Call *c, const CallbackData *d, uint8_t flags, void *function, const unsigned *shape, void *stream) {
	uint64_t h = hash(function, shape, d->context_uid), tag = h << NUMBER_BITS;
	_Atomic uint64_t *at = &quick[h >> (64 - QUICK_BITS)];
	uint64_t there = atomic_load_explicit(at, memory_order_relaxed);
	uint32_t number = there & ((1 << NUMBER_BITS) - 1);
	if (!number || (there ^ tag) >> NUMBER_BITS) {
		number = named(d, function, shape);
		if (number) atomic_store_explicit(at, tag | number, memory_order_relaxed);
	}
	if (!stream && c->per_thread) stream = (void *)2; // CU_STREAM_PER_THREAD
	record(LAUNCH, flags | captured(stream), *d->own, number, (uint64_t)stream, d->context_uid);
}

static void multi(const Call *c, const CallbackData *d, uint8_t flags) {
	const LaunchMulti *p = d->params;
	for (unsigned i = 0; i < p->count; i++) launched(c, d, flags, p->list[i].kernel.function, p->list[i].kernel.grid, p->list[i].kernel.stream);
}

void kernel_left(const Call *c, const CallbackData *d, uint8_t flags) {
	const LaunchKernel *plain = d->params;
	const LaunchKernelEx *ex = d->params;
	const LaunchGrid *grid = d->params;
	unsigned shape[SHAPE] = {0};
	switch (c->params) {
	case KERNEL: launched(c, d, flags, plain->function, plain->grid, plain->stream); return;
	case KERNEL_EX: launched(c, d, flags, ex->function, ex->config->grid, ex->config->stream); return;
	case KERNEL_MULTI: multi(c, d, flags); return;
	case KERNEL_GRID: shape[0] = grid->grid[0], shape[1] = grid->grid[1], shape[2] = 1; // fall through
	case KERNEL_OLD: launched(c, d, flags, grid->function, shape, 0); return;
	}
	record(LAUNCH, flags, *d->own, 0, 0, d->context_uid);
}
