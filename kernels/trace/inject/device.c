// Times of the card: CUPTI's records of what ran there, written to a file of their own.
// The program's threads fill no file for it: CUPTI's own thread gives full buffers, ours
// asks for the others, so that a kill loses what half a second brought.
#define _GNU_SOURCE
#include "noted.h"
#include "record.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	BUFFER = 1 << 20, // bytes: some 4,600 kernels
	BUFFERS = 64,     // that CUPTI may hold: beyond that it drops records, and says how many
	SPARE = 4,        // that are kept for the next time
	BATCH = 256,      // records that are written at once
	PERIOD = 500,     // ms
	LEAVE = 5,        // s that an end waits for a flush that is under way
	FORCED = 1,       // CUPTI_ACTIVITY_FLAG_FLUSH_FORCED: also what has not ended
};

int device_timed;

static Activity activity;
static pthread_mutex_t buffering = PTHREAD_MUTEX_INITIALIZER;
static uint8_t *spare[SPARE];
static int spares, given;

static pthread_mutex_t writing = PTHREAD_MUTEX_INITIALIZER;
static Work batch[BATCH];
static uint32_t batched;
static uint64_t written; // bytes
static int broken;

static void why(const char *what, const char *text) {
	Head *h = record_head();
	if (h && !h->timed_why[0]) snprintf(h->timed_why, sizeof h->timed_why, "%s: %s", what, text ? text : "no reason is known");
}

static int put(int file) {
	size_t size = batched * sizeof(Work), done = 0;
	while (file >= 0 && done < size) {
		ssize_t n = pwrite(file, (char *)batch + done, size - done, written + done);
		if (n < 0 && errno == EINTR) continue;
		if (n <= 0) return 0;
		done += n;
	}
	return file >= 0;
}

// write_out writes the batch, all of it or nothing that counts.
static void write_out(void) {
	if (!batched) return;
	char text[96];
	int file = broken ? -1 : record_open("device", written + batched * sizeof(Work));
	int done = put(file);
	if (done) written += batched * sizeof(Work);
	if (!done && !broken) why("the rest had no room", strerror_r(errno, text, sizeof text));
	if (!done) broken = 1, atomic_fetch_add(&record_head()->unwritten, batched);
	if (file >= 0) close(file);
	batched = 0;
}

static void add(Work w) {
	if (batched == BATCH) write_out();
	batch[batched++] = w;
}

static uint32_t symbol(const char *name) { return name ? name_of('S', name, strlen(name), name) : 0; }

// take notes a record; of a kind that was not asked for, as CUPTI has of its own, nothing.
static void take(const void *record) {
	const KernelRecord *k = record;
	const CopyRecord *c = record;
	const SetRecord *s = record;
	const GraphRecord *g = record;
	switch (k->kind) {
	case OF_KERNEL: add((Work){k->start, k->end, 0, k->correlation, k->context, k->stream, symbol(k->name), k->device, LAUNCH, 0, 0}); return;
	case OF_COPY: add((Work){c->start, c->end, c->bytes, c->correlation, c->context, c->stream, 0, c->device, COPY, c->copy, 0}); return;
	case OF_SET: add((Work){s->start, s->end, s->bytes, s->correlation, s->context, s->stream, 0, s->device, SET, 0, 0}); return;
	case OF_GRAPH: add((Work){g->start, g->end, g->graph, g->correlation, g->context, g->stream, 0, g->device, GRAPH, 0, 0}); return;
	}
}

// pair notes both clocks. Of some the one that was asked the fastest is kept: a thread that
// is put aside between makes a wide one. 0: CUPTI does not say.
static int pair(Work *best) {
	*best = (Work){.kind = PAIR};
	for (int i = 0; i < 5; i++) {
		uint64_t theirs = 0, before = now();
		if (activity.timestamp(&theirs)) return 0;
		uint64_t after = now();
		if (!best->end || after - before < best->end - best->start) best->start = before, best->end = after, best->value = theirs;
	}
	return 1;
}

static void requested(uint8_t **buffer, size_t *size, size_t *records) {
	uint8_t *b = 0;
	Aside a = aside();
	pthread_mutex_lock(&buffering);
	if (spares) b = spare[--spares];
	if (!b && given < BUFFERS) b = aligned_alloc(64, BUFFER);
	given += b != 0;
	pthread_mutex_unlock(&buffering);
	back(a);
	*buffer = b, *size = b ? BUFFER : 0, *records = 0;
}

static void returned(uint8_t *buffer) {
	pthread_mutex_lock(&buffering);
	given--;
	if (spares < SPARE) spare[spares++] = buffer, buffer = 0;
	pthread_mutex_unlock(&buffering);
	free(buffer);
}

static void completed(void *context, uint32_t stream, uint8_t *buffer, size_t size, size_t valid) {
	(void)context, (void)stream, (void)size;
	Aside a = aside();
	if (record_head()) {
		void *record = 0;
		size_t lost = 0;
		if (!activity.dropped(0, 0, &lost)) atomic_fetch_add(&record_head()->unsaid, lost);
		pthread_mutex_lock(&writing);
		while (valid && !activity.next(buffer, valid, &record)) take(record);
		write_out();
		pthread_mutex_unlock(&writing);
	}
	returned(buffer);
	back(a);
}

// clocks asks CUPTI before it takes our lock: CUPTI may have one of its own, and call us
// while it is taken.
static void clocks(void) {
	Work w;
	if (!pair(&w)) return;
	pthread_mutex_lock(&writing);
	add(w);
	write_out();
	pthread_mutex_unlock(&writing);
}

static pthread_mutex_t asking = PTHREAD_MUTEX_INITIALIZER; // CUPTI for what it has
static _Atomic int over;                                   // it is asked no more: it may be gone

// flushing is a thread's: the program's signals are not for it.
static void *flushing(void *unused) {
	const struct timespec period = {0, PERIOD * 1000000};
	while (!over && record_head() && !nanosleep(&period, 0)) {
		pthread_mutex_lock(&asking);
		if (!over && record_head()) activity.flush(0), clocks();
		pthread_mutex_unlock(&asking);
	}
	return unused;
}

static int thread(void) {
	pthread_t t;
	pthread_attr_t detached;
	sigset_t all, before;
	sigfillset(&all);
	pthread_attr_init(&detached);
	pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	int e = pthread_create(&t, &detached, flushing, 0);
	pthread_sigmask(SIG_SETMASK, &before, 0);
	pthread_attr_destroy(&detached);
	return e;
}

// A process that ends by itself gives all that there is, also what still runs: it is not
// waited for, since the program did not.
static void ended(void) {
	struct timespec until;
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += LEAVE;
	over = 1;
	if (!record_head() || !device_timed || pthread_mutex_timedlock(&asking, &until)) return;
	activity.flush(FORCED);
	clocks();
	pthread_mutex_unlock(&asking);
}

// A child that was forked has none of it.
static void forked(void) {
	writing = buffering = asking = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
	device_timed = 0, batched = 0, written = 0, broken = 0;
}

static int found(void *library) {
	find(library, "cuptiActivityEnable", &activity.enable);
	find(library, "cuptiActivityDisable", &activity.disable);
	find(library, "cuptiActivityRegisterCallbacks", &activity.buffers);
	find(library, "cuptiActivityGetNextRecord", &activity.next);
	find(library, "cuptiActivityGetNumDroppedRecords", &activity.dropped);
	find(library, "cuptiActivityFlushAll", &activity.flush);
	find(library, "cuptiGetTimestamp", &activity.timestamp);
	find(library, "cuptiActivityRegisterTimestampCallback", &activity.clock);
	return activity.enable && activity.disable && activity.buffers && activity.next && activity.dropped && activity.flush && activity.timestamp;
}

// enabled switches the kinds on, all of them or none. A graph has one record for a launch:
// one for each of its nodes would make CUPTI take it apart, and it would not be the graph
// that the program launches otherwise.
static int enabled(void) {
	static const uint32_t kinds[] = {OF_KERNEL, OF_COPY, OF_SET, OF_GRAPH};
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		int e = activity.enable(kinds[i]);
		if (!e) continue;
		while (i-- > 0) activity.disable(kinds[i]);
		return e;
	}
	return 0;
}

static int on(void) {
	if (activity.clock) activity.clock(now); // an error leaves CUPTI's own, which the pairs tell
	int e = activity.buffers(requested, completed);
	if (!e) e = enabled();
	return e;
}

void device_begin(void *library, int (*error)(int, const char **)) {
	const char *asked = getenv("GPUCI_TRACE_TIMELINE"), *text = "CUPTI lacks functions";
	Head *h = record_head();
	if (!asked || strcmp(asked, "1")) return;
	h->timed = NOT_TIMED;
	int e = found(library) ? 0 : -1;
	if (!e && !record_make("device")) e = -1, text = "its file cannot be made";
	if (!e && (e = on())) error(e, &text);
	if (e) {
		h->timed_error = e > 0 ? e : 0;
		why("CUPTI gives none", text);
		return;
	}
	clocks();
	pthread_atfork(0, 0, forked);
	atexit(ended); // before CUPTI's own, which is loaded by now
	h->timed = TIMED;
	device_timed = 1;
	if (thread()) why("no thread could be started", "what is not in a full buffer comes at the end");
}
