// Allocations and what frees them: each has a number, by which the two are found together.
#include "noted.h"
#include "record.h"

static _Atomic uint32_t allocations;

// What a thread is about to free. It is let go before the driver does, since another
// thread may be given the same address before this one is back.
static __thread struct {
	Held it;
	int there;
} freed;

static int table(const Call *c) { return c->params == CREATION || c->params == CREATED ? CREATED_MEMORY : MEMORY; }

static uint64_t bytes_of(const Call *c, const void *params) {
	const AllocPitch *pitch = params;
	if (c->params == PITCH) return pitch->pitch ? (uint64_t)*pitch->pitch * pitch->height : 0;
	return ((const Alloc *)params)->bytes;
}

// What is asked for in a capture is a node of a graph: no memory yet, and not followed.
void alloc_left(const Call *c, const CallbackData *d, uint8_t flags) {
	const Alloc *p = d->params;
	Held it = {0, 0};
	flags |= captured(call_stream(c, d->params));
	if (c->params != NONE && !(flags & FAILED && c->params == PITCH)) it.bytes = bytes_of(c, d->params);
	if (c->params != NONE && !(flags & (FAILED | CAPTURED))) {
		it.number = atomic_fetch_add(&allocations, 1) + 1;
		hold(table(c), *p->pointer, it);
	}
	record(ALLOC, flags, *d->own, c->name, it.bytes, it.number);
	if (it.number && c->params != CREATION) record(PLACE, 0, *d->own, 0, *p->pointer, 0);
}

void release_entered(const Call *c, const CallbackData *d) {
	const Free *p = d->params;
	freed.there = c->params != NONE && p->pointer && !captured(call_stream(c, d->params)) && let_go(table(c), p->pointer, &freed.it);
}

void release_left(const Call *c, const CallbackData *d, uint8_t flags) {
	const Free *p = d->params;
	Held it = {0, 0};
	if (c->params != NONE && !p->pointer) return; // frees nothing, as free(NULL)
	if (freed.there && flags & FAILED) hold(table(c), p->pointer, freed.it);
	if (freed.there && !(flags & FAILED)) it = freed.it;
	freed.there = 0;
	flags |= captured(call_stream(c, d->params));
	record(RELEASE, flags | (it.number ? 0 : UNSIZED), *d->own, c->name, it.bytes, it.number);
}
