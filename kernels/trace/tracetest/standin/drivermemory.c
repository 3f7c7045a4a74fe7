// The stand-in driver's memory: an address is one of the heap, so that it comes again soon
// after it was freed.
#include "driver.h"

#include <stdlib.h>

enum { OUT_OF_MEMORY = 2 };
static const size_t most = (size_t)141 << 30; // an H200's

typedef struct {
	uint64_t *pointer;
	size_t bytes;
	void *more[2]; // a stream; a pool and a stream
} Alloc;

static int give(uint64_t *to, size_t bytes) {
	if (bytes > most) return OUT_OF_MEMORY;
	return *to = (uint64_t)malloc(16), 0;
}

static int alloc(const void *params) {
	const Alloc *p = params;
	return give(p->pointer, p->bytes);
}

static int alloc_async(const void *params) {
	const Alloc *p = params;
	captures(p->more[0], ALLOC_NODE);
	return give(p->pointer, p->bytes);
}

API int cuMemAlloc_v2(uint64_t *to, size_t bytes) {
	Alloc p = {to, bytes, {0}};
	return around(ID_cuMemAlloc_v2, &p, 0, alloc);
}

API int cuMemAllocManaged(uint64_t *to, size_t bytes, unsigned flags) {
	Alloc p = {to, bytes, {(void *)(uintptr_t)flags}};
	return around(ID_cuMemAllocManaged, &p, 0, alloc);
}

API int cuMemAllocAsync(uint64_t *to, size_t bytes, void *stream) {
	Alloc p = {to, bytes, {stream}};
	return around(ID_cuMemAllocAsync, &p, 0, alloc_async);
}

API int cuMemAllocFromPoolAsync(uint64_t *to, size_t bytes, void *pool, void *stream) {
	Alloc p = {to, bytes, {pool, stream}};
	return around(ID_cuMemAllocFromPoolAsync, &p, 0, alloc);
}

API int cuMemCreate(uint64_t *to, size_t bytes, const void *properties, unsigned long long flags) {
	Alloc p = {to, bytes, {(void *)properties, (void *)flags}};
	return around(ID_cuMemCreate, &p, 0, alloc);
}

typedef struct {
	uint64_t *pointer;
	size_t *pitch, width, height;
	unsigned element;
} Pitch;

static int pitched(const void *params) {
	const Pitch *p = params;
	*p->pitch = (p->width + 511) / 512 * 512;
	return give(p->pointer, *p->pitch * p->height);
}

API int cuMemAllocPitch_v2(uint64_t *to, size_t *pitch, size_t width, size_t height, unsigned element) {
	Pitch p = {to, pitch, width, height, element};
	return around(ID_cuMemAllocPitch_v2, &p, 0, pitched);
}

typedef struct {
	uint64_t pointer;
	void *stream;
} Free;

static int release(const void *params) { return free((void *)((const Free *)params)->pointer), 0; }

static int release_async(const void *params) {
	const Free *p = params;
	return captures(p->stream, FREE_NODE) ? 0 : release(params);
}

API int cuMemFree_v2(uint64_t at) {
	Free p = {at, 0};
	return around(ID_cuMemFree_v2, &p, 0, release);
}

API int cuMemRelease(uint64_t handle) {
	Free p = {handle, 0};
	return around(ID_cuMemRelease, &p, 0, release);
}

API int cuMemFreeAsync(uint64_t at, void *stream) {
	Free p = {at, stream};
	return around(ID_cuMemFreeAsync, &p, 0, release_async);
}

API int cuMemAllocHost_v2(void **to, size_t bytes) {
	Alloc p = {(uint64_t *)to, bytes, {0}};
	return around(ID_cuMemAllocHost_v2, &p, 0, alloc);
}

API int cuMemFreeHost(void *at) {
	Free p = {(uint64_t)at, 0};
	return around(ID_cuMemFreeHost, &p, 0, release);
}
