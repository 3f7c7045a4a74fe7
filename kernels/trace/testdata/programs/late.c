// What CUDA's runtime and the bindings of other languages do, in C: CUDA is loaded late, by
// a thread, and each call is asked for by the name of its first version (cudart, cudarc); or
// it is linked, and no call is asked for (cust). Then launches on two cards, of two threads.
// It ends as its argument says.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LEGACY = 1, PER_THREAD = 2 }; // of cuGetProcAddress

typedef int (*Init)(unsigned);
typedef int (*Get)(int *, int);
typedef int (*Retain)(void **, int);
typedef int (*Current)(void *);
typedef int (*Load)(void **, const void *);
typedef int (*Function)(void **, void *, const char *);
typedef int (*Alloc)(uint64_t *, size_t);
typedef int (*Free)(uint64_t);
typedef int (*Launch)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **, void **);

static struct {
	Init init;
	Get device;
	Retain retain;
	Current current;
	Load load;
	Function function;
	Alloc alloc;
	Free release;
	Launch launch, launch_own;
} cu;

static void must(int error, const char *what) {
	if (error) fprintf(stderr, "late: %s gave %d\n", what, error), exit(99);
}

#ifdef LINKED
int cuInit(unsigned), cuDeviceGet(int *, int), cuDevicePrimaryCtxRetain(void **, int), cuCtxSetCurrent(void *);
int cuModuleLoadData(void **, const void *), cuModuleGetFunction(void **, void *, const char *);
int cuMemAlloc_v2(uint64_t *, size_t), cuMemFree_v2(uint64_t);
int cuLaunchKernel(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **, void **);
int cuLaunchKernel_ptsz(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **, void **);

static void begin(void) {
	cu.init = cuInit, cu.device = cuDeviceGet, cu.retain = cuDevicePrimaryCtxRetain, cu.current = cuCtxSetCurrent;
	cu.load = cuModuleLoadData, cu.function = cuModuleGetFunction, cu.alloc = cuMemAlloc_v2, cu.release = cuMemFree_v2;
	cu.launch = cuLaunchKernel, cu.launch_own = cuLaunchKernel_ptsz;
}
#else
static int (*get)(const char *, void **, int, uint64_t, int *);

static void *ask(const char *name, uint64_t flags) {
	void *f = 0;
	int status = -1;
	must(get(name, &f, 12000, flags, &status), name);
	must(status, name);
	return f;
}

static void begin(void) {
	void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
	must(!library, "dlopen");
	*(void **)&get = dlsym(library, "cuGetProcAddress_v2");
	must(!get, "dlsym");
	cu.init = (Init)ask("cuInit", 0), cu.device = (Get)ask("cuDeviceGet", 0), cu.retain = (Retain)ask("cuDevicePrimaryCtxRetain", 0);
	cu.current = (Current)ask("cuCtxSetCurrent", 0), cu.load = (Load)ask("cuModuleLoadData", 0), cu.function = (Function)ask("cuModuleGetFunction", 0);
	cu.alloc = (Alloc)ask("cuMemAlloc", 0), cu.release = (Free)ask("cuMemFree", 0);
	cu.launch = (Launch)ask("cuLaunchKernel", LEGACY), cu.launch_own = (Launch)ask("cuLaunchKernel", PER_THREAD);
}
#endif

static void *work(void *number) {
	int device, n = (int)(intptr_t)number;
	void *context, *module, *kernel;
	uint64_t at;
	must(cu.init(0), "cuInit");
	must(cu.device(&device, n), "cuDeviceGet");
	must(cu.retain(&context, device), "cuDevicePrimaryCtxRetain");
	must(cu.current(context), "cuCtxSetCurrent");
	must(cu.load(&module, ""), "cuModuleLoadData");
	must(cu.function(&kernel, module, n ? "second" : "first"), "cuModuleGetFunction");
	must(cu.alloc(&at, 1000 * (n + 1)), "cuMemAlloc");
	for (int i = 0; i < 10 * (n + 1); i++) must(cu.launch(kernel, 4, 1, 1, 32, 1, 1, 0, 0, 0, 0), "cuLaunchKernel");
	for (int i = 0; i < 3; i++) must(cu.launch_own(kernel, 8, 1, 1, 32, 1, 1, 0, 0, 0, 0), "cuLaunchKernel_ptsz");
	must(cu.release(at), "cuMemFree");
	return 0;
}

static void *first(void *nothing) {
	pthread_t second;
	begin();
	must(pthread_create(&second, 0, work, (void *)1), "pthread_create");
	work(0);
	pthread_join(second, 0);
	return nothing;
}

int main(int argc, char **argv) {
	pthread_t thread;
	must(pthread_create(&thread, 0, first, 0), "pthread_create");
	pthread_join(thread, 0);
	const char *end = argc > 1 ? argv[1] : "return";
	if (!strcmp(end, "_exit")) _exit(9);
	if (!strcmp(end, "SIGKILL")) raise(SIGKILL);
	if (!strcmp(end, "SIGSEGV")) *(volatile int *)0 = 1;
	return 0;
}
