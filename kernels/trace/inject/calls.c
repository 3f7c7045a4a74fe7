#include "calls.h"
#include "cupti.h"
#include "record.h"

#include <stddef.h>
#include <string.h>

enum { ANY = 0, FROM_2 = 1 }; // from which version on sizes are of 64 bits

// classes are what is noted, the most special beginning first. What the driver has beside
// them (contexts, attributes, events) is not.
static const struct {
	const char *begins;
	uint8_t kind, flags, params, element, stream, sizes;
} classes[] = {
	{"cuLaunchKernelEx", LAUNCH, 0, KERNEL_EX, 0, 0, ANY},
	{"cuLaunchKernel", LAUNCH, 0, KERNEL, 0, 0, ANY},
	{"cuLaunchCooperativeKernelMultiDevice", LAUNCH, 0, KERNEL_MULTI, 0, 0, ANY},
	{"cuLaunchCooperativeKernel", LAUNCH, 0, KERNEL, 0, 0, ANY},
	{"cuLaunchHostFunc", 0, 0, NONE, 0, 0, ANY},
	{"cuLaunchGrid", LAUNCH, 0, KERNEL_GRID, 0, 0, ANY},
	{"cuLaunch", LAUNCH, 0, KERNEL_OLD, 0, 0, ANY},
	{"cuGraphLaunch", GRAPH, 0, GRAPH_ARGUMENTS, 0, 0, ANY},
	{"cuGraphInstantiateWithFlags", INSTANTIATE, 0, GRAPH_ARGUMENTS, 0, 0, ANY},
	{"cuGraphInstantiateWithParams", INSTANTIATE, 0, GRAPH_ARGUMENTS, 0, 0, ANY},
	{"cuGraphInstantiate", INSTANTIATE, 0, GRAPH_ARGUMENTS, 0, 0, ANY},
	{"cuGraphCreate", ALTER, 0, MAKES_GRAPH, 0, 0, ANY}, // where one was that a capture made
	{"cuGraphClone", ALTER, 0, MAKES_GRAPH, 0, 0, ANY},
	{"cuGraphKernelNodeSetParams", ALTER, 0, ALTERS_NODE, 0, 0, ANY},
	{"cuGraphNodeSetParams", ALTER, 0, ALTERS_NODE, 0, 0, ANY},
	{"cuGraphDestroyNode", ALTER, 0, ALTERS_NODE, 0, 0, ANY},
	{"cuGraphExecUpdate", ALTER, 0, ALTERS_EXEC, 0, 0, ANY},
	{"cuGraphExecKernelNodeSetParams", ALTER, 0, ALTERS_EXEC, 0, 0, ANY},
	{"cuGraphExecChildGraphNodeSetParams", ALTER, 0, ALTERS_EXEC, 0, 0, ANY},
	{"cuGraphExecNodeSetParams", ALTER, 0, ALTERS_EXEC, 0, 0, ANY},
	{"cuGraphNodeSetEnabled", ALTER, 0, SWITCHES_NODE, 0, 0, ANY},
	{"cuStreamBeginCaptureToGraph", CAPTURE, 0, BEGINS, 0, 0, ANY},
	{"cuStreamBeginCapture", CAPTURE, 0, BEGINS, 0, 0, ANY},
	{"cuStreamEndCapture", CAPTURE, 0, ENDS, 0, 0, ANY},
	{"cuMemcpyBatch", COPY, UNSIZED, NONE, 0, 0, ANY},
	{"cuMemcpy3DPeer", COPY, 0, BOX_3D, 0, offsetof(Copy3D, stream), ANY},
	{"cuMemcpy3D", COPY, 0, BOX_3D, 0, offsetof(Copy3D, stream), FROM_2},
	{"cuMemcpy2DUnaligned", COPY, 0, BOX_2D, 0, 0, FROM_2},
	{"cuMemcpy2D", COPY, 0, BOX_2D, 0, offsetof(Copy2D, stream), FROM_2},
	{"cuMemcpyPeer", COPY, 0, PEER, 0, offsetof(CopyPeer, stream), ANY},
	{"cuMemcpyAto", COPY, UNSIZED, NONE, 0, 0, ANY},
	{"cuMemcpyHtoA", COPY, UNSIZED, NONE, 0, 0, ANY},
	{"cuMemcpyDtoA", COPY, UNSIZED, NONE, 0, 0, ANY},
	{"cuMemcpyHtoD", COPY, 0, BYTES, 0, offsetof(Copy, stream), FROM_2},
	{"cuMemcpyDtoH", COPY, 0, BYTES, 0, offsetof(Copy, stream), FROM_2},
	{"cuMemcpyDtoD", COPY, 0, BYTES, 0, offsetof(Copy, stream), FROM_2},
	{"cuMemcpy_v2", COPY, UNSIZED, NONE, 0, 0, ANY}, // has a number, and no arguments in the headers
	{"cuMemcpy", COPY, 0, BYTES, 0, offsetof(Copy, stream), ANY},
	{"cuMemsetD2D8", SET, 0, COUNT_2D, 1, offsetof(Set2D, stream), FROM_2},
	{"cuMemsetD2D16", SET, 0, COUNT_2D, 2, offsetof(Set2D, stream), FROM_2},
	{"cuMemsetD2D32", SET, 0, COUNT_2D, 4, offsetof(Set2D, stream), FROM_2},
	{"cuMemsetD8", SET, 0, COUNT, 1, offsetof(Set, stream), FROM_2},
	{"cuMemsetD16", SET, 0, COUNT, 2, offsetof(Set, stream), FROM_2},
	{"cuMemsetD32", SET, 0, COUNT, 4, offsetof(Set, stream), FROM_2},
	{"cuMemAllocHost", 0, 0, NONE, 0, 0, ANY},
	{"cuMemAllocAsync", ALLOC, POOLED, SIZE, 0, offsetof(Alloc, stream), ANY},
	{"cuMemAllocFromPoolAsync", ALLOC, POOLED, SIZE, 0, offsetof(AllocFromPool, stream), ANY},
	{"cuMemAllocPitch", ALLOC, 0, PITCH, 0, 0, FROM_2},
	{"cuMemAllocManaged", ALLOC, 0, SIZE, 0, 0, ANY},
	{"cuMemAlloc", ALLOC, 0, SIZE, 0, 0, FROM_2},
	{"cuMemCreate", ALLOC, 0, CREATION, 0, 0, ANY},
	{"cuMemRelease", RELEASE, 0, CREATED, 0, 0, ANY},
	{"cuMemFreeAsync", RELEASE, POOLED, POINTER, 0, offsetof(Free, stream), ANY},
	{"cuMemFreeHost", 0, 0, NONE, 0, 0, ANY},
	{"cuMemFree", RELEASE, 0, POINTER, 0, 0, FROM_2},
	{"cuStreamSynchronize", SYNC, 0, NONE, 0, 0, ANY},
	{"cuCtxSynchronize", SYNC, 0, NONE, 0, 0, ANY},
	{"cuEventSynchronize", SYNC, 0, NONE, 0, 0, ANY},
	{"cuModuleLoad", HANDLE, 0, NONE, 0, 0, ANY},
	{"cuModuleGetFunction", HANDLE, 0, NONE, 0, 0, ANY},
	{"cuCtxDestroy", UNLOAD, 0, NONE, 0, 0, ANY},
	{"cuDevicePrimaryCtxReset", UNLOAD, 0, NONE, 0, 0, ANY},
	{"cuDevicePrimaryCtxRelease", UNLOAD, 0, NONE, 0, 0, ANY},
	{"cuModuleUnload", UNLOAD, 0, NONE, 0, 0, ANY},
	{"cuLibraryLoad", HANDLE, 0, NONE, 0, 0, ANY},
	{"cuLibraryGetKernel", HANDLE, 0, NONE, 0, 0, ANY},
	{"cuLibraryUnload", UNLOAD, 0, NONE, 0, 0, ANY},
};

static int eat(const char **text, const char *word) {
	size_t n = strlen(word);
	if (strncmp(*text, word, n)) return 0;
	*text += n;
	return 1;
}

// Ending is what a name has behind that of its class: cuMemcpyHtoD|Async_v2_ptsz.
typedef struct {
	int async, version, per_thread, known;
} Ending;

static Ending ending(const char *text) {
	Ending e = {0};
	e.async = eat(&text, "Async");
	if (text[0] == '_' && text[1] == 'v' && text[2] >= '0' && text[2] <= '9') e.version = text[2] - '0', text += 3;
	e.per_thread = eat(&text, "_ptsz") || eat(&text, "_ptds");
	e.known = !*text;
	return e;
}

// A call that a later CUDA has is counted by what its name begins with, and not read: its
// arguments may be laid out otherwise. So are those of CUDA before 3.2, with 32 bits.
int call_named(const char *name, Call *to) {
	for (size_t i = 0; i < sizeof classes / sizeof *classes; i++) {
		size_t n = strlen(classes[i].begins);
		if (strncmp(name, classes[i].begins, n)) continue;
		Ending e = ending(name + n);
		// With Async in the class's own name, or behind it.
		int async = e.async || strstr(classes[i].begins, "Async") != 0;
		int old = classes[i].sizes == FROM_2 && e.version < 2 && !(classes[i].kind == SET && e.async);
		int read = e.known && !old;
		if (!classes[i].kind || (classes[i].params == KERNEL_OLD && !read)) return 0;
		*to = (Call){.kind = classes[i].kind, .flags = classes[i].flags, .params = classes[i].params, .element = classes[i].element, .per_thread = e.per_thread};
		if (async) to->stream = classes[i].stream;
		if (read) return 1;
		to->params = NONE, to->stream = 0;
		if (to->kind == COPY || to->kind == SET || to->kind == ALLOC || to->kind == RELEASE) to->flags |= UNSIZED;
		return 1;
	}
	return 0;
}

uint64_t call_bytes(const Call *c, const void *params) {
	switch (c->params) {
	case BYTES: return ((const Copy *)params)->bytes;
	case PEER: return ((const CopyPeer *)params)->bytes;
	case BOX_2D: {
		const Copy2D *p = params;
		return p->box ? (uint64_t)p->box->width * p->box->height : 0;
	}
	case BOX_3D: {
		const Copy3D *p = params;
		return p->box ? (uint64_t)p->box->width * p->box->height * p->box->depth : 0;
	}
	case COUNT: return (uint64_t)c->element * ((const Set *)params)->count;
	case COUNT_2D: {
		const Set2D *p = params;
		return (uint64_t)c->element * p->width * p->height;
	}
	}
	return 0;
}

int call_place(const Call *c, const void *params, uint64_t *to, uint64_t *from) {
	const Copy *copy = params;
	const CopyPeer *peer = params;
	switch (c->params) {
	case BYTES: *to = copy->to, *from = copy->from; return 1;
	case PEER: *to = peer->to, *from = peer->from; return 1;
	case COUNT: *to = ((const Set *)params)->to, *from = 0; return 1;
	}
	return 0;
}

void *call_stream(const Call *c, const void *params) {
	if (!c->stream) return 0;
	void *stream;
	memcpy(&stream, (const char *)params + c->stream, sizeof stream);
	return stream || !c->per_thread ? stream : (void *)2; // CU_STREAM_PER_THREAD
}
