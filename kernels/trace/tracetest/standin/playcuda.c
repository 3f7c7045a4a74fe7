// The lines that are calls of CUDA.
#define _GNU_SOURCE
#include "play.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define AS(type, name) ((int (*)type)cuda(name))

static void *stream(const char *name) {
	if (!name || !strcmp(name, "legacy")) return 0;
	if (!strcmp(name, "own")) return (void *)2; // CU_STREAM_PER_THREAD
	void **s = thing("stream", name);
	if (!*s && AS((void **, unsigned), "cuStreamCreate")(s, 0)) fail("no stream", name);
	return *s;
}

static void *kernel(const char *name) {
	void **k = thing("kernel", name), **module = thing("module", "all");
	if (!*module && AS((void **, const void *), "cuModuleLoadData")(module, "")) fail("no module", name);
	if (!*k && AS((void **, void *, const char *), "cuModuleGetFunction")(k, *module, name)) fail("no kernel", name);
	return *k;
}

typedef int (*Launch)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **, void **);

// launch KERNEL GRID BLOCK [STREAM [N]], and as other calls: cooperative, ptsz, ex, grid.
static int launch(char **w) {
	const char *name = !strcmp(w[0], "ptsz") ? "cuLaunchKernel_ptsz" : !strcmp(w[0], "cooperative") ? "cuLaunchCooperativeKernel" : "cuLaunchKernel";
	void *k = kernel(w[1]), *s = stream(w[4]);
	int error = 0;
	unsigned grid = number(w[2]), block = number(w[3]);
	Launch f = (Launch)cuda(name);
	for (uint64_t n = w[4] && w[5] ? number(w[5]) : 1; n > 0 && !error; n--) error = f(k, grid, 1, 1, block, 1, 1, 0, s, 0, 0);
	return error;
}

static int ex(char **w) {
	struct {
		unsigned shape[7];
		void *stream;
		void *attributes;
		unsigned n;
	} config = {{number(w[2]), 1, 1, number(w[3]), 1, 1, 0}, stream(w[4]), 0, 0};
	return AS((const void *, void *, void **, void **), "cuLaunchKernelEx")(&config, kernel(w[1]), 0, 0);
}

// bench N KERNELS prints what a launch takes, of some kernels in turn.
static int bench(char **w) {
	Launch f = (Launch)cuda("cuLaunchKernel");
	uint64_t n = number(w[1]), kernels = number(w[2]);
	void *k[256];
	char name[32];
	struct timespec from, to; // of the processor: others are at work as well
	for (uint64_t i = 0; i < kernels && i < 256; i++) snprintf(name, sizeof name, "bench%d", (int)i), k[i] = kernel(name);
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &from);
	for (uint64_t i = 0; i < n; i++) f(k[i % kernels], 1, 1, 1, 32, 1, 1, 0, 0, 0, 0);
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &to);
	printf("%.1f ns a launch\n", ((to.tv_sec - from.tv_sec) * 1e9 + (to.tv_nsec - from.tv_nsec)) / n);
	fflush(stdout);
	return 0;
}

static int alloc(char **w) {
	uint64_t *at = (uint64_t *)thing("memory", w[1]);
	size_t n = number(w[2]), pitch;
	if (!strcmp(w[0], "alloc")) return AS((uint64_t *, size_t), "cuMemAlloc_v2")(at, n);
	if (!strcmp(w[0], "managed")) return AS((uint64_t *, size_t, unsigned), "cuMemAllocManaged")(at, n, 1);
	if (!strcmp(w[0], "allocasync")) return AS((uint64_t *, size_t, void *), "cuMemAllocAsync")(at, n, stream(w[3]));
	if (!strcmp(w[0], "pool")) return AS((uint64_t *, size_t, void *, void *), "cuMemAllocFromPoolAsync")(at, n, 0, stream(w[3]));
	if (!strcmp(w[0], "create")) return AS((uint64_t *, size_t, const void *, unsigned long long), "cuMemCreate")(at, n, 0, 0);
	if (!strcmp(w[0], "host")) return AS((void **, size_t), "cuMemAllocHost_v2")((void **)at, n);
	return AS((uint64_t *, size_t *, size_t, size_t, unsigned), "cuMemAllocPitch_v2")(at, &pitch, n, number(w[3]), 4);
}

static int release(char **w) {
	uint64_t at = *(uint64_t *)thing("memory", w[1]);
	if (!strcmp(w[0], "free")) return AS((uint64_t), "cuMemFree_v2")(at);
	if (!strcmp(w[0], "freehost")) return AS((uint64_t), "cuMemFreeHost")(at);
	if (!strcmp(w[0], "release")) return AS((uint64_t), "cuMemRelease")(at);
	return AS((uint64_t, void *), "cuMemFreeAsync")(at, stream(w[2]));
}

// copy CALL BYTES [STREAM]: any call of a name that ends so.
static int copy(char **w) {
	return AS((uint64_t, uint64_t, size_t, void *), w[1])(8, 16, number(w[2]), stream(w[3]));
}

static int set(char **w) {
	return AS((uint64_t, unsigned, size_t, void *), w[1])(8, 0, number(w[2]), stream(w[3]));
}

static int box(char **w) {
	struct {
		char ends[2][56];
		size_t width, height;
	} plane = {.width = number(w[2]), .height = number(w[3])};
	struct {
		char ends[2][88];
		size_t width, height, depth;
	} cube = {.width = plane.width, .height = plane.height, .depth = 2};
	if (!strcmp(w[1], "cuMemcpy3D_v2")) return AS((const void *), w[1])(&cube);
	return AS((const void *, void *), w[1])(&plane, stream(w[4]));
}

static int graph(char **w) {
	if (!strcmp(w[0], "begin")) return AS((void *, int), "cuStreamBeginCapture_v2")(stream(w[1]), 0);
	if (!strcmp(w[0], "finish")) return AS((void *, void **), "cuStreamEndCapture")(stream(w[1]), thing("graph", w[2]));
	if (!strcmp(w[0], "child")) return AS((void **, void *, const void *, size_t, void *), "cuGraphAddChildGraphNode")(thing("node", w[1]), *thing("graph", w[1]), 0, 0, *thing("graph", w[2]));
	if (!strcmp(w[0], "make")) return AS((void **, unsigned), "cuGraphCreate")(thing("graph", w[1]), 0);
	if (!strcmp(w[0], "update")) return AS((void *, void *, void *), "cuGraphExecUpdate_v2")(*thing("exec", w[1]), *thing("graph", w[2]), 0);
	if (!strcmp(w[0], "other")) return AS((void *, void *, const void *), "cuGraphExecKernelNodeSetParams_v2")(*thing("exec", w[1]), 0, 0);
	if (!strcmp(w[0], "switch")) return AS((void *, void *, unsigned), "cuGraphNodeSetEnabled")(*thing("exec", w[1]), 0, 0);
	if (!strcmp(w[0], "change")) return AS((void *, const void *), "cuGraphKernelNodeSetParams_v2")(0, 0);
	if (!strcmp(w[0], "instantiate")) return AS((void **, void *, unsigned long long), "cuGraphInstantiateWithFlags")(thing("exec", w[2]), *thing("graph", w[1]), 0);
	if (!strcmp(w[0], "destroy")) return AS((void *), "cuGraphExecDestroy")(*thing("exec", w[1]));
	return AS((void *, void *), "cuGraphLaunch")(*thing("exec", w[1]), stream(w[2]));
}

// reload unloads the module: the function of one kernel comes again at its address, as
// another's.
static int reload(char **w) {
	void *at = kernel(w[1]);
	int error = AS((void *), "cuModuleUnload")(*thing("module", "all"));
	((void (*)(void *, const char *))cuda("standin_forget"))(at, w[2]);
	*thing("module", "all") = 0, *thing("kernel", w[1]) = 0, *thing("kernel", w[2]) = at;
	return error;
}

static int later(char **w) { return AS((void *), "cuMemcpyOfLaterAsync")(w); }
static int grid(char **w) { return AS((void *, int, int), "cuLaunchGrid")(kernel(w[1]), number(w[2]), 1); }
static int peer(char **w) { return AS((uint64_t, void *, uint64_t, void *, size_t), "cuMemcpyPeer")(8, 0, 16, 0, number(w[1])); }
static int set2d(char **w) { return AS((uint64_t, size_t, unsigned short, size_t, size_t), "cuMemsetD2D16_v2")(8, 512, 0, number(w[1]), number(w[2])); }

static int waits(char **w) {
	if (!w[1]) return AS((void), "cuCtxSynchronize")();
	return !strcmp(w[1], "event") ? AS((void *), "cuEventSynchronize")(0) : AS((void *), "cuStreamSynchronize")(stream(w[1]));
}

int cuda_line(char **w) {
	static const struct {
		const char *words;
		int (*play)(char **);
	} plays[] = {
		{" launch ptsz cooperative ", launch}, {" ex ", ex}, {" grid ", grid}, {" bench ", bench}, {" reload ", reload}, {" later ", later},
		{" alloc managed allocasync pool create host pitch ", alloc}, {" free freehost release freeasync ", release},
		{" copy ", copy}, {" set ", set}, {" box ", box}, {" peer ", peer}, {" set2d ", set2d}, {" sync ", waits},
		{" begin finish child make update other switch change instantiate destroy replay ", graph},
	};
	char word[64];
	snprintf(word, sizeof word, " %s ", w[0]);
	for (size_t i = 0; i < sizeof plays / sizeof *plays; i++)
		if (strstr(plays[i].words, word)) return gave(w, plays[i].play(w)), 1;
	return 0;
}
