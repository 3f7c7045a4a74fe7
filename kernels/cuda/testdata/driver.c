// A stand-in for libcuda.so.1: just what gpuci-cuda calls, in the memory of the host. It
// is here so that the real gpuci-cuda runs on machines without a card, its protocol, its
// counting and its errors; it says nothing of what a card does. A "cubin" for it is a
// text: "standin", an architecture, and the names of kernels, which are those below.

#include <cuda.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

static const size_t total = (size_t)1 << 30; // bytes of the card
static size_t used;
static CUresult ruined; // what every call gives after a kernel that trapped
static int waiting;     // a kernel never ends
static float *trace;    // of "unstable": a number that is another each time

EXPORT CUresult cuInit(unsigned int flags) {
	(void)flags;
	const char *gives = getenv("STANDIN_INIT");
	return gives ? (CUresult)atoi(gives) : CUDA_SUCCESS;
}

EXPORT CUresult cuGetErrorName(CUresult r, const char **name) {
	*name = r == CUDA_ERROR_NO_DEVICE ? "CUDA_ERROR_NO_DEVICE" : "CUDA_ERROR_UNKNOWN";
	return CUDA_SUCCESS;
}

EXPORT CUresult cuGetErrorString(CUresult r, const char **text) {
	*text = r == CUDA_ERROR_NO_DEVICE ? "no CUDA-capable device is detected" : "unknown error";
	return CUDA_SUCCESS;
}

EXPORT CUresult cuDriverGetVersion(int *v) { return *v = 13000, CUDA_SUCCESS; }
EXPORT CUresult cuDeviceGetCount(int *n) { return *n = 1, CUDA_SUCCESS; }
EXPORT CUresult cuDeviceGet(CUdevice *d, int n) { return *d = n, CUDA_SUCCESS; }

EXPORT CUresult cuDeviceGetName(char *name, int size, CUdevice d) {
	(void)d;
	return snprintf(name, size, "Stand-in"), CUDA_SUCCESS;
}

EXPORT CUresult cuDeviceGetUuid_v2(CUuuid *id, CUdevice d) {
	(void)d;
	return memset(id, 0x11, sizeof *id), CUDA_SUCCESS;
}

#ifndef cuDeviceGetUuid // CUDA 12 has both
EXPORT CUresult cuDeviceGetUuid(CUuuid *id, CUdevice d) { return cuDeviceGetUuid_v2(id, d); }
#endif

EXPORT CUresult cuDeviceTotalMem_v2(size_t *bytes, CUdevice d) {
	(void)d;
	return *bytes = total, CUDA_SUCCESS;
}

EXPORT CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute a, CUdevice d) {
	(void)d;
	switch (a) {
	case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR: *value = 9; break;
	case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR: *value = 0; break;
	case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN: *value = 227 << 10; break;
	default: return CUDA_ERROR_INVALID_VALUE;
	}
	return CUDA_SUCCESS;
}

EXPORT CUresult cuCtxCreate_v2(CUcontext *c, unsigned int flags, CUdevice d) {
	(void)flags, (void)d;
	return *c = (CUcontext)&used, CUDA_SUCCESS;
}

EXPORT CUresult cuCtxSetCurrent(CUcontext c) { return (void)c, CUDA_SUCCESS; }
EXPORT CUresult cuCtxDestroy_v2(CUcontext c) { return (void)c, CUDA_SUCCESS; }

EXPORT CUresult cuCtxSynchronize(void) {
	const char *fifo = getenv("STANDIN_READY");
	if (waiting && fifo)
		fclose(fopen(fifo, "w")); // until a reader has it open
	while (waiting)
		pause();
	return ruined;
}

// An allocation has its size in front of it.
enum { HEAD = 256 };

EXPORT CUresult cuMemAlloc_v2(CUdeviceptr *p, size_t size) {
	if (size > total - used)
		return CUDA_ERROR_OUT_OF_MEMORY;
	char *base = aligned_alloc(256, HEAD + ((size + 255) & ~(size_t)255));
	if (!base)
		return CUDA_ERROR_OUT_OF_MEMORY;
	*(size_t *)base = size;
	used += size;
	return *p = (CUdeviceptr)(base + HEAD), ruined;
}

EXPORT CUresult cuMemFree_v2(CUdeviceptr p) {
	char *base = (char *)p - HEAD;
	used -= *(size_t *)base;
	return free(base), ruined;
}

EXPORT CUresult cuMemGetInfo_v2(size_t *unused, size_t *all) {
	return *unused = total - used, *all = total, CUDA_SUCCESS;
}

EXPORT CUresult cuMemcpyHtoD_v2(CUdeviceptr to, const void *from, size_t n) {
	return memcpy((void *)to, from, n), ruined;
}

EXPORT CUresult cuMemcpyDtoH_v2(void *to, CUdeviceptr from, size_t n) {
	return memcpy(to, (void *)from, n), ruined;
}

EXPORT CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, size_t n, CUstream s) {
	(void)s;
	return memcpy((void *)to, (void *)from, n), ruined;
}

EXPORT CUresult cuMemsetD32_v2(CUdeviceptr to, unsigned int word, size_t n) {
	for (size_t i = 0; i < n; i++)
		((uint32_t *)to)[i] = word;
	return ruined;
}

EXPORT CUresult cuMemsetD32Async(CUdeviceptr to, unsigned int word, size_t n, CUstream s) {
	(void)s;
	return cuMemsetD32_v2(to, word, n);
}

EXPORT CUresult cuModuleLoad(CUmodule *m, const char *path) {
	char *text = calloc(1, 4096);
	FILE *f = fopen(path, "r");
	if (!f)
		return CUDA_ERROR_FILE_NOT_FOUND;
	size_t n = fread(text, 1, 4095, f);
	fclose(f);
	if (n < 13 || strncmp(text, "standin ", 8) != 0)
		return CUDA_ERROR_INVALID_IMAGE;
	if (strncmp(text + 8, "sm_90", 5) != 0)
		return CUDA_ERROR_NO_BINARY_FOR_GPU;
	return *m = (CUmodule)text, CUDA_SUCCESS;
}

EXPORT CUresult cuModuleGetFunction(CUfunction *f, CUmodule m, const char *name) {
	char line[128];
	snprintf(line, sizeof line, "\n%s\n", name);
	if (!strstr((char *)m, line))
		return CUDA_ERROR_NOT_FOUND;
	return *f = (CUfunction)strdup(name), CUDA_SUCCESS;
}

EXPORT CUresult cuFuncGetAttribute(int *value, CUfunction_attribute a, CUfunction f) {
	if (a == CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK)
		*value = strcmp((char *)f, "fat") == 0 ? 256 : 1024;
	else
		*value = 0;
	return CUDA_SUCCESS;
}

EXPORT CUresult cuFuncSetAttribute(CUfunction f, CUfunction_attribute a, int value) {
	return (void)f, (void)a, (void)value, CUDA_SUCCESS;
}

// cuFuncGetParamInfo, under its own name for toolkits that do not declare it.
EXPORT CUresult cuFuncGetParamInfo(CUfunction f, size_t i, size_t *offset, size_t *size) {
	(void)f;
	if (i > 3)
		return CUDA_ERROR_INVALID_VALUE;
	return *offset = i < 2 ? 8 * i : 16 + 4 * (i - 2), *size = i < 2 ? 8 : 4, CUDA_SUCCESS;
}

// The kernels: in, out, n, factor.
EXPORT CUresult cuLaunchKernel(CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                               unsigned shared, CUstream s, void **params, void **extra) {
	(void)gx, (void)gy, (void)gz, (void)bx, (void)by, (void)bz, (void)shared, (void)s, (void)extra;
	const char *name = (const char *)f;
	float *in = *(float **)params[0], *out = *(float **)params[1], factor = *(float *)params[3];
	int n = *(int *)params[2];
	if (ruined)
		return ruined;
	for (int i = 0; i < n - (strcmp(name, "short") == 0); i++)
		out[i] = factor * in[i];
	if (strcmp(name, "past") == 0)
		out[n + 2] = 1;
	if (strcmp(name, "before") == 0)
		out[-1] = 1;
	if (strcmp(name, "spoil") == 0)
		in[1] = 7;
	if (strcmp(name, "unstable") == 0) {
		static float run;
		trace = &run;
		out[0] = ++*trace;
	}
	if (strcmp(name, "says") == 0)
		printf("{\"type\":\"done\"}\n"), fflush(stdout);
	if (strcmp(name, "trap") == 0)
		ruined = CUDA_ERROR_ILLEGAL_ADDRESS;
	if (strcmp(name, "endless") == 0)
		waiting = 1;
	return CUDA_SUCCESS;
}

// An event is the time when it is recorded: everything is done by then.
EXPORT CUresult cuEventCreate(CUevent *e, unsigned int flags) {
	(void)flags;
	return *e = calloc(1, sizeof(struct timespec)), CUDA_SUCCESS;
}

EXPORT CUresult cuEventRecord(CUevent e, CUstream s) {
	(void)s;
	return clock_gettime(CLOCK_MONOTONIC, (struct timespec *)e), CUDA_SUCCESS;
}

EXPORT CUresult cuEventSynchronize(CUevent e) { return (void)e, ruined; }

EXPORT CUresult cuEventElapsedTime(float *ms, CUevent from, CUevent to) {
	struct timespec *a = (struct timespec *)from, *b = (struct timespec *)to;
	*ms = (b->tv_sec - a->tv_sec) * 1e3f + (b->tv_nsec - a->tv_nsec) * 1e-6f;
	return CUDA_SUCCESS;
}

EXPORT CUresult cuEventDestroy_v2(CUevent e) { return free(e), CUDA_SUCCESS; }
