// The stand-in card: each stream does one thing after the other, each takes what the script
// says, and streams do not know of each other.
#include "driver.h"

#include <stdatomic.h>
#include <time.h>

enum { LATENCY = 2000 }; // ns, from a call to its beginning on a card that is idle

static _Atomic(RanHook) ran;
static _Atomic unsigned takes = 1000;
static _Atomic uint64_t latest; // end of all that was asked for

API void standin_ran(RanHook h) { ran = h; }
API void standin_takes(unsigned ns) { takes = ns; }

unsigned work_takes(void) { return takes; }

static uint64_t now(void) {
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

void works(uint32_t kind, Stream *s, uint64_t ns, Ran r) {
	RanHook h = ran;
	if (!h) return;
	uint64_t from = now() + LATENCY, before = atomic_load(&s->until), end;
	do end = (from > before ? from : before) + ns;
	while (!atomic_compare_exchange_weak(&s->until, &before, end));
	r.kind = kind, r.start = end - ns, r.end = end, r.stream = s->number;
	driver_fill(&r);
	h(&r);
	for (uint64_t l = latest; l < end && !atomic_compare_exchange_weak(&latest, &l, end);) {}
}

// work_done is back when a stream, or all of them, have done what they were asked for.
void work_done(Stream *s) {
	uint64_t until = s ? atomic_load(&s->until) : latest;
	struct timespec t = {until / 1000000000, until % 1000000000};
	if (ran && until) while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, 0)) {}
}
