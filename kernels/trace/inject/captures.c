// Captures: whether a call is recorded into a graph is asked of the driver, and only while
// some stream is captured.
#include "noted.h"
#include "record.h"

static _Atomic int capturing; // streams that are, from before it begins to after it has ended

// What a thread is about to end.
static __thread int ends;

// The legacy stream, 0 or 1, cannot be captured, and to ask of it is an error while another is.
int captured(void *stream) {
	if (atomic_load_explicit(&capturing, memory_order_relaxed) <= 0 || (uint64_t)stream <= 1) return 0;
	return driver_capturing(stream) ? CAPTURED : 0;
}

static void *stream_of(const Call *c, const CallbackData *d) {
	const OnStream *p = d->params;
	return p->stream || !c->per_thread ? p->stream : (void *)2; // CU_STREAM_PER_THREAD
}

void capture_entered(const Call *c, const CallbackData *d) {
	if (c->params == BEGINS) atomic_fetch_add(&capturing, 1);
	if (c->params == ENDS) ends = driver_capturing(stream_of(c, d));
}

// One that failed to begin is none; one that failed to end may have been invalid, and is over.
void capture_left(const Call *c, const CallbackData *d, uint8_t flags) {
	int less = c->params == BEGINS ? flags & FAILED : c->params == ENDS && ends;
	if (less) atomic_fetch_sub(&capturing, 1);
	ends = 0;
	const EndCapture *end = d->params;
	uint32_t graph = c->params == ENDS && !(flags & FAILED) && end->graph ? (uint64_t)*end->graph : 0;
	record(CAPTURE, flags, *d->own, c->name, c->params == NONE ? 0 : (uint64_t)stream_of(c, d), graph);
}
