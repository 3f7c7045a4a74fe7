// libcuda.so.1: its beginning, its contexts, and what every call does.
#define _GNU_SOURCE
#include "driver.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

API const char *const standin_names[] = {
	0,
#define X(name) #name,
	CALLS(X)
#undef X
	0,
};

static _Atomic(Hook) hook;
// begun is of this process; a child that was forked behind it can use CUDA no more.
static _Atomic int begun, forked;
static int failing, fails;
static unsigned cost;
static _Atomic uint32_t correlations;

typedef struct {
	int device;
	uint32_t uid;
} Context;
static __thread Context *current;
static __thread unsigned calling; // the call that this thread is in, and its number
static __thread uint32_t correlation;

unsigned driver_call(void) { return calling; }

void driver_fill(Ran *r) {
	r->correlation = correlation;
	if (current) r->context = current->uid, r->device = current->device;
}

API void standin_hook(Hook h) { hook = h; }
API void standin_cost(unsigned ns) { cost = ns; }

API void standin_fail(const char *call, int error) {
	for (int i = 1; i < ID_END; i++)
		if (!strcmp(standin_names[i], call)) failing = i, fails = error;
}

static void spin(void) {
	struct timespec from, t;
	if (!cost) return;
	clock_gettime(CLOCK_MONOTONIC, &from);
	do clock_gettime(CLOCK_MONOTONIC, &t);
	while ((t.tv_sec - from.tv_sec) * 1000000000 + t.tv_nsec - from.tv_nsec < (long)cost);
}

int nothing(const void *params) { return (void)params, 0; }

int around(unsigned id, const void *params, const char *symbol, int (*body)(const void *params)) {
	if (!atomic_load_explicit(&begun, memory_order_relaxed)) return 3; // CUDA_ERROR_NOT_INITIALIZED
	uint64_t own = 0;
	int result = 0;
	Hook h = atomic_load_explicit(&hook, memory_order_acquire);
	Data d = {0, standin_names[id], params, &result, symbol, current, current ? current->uid : 0, &own, 0};
	if (h) d.correlation = atomic_fetch_add(&correlations, 1) + 1, h(id, &d);
	calling = id, correlation = d.correlation;
	spin();
	if (failing == (int)id)
		result = fails, failing = 0;
	else
		result = body(params);
	d.site = 1;
	if (h) h(id, &d);
	return result;
}

// inject does what a driver does with the library that it is told of.
static void inject(void) {
	const char *path = getenv("CUDA_INJECTION64_PATH");
	void *library = path && *path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : 0;
	int (*begin)(void) = library ? (int (*)(void))dlsym(library, "InitializeInjection") : 0;
	if (begin) begin();
}

static void child(void) {
	if (begun) forked = 1;
	begun = 0;
}

API int cuInit(unsigned flags) {
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	(void)flags;
	pthread_mutex_lock(&lock);
	if (!begun && !forked) {
		begun = 1;
		pthread_atfork(0, 0, child);
		inject();
	}
	pthread_mutex_unlock(&lock);
	return forked ? 3 : 0;
}

API int cuDriverGetVersion(int *version) { return *version = 13000, 0; }

API int cuDeviceGetName(char *name, int size, int device) { return snprintf(name, size, "Stand-in %d", driver_card(device)), 0; }

API int cuDeviceGetUuid_v2(unsigned char uuid[16], int device) {
	for (int i = 0; i < 16; i++) uuid[i] = i + driver_card(device);
	return 0;
}

API int cuCtxCreate_v2(void **context, unsigned flags, int device) {
	static _Atomic uint32_t uids;
	Context *c = calloc(1, sizeof *c);
	(void)flags;
	if (!begun) return 3;
	if (driver_card(device) < 0) return 101; // CUDA_ERROR_INVALID_DEVICE
	c->device = device, c->uid = atomic_fetch_add(&uids, 1) + 1;
	*context = current = c;
	return 0;
}

API int cuCtxSetCurrent(void *context) { return current = context, 0; }
API int cuCtxGetCurrent(void **context) { return *context = current, 0; }

API int cuCtxGetDevice(int *device) {
	if (!current) return 201; // CUDA_ERROR_INVALID_CONTEXT
	return *device = current->device, 0;
}
