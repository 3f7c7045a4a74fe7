// What CUDA's driver loads into a program by CUDA_INJECTION64_PATH when it is first used,
// and which then notes its calls through CUPTI's callbacks. It links no library, changes
// nothing that the program sees, and where CUPTI cannot be had or is another tool's it
// says so in its file and stays out of the way.
#define _GNU_SOURCE
#include "noted.h"
#include "record.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

static Call call[CALLS]; // by the number that CUPTI has for it
static Cupti cupti;
static Subscriber subscriber;
static void *attached_to; // that CUPTI's library

static void entered(const Call *c, const CallbackData *d) {
	if (c->kind == CAPTURE) capture_entered(c, d);
	if (c->kind == RELEASE) release_entered(c, d);
	if (c->kind == UNLOAD) kernels_unloaded();
	*d->own = now();
}

static void left(const Call *c, const CallbackData *d) {
	uint8_t flags = c->flags | (d->result && *(int *)d->result ? FAILED : 0);
	if (c->kind != UNLOAD && c->kind != ALTER) context_seen(d->context_uid);
	if (device_timed && c->kind <= SET && !(flags & FAILED)) record_tie(*d->own, d->correlation);
	switch (c->kind) {
	case LAUNCH: kernel_left(c, d, flags); return;
	case GRAPH: graph_left(c, d, flags); return;
	case INSTANTIATE: graph_instantiated(d, flags); return;
	case ALTER: graph_altered(c, d, flags); return;
	case ALLOC: alloc_left(c, d, flags); return;
	case RELEASE: release_left(c, d, flags); return;
	case CAPTURE: capture_left(c, d, flags); return;
	case UNLOAD: return;
	}
	flags |= captured(call_stream(c, d->params));
	record(c->kind, flags, *d->own, c->name, call_bytes(c, d->params), d->context_uid);
	uint64_t to, from;
	if (c->params != NONE && !(flags & (FAILED | CAPTURED)) && call_place(c, d->params, &to, &from)) record(PLACE, 0, *d->own, from >> 32, to, from);
}

// A forked child has no file, and may have been forked while a thread held one of our locks.
static void called(void *user, Domain domain, uint32_t id, const void *data) {
	(void)user;
	const CallbackData *d = data;
	if (domain != DRIVER_API || id >= CALLS || !call[id].kind || !record_head()) return;
	if (d->site == API_ENTER)
		entered(&call[id], d);
	else
		left(&call[id], d);
}

// classify gives each call of this CUPTI its class by its name, and switches it on.
static void classify(void) {
	for (uint32_t id = 1; id < CALLS; id++) {
		const char *name = 0;
		if (cupti.name(DRIVER_API, id, &name) || !name || !call_named(name, &call[id])) continue;
		call[id].name = name_of('C', name, strlen(name), name);
		if (cupti.enable(1, subscriber, DRIVER_API, id)) record_why("CUPTI tells nothing of some calls", name);
	}
}

static int found(void *library) {
	find(library, "cuptiSubscribe", &cupti.subscribe);
	find(library, "cuptiEnableCallback", &cupti.enable);
	find(library, "cuptiGetCallbackName", &cupti.name);
	find(library, "cuptiGetVersion", &cupti.version);
	find(library, "cuptiGetResultString", &cupti.error);
	return cupti.subscribe && cupti.enable && cupti.name && cupti.version && cupti.error;
}

// attached is whether this CUPTI calls us from now on. What another tool has of it, or what
// it may not do, no other copy has or may.
static int attached(void *library, int *final) {
	if (!found(library)) {
		record_why("CUPTI lacks functions", 0);
		return 0;
	}
	cupti.version(&record_head()->cupti);
	int e = cupti.subscribe(&subscriber, called, 0);
	if (!e) {
		attached_to = library;
		return 1;
	}
	const char *text = 0;
	cupti.error(e, &text);
	record_head()->error = e;
	*final = e == ERROR_OTHER_SUBSCRIBER || e == ERROR_NO_PRIVILEGE;
	record_why(e == ERROR_OTHER_SUBSCRIBER ? "another profiler is attached already" : "CUPTI does not attach", text);
	return 0;
}

// attach tries the CUPTI that the program has loaded, whose calls it may make itself; then
// the one that was found for us, then the loader's.
static int attach(void) {
	const struct {
		const char *name;
		int flags;
	} tries[] = {
		{"libcupti.so.13", RTLD_NOLOAD}, {"libcupti.so.12", RTLD_NOLOAD}, {getenv("GPUCI_TRACE_CUPTI"), 0},
		{"libcupti.so.13", 0}, {"libcupti.so.12", 0}, {"libcupti.so", 0},
	};
	int final = 0;
	const char *missing = 0;
	for (size_t i = 0; i < sizeof tries / sizeof *tries && !final; i++) {
		if (!tries[i].name || !*tries[i].name) continue;
		void *library = dlopen(tries[i].name, RTLD_NOW | RTLD_LOCAL | tries[i].flags);
		if (!library && !tries[i].flags && !missing && (missing = dlerror())) missing = strdup(missing);
		if (library && attached(library, &final)) return 1;
	}
	record_why("no CUPTI could be loaded", missing);
	return 0;
}

static void begin(void) {
	driver_begin();
	Head *h = record_head();
	if (!attach()) {
		h->state = NOT_ATTACHED;
		return;
	}
	memset(h->why, 0, sizeof h->why), h->error = 0; // of a copy that was tried before
	classify();
	device_begin(attached_to, cupti.error);
	h->state = ATTACHED;
}

// InitializeInjection is what the driver calls, with its own locks held or not: nothing
// of CUDA is called in it but a version.
EXPORT int InitializeInjection(void) {
	static _Atomic int once;
	if (!atomic_exchange(&once, 1) && record_begin()) {
		Aside a = aside();
		begin();
		back(a);
	}
	return 1;
}
