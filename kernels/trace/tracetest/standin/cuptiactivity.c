// The activity half of the stand-in CUPTI: what the stand-in card did, as records in buffers
// that the tool gives and gets back when all in them has ended. NVIDIA's gives them back in a
// thread of its own; here it is whoever comes by.
#define _GNU_SOURCE
#include "work.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define API __attribute__((visibility("default")))

enum { INVALID = 1, NOT_SUPPORTED = 27, END = 12, FULL = 64 };

typedef struct {
	uint8_t *at;
	size_t size, used;
	uint64_t end; // of the last that ends
} Buffer;

static void (*request)(uint8_t **, size_t *, size_t *);
static void (*complete)(void *, uint32_t, uint8_t *, size_t, size_t);
static uint64_t (*timestamps)(void);
static char on[64];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static Buffer buffer[FULL]; // the last one is being filled
static int buffers;
static size_t lost, seen;

static uint64_t monotonic(void) {
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

// theirs is a time on the clock of the records: the tool's, or CLOCK_REALTIME.
static uint64_t theirs(uint64_t at) {
	struct timespec t;
	if (timestamps) return at;
	clock_gettime(CLOCK_REALTIME, &t);
	return at + (uint64_t)t.tv_sec * 1000000000 + t.tv_nsec - monotonic();
}

static size_t size_of(uint32_t kind) {
	return kind == RAN_KERNEL ? sizeof(KernelRan) : kind == RAN_COPY ? sizeof(CopyRan) : kind == RAN_SET ? sizeof(SetRan) : kind == RAN_GRAPH ? sizeof(GraphRan) : kind == RAN_OTHER ? sizeof(OtherRan) : 0;
}

static void fill(uint8_t *to, const Ran *r, uint64_t start, uint64_t end) {
	memset(to, 0, size_of(r->kind));
	switch (r->kind) {
	case RAN_KERNEL: *(KernelRan *)to = (KernelRan){.kind = r->kind, .start = start, .end = end, .device = r->device, .context = r->context, .stream = r->stream, .correlation = r->correlation, .name = r->name}; return;
	case RAN_COPY: *(CopyRan *)to = (CopyRan){.kind = r->kind, .way = r->way, .bytes = r->bytes, .start = start, .end = end, .device = r->device, .context = r->context, .stream = r->stream, .correlation = r->correlation}; return;
	case RAN_SET: *(SetRan *)to = (SetRan){.kind = r->kind, .bytes = r->bytes, .start = start, .end = end, .device = r->device, .context = r->context, .stream = r->stream, .correlation = r->correlation}; return;
	case RAN_GRAPH: *(GraphRan *)to = (GraphRan){.kind = r->kind, .start = start, .end = end, .device = r->device, .graph = r->graph, .context = r->context, .stream = r->stream, .correlation = r->correlation}; return;
	default: *(OtherRan *)to = (OtherRan){.kind = r->kind};
	}
}

// room is a buffer that has some for a record; 0: the tool gave none.
static Buffer *room(size_t size) {
	Buffer *b = buffers ? &buffer[buffers - 1] : 0;
	if (b && b->size - b->used >= size) return b;
	size_t most = 0;
	if (buffers == FULL) return 0;
	b = &buffer[buffers];
	*b = (Buffer){0};
	request(&b->at, &b->size, &most);
	if (!b->at) return 0;
	buffers++;
	fill(b->at, &(Ran){.kind = RAN_OTHER}, 0, 0);
	b->used = sizeof(OtherRan);
	return b;
}

static void give(int i) {
	Buffer b = buffer[i];
	memmove(&buffer[i], &buffer[i + 1], (--buffers - i) * sizeof *buffer);
	complete(0, 0, b.at, b.size, b.used);
}

// full gives back those that are full and have ended.
static void full(void) {
	for (int i = 0; i < buffers - 1;)
		if (buffer[i].end <= monotonic()) give(i);
		else i++;
}

// CUPTI_STANDIN_DROP is of how many records one is dropped.
static int drops(void) {
	const char *every = getenv("CUPTI_STANDIN_DROP");
	return every && *every && ++seen % atoi(every) == 0;
}

static void ran(const Ran *r) {
	if (r->kind >= sizeof on || !on[r->kind]) return;
	pthread_mutex_lock(&lock);
	Buffer *b = drops() ? 0 : room(size_of(r->kind));
	if (b) {
		fill(b->at + b->used, r, theirs(r->start), theirs(r->end));
		b->used += size_of(r->kind);
		if (r->end > b->end) b->end = r->end;
	} else
		lost++;
	full();
	pthread_mutex_unlock(&lock);
}

// CUPTI_STANDIN_ACTIVITY is the error that no kind can be switched on for.
API int cuptiActivityEnable(uint32_t kind) {
	const char *error = getenv("CUPTI_STANDIN_ACTIVITY");
	void *driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
	void (*hook)(RanHook) = driver ? (void (*)(RanHook))dlsym(driver, "standin_ran") : 0;
	if (error && *error) return atoi(error);
	if (!hook || kind >= sizeof on || !size_of(kind)) return INVALID;
	on[kind] = 1;
	hook(ran);
	return 0;
}

API int cuptiActivityDisable(uint32_t kind) { return kind < sizeof on ? on[kind] = 0, 0 : INVALID; }

API int cuptiActivityRegisterCallbacks(void *requested, void *completed) {
	*(void **)&request = requested, *(void **)&complete = completed;
	return requested && completed ? 0 : INVALID;
}

// CUPTI_STANDIN_CLOCK=own is a CUPTI that takes no clock of a tool's.
API int cuptiActivityRegisterTimestampCallback(void *clock) {
	const char *own = getenv("CUPTI_STANDIN_CLOCK");
	if (own && *own) return NOT_SUPPORTED;
	*(void **)&timestamps = clock;
	return 0;
}

API int cuptiGetTimestamp(uint64_t *at) { return *at = timestamps ? timestamps() : theirs(monotonic()), 0; }

API int cuptiActivityGetNextRecord(uint8_t *b, size_t valid, void **record) {
	uint8_t *at = *record ? (uint8_t *)*record + size_of(*(uint32_t *)*record) : b;
	if (at >= b + valid) return END;
	*record = at;
	return 0;
}

API int cuptiActivityGetNumDroppedRecords(void *context, uint32_t stream, size_t *dropped) {
	(void)context, (void)stream;
	*dropped = lost, lost = 0;
	return 0;
}

// unended takes the ends of those that have not ended yet, which a forced flush gives too.
static void unended(Buffer *b) {
	void *r = 0;
	uint64_t until = theirs(monotonic());
	while (!cuptiActivityGetNextRecord(b->at, b->used, &r)) {
		uint32_t kind = *(uint32_t *)r;
		uint64_t *end = kind == RAN_KERNEL ? &((KernelRan *)r)->end : kind == RAN_GRAPH ? &((GraphRan *)r)->end : kind == RAN_OTHER ? 0 : &((CopyRan *)r)->end;
		if (end && *end > until) *end = 0;
	}
}

API int cuptiActivityFlushAll(uint32_t forced) {
	pthread_mutex_lock(&lock);
	full();
	while (forced && buffers) {
		unended(&buffer[0]);
		give(0);
	}
	if (buffers == 1 && buffer[0].end <= monotonic()) give(0);
	pthread_mutex_unlock(&lock);
	return 0;
}
