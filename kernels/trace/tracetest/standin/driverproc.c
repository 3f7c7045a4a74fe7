// How programs come by the stand-in driver's calls that do not look each one up by its name:
// CUDA's runtime, and bindings of other languages, ask for one by the name of its first
// version, and are given the latest that they know.
#define _GNU_SOURCE
#include "driver.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

enum { PER_THREAD = 2 }; // CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM
enum { FOUND, NOT_FOUND }; // CUdriverProcAddressQueryResult

static void *self(const char *name, const char *ending) {
	static void *library;
	char full[256];
	if (!library) library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
	snprintf(full, sizeof full, "%s%s", name, ending);
	return library ? dlsym(library, full) : 0;
}

static void *latest(const char *name, uint64_t flags) {
	static const char *const endings[] = {"_ptsz", "_v2_ptsz", "_v3", "_v2", ""};
	void *f = 0;
	for (size_t i = flags & PER_THREAD ? 0 : 2; !f && i < sizeof endings / sizeof *endings; i++) f = self(name, endings[i]);
	return f;
}

API int cuGetProcAddress_v2(const char *name, void **function, int version, uint64_t flags, int *status) {
	(void)version;
	*function = latest(name, flags);
	if (status) *status = *function ? FOUND : NOT_FOUND;
	return *function ? 0 : 500; // CUDA_ERROR_NOT_FOUND
}

API int cuGetProcAddress(const char *name, void **function, int version, uint64_t flags) {
	return cuGetProcAddress_v2(name, function, version, flags, 0);
}
