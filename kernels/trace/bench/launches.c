// A loop of launches of a kernel that does nothing, through the driver alone: it needs no
// toolkit to compile, and no more than a driver to run. It prints what a launch takes the
// host, in ns, of several rounds; each waits for the card first, and is short enough for
// the driver's queue, which would be the card's time otherwise.
//
//	launches ROUNDS LAUNCHES
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

// PTX that every card since Volta runs.
static const char nothing[] = ".version 6.0\n.target sm_70\n.address_size 64\n.visible .entry nothing()\n{\n\tret;\n}\n";

static void *driver;

static void *call(const char *name) {
	void *f = dlsym(driver, name);
	if (!f) fprintf(stderr, "launches: the driver has no %s\n", name), exit(69);
	return f;
}

static void gave(const char *what, int error) {
	if (error) fprintf(stderr, "launches: %s gave %d\n", what, error), exit(69);
}

static uint64_t now(void) {
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

typedef int (*Launch)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **, void **);

static void *kernel(void) {
	void *context, *module, *f;
	gave("cuInit", ((int (*)(unsigned))call("cuInit"))(0));
	gave("cuCtxCreate", ((int (*)(void **, unsigned, int))call("cuCtxCreate_v2"))(&context, 0, 0));
	gave("cuModuleLoadData", ((int (*)(void **, const void *))call("cuModuleLoadData"))(&module, nothing));
	gave("cuModuleGetFunction", ((int (*)(void **, void *, const char *))call("cuModuleGetFunction"))(&f, module, "nothing"));
	return f;
}

int main(int argc, char **argv) {
	int rounds = argc > 1 ? atoi(argv[1]) : 0, launches = argc > 2 ? atoi(argv[2]) : 0;
	if (rounds < 1 || launches < 1) return fprintf(stderr, "usage: launches ROUNDS LAUNCHES\n"), 64;
	if (!(driver = dlopen("libcuda.so.1", RTLD_NOW))) return fprintf(stderr, "launches: %s\n", dlerror()), 69;
	void *f = kernel();
	Launch launch = (Launch)call("cuLaunchKernel");
	int (*wait)(void) = (int (*)(void))call("cuCtxSynchronize");
	for (int round = -1; round < rounds; round++) { // one more, to warm up
		gave("cuCtxSynchronize", wait());
		int error = 0;
		uint64_t from = now();
		for (int i = 0; i < launches; i++) error |= launch(f, 1, 1, 1, 32, 1, 1, 0, 0, 0, 0);
		uint64_t took = now() - from;
		gave("cuLaunchKernel", error);
		if (round >= 0) printf("%.1f\n", (double)took / launches);
	}
	gave("cuCtxSynchronize", wait());
	return 0;
}
