// The stand-in driver's cards, and what bindings of other languages ask of them before they
// do anything: primary contexts, attributes, errors by name, events. None of it is heard of.
#include "driver.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CARDS = 8 };

int cuCtxCreate_v2(void **context, unsigned flags, int device);
int cuCtxSetCurrent(void *context);
int cuCtxGetCurrent(void **context);
int cuModuleLoadData(void **module, const void *image);
int cuStreamCreate(void **stream, unsigned flags);

// CUDA_VISIBLE_DEVICES is a list of numbers here: the cards that there are, in this order.
static int visible(int list[CARDS]) {
	const char *text = getenv("CUDA_VISIBLE_DEVICES");
	int n = 0;
	for (int i = 0; !text && i < CARDS; i++) list[n++] = i;
	while (text && *text && n < CARDS) {
		char *end;
		long card = strtol(text, &end, 10);
		if (end == text || card < 0 || card >= CARDS) break; // those behind it are not there either
		list[n++] = (int)card;
		text = *end == ',' ? end + 1 : end;
	}
	return n;
}

int driver_card(int device) {
	int list[CARDS], n = visible(list);
	return device >= 0 && device < n ? list[device] : -1;
}

API int cuDeviceGetCount(int *n) {
	int list[CARDS];
	return *n = visible(list), 0;
}

API int cuDeviceGet(int *device, int ordinal) {
	if (driver_card(ordinal) < 0) return 101; // CUDA_ERROR_INVALID_DEVICE
	return *device = ordinal, 0;
}

API int cuDeviceGetAttribute(int *value, int attribute, int device) { return (void)attribute, (void)device, *value = 1, 0; }
API int cuDeviceTotalMem_v2(size_t *bytes, int device) { return (void)device, *bytes = (size_t)141 << 30, 0; }

// A device has one primary context, for all that ask.
API int cuDevicePrimaryCtxRetain(void **context, int device) {
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	static void *primary[CARDS];
	if (driver_card(device) < 0) return 101;
	pthread_mutex_lock(&lock);
	void *current = 0, *made = primary[device];
	cuCtxGetCurrent(&current);
	int error = made ? 0 : cuCtxCreate_v2(&made, 0, device);
	cuCtxSetCurrent(current); // to retain one does not make it current
	*context = primary[device] = made;
	pthread_mutex_unlock(&lock);
	return error;
}

API int cuDevicePrimaryCtxRelease_v2(int device) { return (void)device, 0; }
API int cuDevicePrimaryCtxSetFlags_v2(int device, unsigned flags) { return (void)device, (void)flags, 0; }
API int cuCtxDestroy_v2(void *context) { return (void)context, 0; }
API int cuCtxGetApiVersion(void *context, unsigned *version) { return (void)context, *version = 3020, 0; }

API int cuModuleLoadDataEx(void **module, const void *image, unsigned n, void *options, void **values) {
	return (void)n, (void)options, (void)values, cuModuleLoadData(module, image);
}

API int cuStreamCreateWithPriority(void **stream, unsigned flags, int priority) { return (void)priority, cuStreamCreate(stream, flags); }
API int cuStreamDestroy_v2(void *stream) { return (void)stream, 0; }
API int cuStreamWaitEvent(void *stream, void *event, unsigned flags) { return (void)stream, (void)event, (void)flags, 0; }

API int cuEventCreate(void **event, unsigned flags) { return (void)flags, (*event = malloc(1)) ? 0 : 2; }
API int cuEventDestroy_v2(void *event) { return free(event), 0; }
API int cuEventRecord(void *event, void *stream) { return (void)event, (void)stream, 0; }
API int cuEventQuery(void *event) { return (void)event, 0; }

static int named(int error, const char **text) {
	static __thread char name[32];
	snprintf(name, sizeof name, "stand-in error %d", error);
	return *text = name, 0;
}
API int cuGetErrorName(int error, const char **text) { return named(error, text); }
API int cuGetErrorString(int error, const char **text) { return named(error, text); }
