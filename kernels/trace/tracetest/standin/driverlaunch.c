// The stand-in driver's modules, functions and launches. A module is a list of names, and a
// function is its name.
#include "driver.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
	void *f;
	unsigned shape[7];
	void *stream, **arguments, **extra;
} Launch;

static int runs(void *stream, void *f) {
	if (!captures(stream, KERNEL_NODE)) works(RAN_KERNEL, work_stream(stream), work_takes(), (Ran){.name = f});
	return 0;
}

static int launch(const void *params) { return runs(((const Launch *)params)->stream, ((const Launch *)params)->f); }

// Of a call that ends in ptsz the stream 0 is the thread's own.
static int launch_own(const void *params) {
	const Launch *p = params;
	return runs(p->stream ? p->stream : (void *)2, p->f);
}

static int launched(unsigned id, void *f, const unsigned *shape, void *stream) {
	Launch p = {f, {0}, stream, 0, 0};
	memcpy(p.shape, shape, sizeof p.shape);
	return around(id, &p, f, id == ID_cuLaunchKernel_ptsz ? launch_own : launch);
}

#define LAUNCH(name)                                                                                                            \
	API int name(void *f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned shared, void *stream, \
		void **arguments, void **extra) {                                                                                       \
		unsigned shape[] = {gx, gy, gz, bx, by, bz, shared};                                                                    \
		(void)arguments, (void)extra;                                                                                           \
		return launched(ID_##name, f, shape, stream);                                                                           \
	}

LAUNCH(cuLaunchKernel)
LAUNCH(cuLaunchKernel_ptsz)
LAUNCH(cuLaunchCooperativeKernel)

typedef struct {
	unsigned shape[7];
	void *stream;
} Config;

typedef struct {
	const Config *config;
	void *f, **arguments, **extra;
} Ex;

static int ex(const void *params) { return runs(((const Ex *)params)->config->stream, ((const Ex *)params)->f); }

API int cuLaunchKernelEx(const void *config, void *f, void **arguments, void **extra) {
	Ex p = {config, f, arguments, extra};
	return around(ID_cuLaunchKernelEx, &p, f, ex);
}

static int on_legacy(const void *params) { return runs(0, *(void *const *)params); }

API int cuLaunchGrid(void *f, int width, int height) {
	struct {
		void *f;
		int width, height;
	} p = {f, width, height};
	return around(ID_cuLaunchGrid, &p, f, on_legacy);
}

typedef struct {
	void **module;
	const void *image;
} Load;

static int load(const void *params) { return *((const Load *)params)->module = malloc(16), 0; }

API int cuModuleLoadData(void **module, const void *image) {
	Load p = {module, image};
	return around(ID_cuModuleLoadData, &p, 0, load);
}

typedef struct {
	void **function, *module;
	const char *name;
} Get;

enum { LONGEST = 8192 };

static int get(const void *params) {
	const Get *p = params;
	*p->function = calloc(1, LONGEST); // all of one size: an address comes again
	strncpy(*p->function, p->name, LONGEST - 1);
	return 0;
}

API int cuModuleGetFunction(void **function, void *module, const char *name) {
	Get p = {function, module, name};
	return around(ID_cuModuleGetFunction, &p, 0, get);
}

// The functions of the module that is unloaded are the program's to name: standin_forget.
static int unload(const void *params) { return free(*(void *const *)params), 0; }

API int cuModuleUnload(void *module) { return around(ID_cuModuleUnload, &module, 0, unload); }
API void standin_forget(void *function, const char *name) { strncpy(function, name, LONGEST - 1); }
