// How the stand-in CUPTI comes to hear of the stand-in driver's calls.
#pragma once

#include <stddef.h>
#include <stdint.h>

// Data is laid out as CUpti_CallbackData.
typedef struct {
	int site;
	const char *function;
	const void *params;
	void *result;
	const char *symbol;
	void *context;
	uint32_t context_uid;
	uint64_t *own;
	uint32_t correlation;
} Data;

typedef void (*Hook)(unsigned id, const Data *);

// The calls that can be heard of, numbered from 1. A driver that a later CUDA has is played
// by names that no driver has.
#define CALLS(X) \
	X(cuLaunchKernel) X(cuLaunchKernel_ptsz) X(cuLaunchKernelEx) X(cuLaunchCooperativeKernel) X(cuLaunchGrid) \
	X(cuModuleLoadData) X(cuModuleGetFunction) X(cuModuleUnload) \
	X(cuMemAlloc_v2) X(cuMemAllocManaged) X(cuMemAllocAsync) X(cuMemAllocFromPoolAsync) X(cuMemAllocPitch_v2) \
	X(cuMemCreate) X(cuMemRelease) X(cuMemFree_v2) X(cuMemFreeAsync) X(cuMemAllocHost_v2) X(cuMemFreeHost) \
	X(cuMemcpyHtoD_v2) X(cuMemcpyDtoH_v2) X(cuMemcpyDtoD_v2) X(cuMemcpy) X(cuMemcpyPeer) \
	X(cuMemcpyHtoDAsync_v2) X(cuMemcpyDtoHAsync_v2) X(cuMemcpyDtoDAsync_v2) X(cuMemcpyAsync) X(cuMemcpyOfLaterAsync) \
	X(cuMemcpy2D_v2) X(cuMemcpy2DAsync_v2) X(cuMemcpy3D_v2) \
	X(cuMemsetD8_v2) X(cuMemsetD16_v2) X(cuMemsetD32_v2) X(cuMemsetD8Async) X(cuMemsetD32Async) X(cuMemsetD2D16_v2) \
	X(cuStreamCreate) X(cuStreamSynchronize) X(cuCtxSynchronize) X(cuEventSynchronize) \
	X(cuStreamBeginCapture_v2) X(cuStreamEndCapture) \
	X(cuGraphInstantiateWithFlags) X(cuGraphLaunch) X(cuGraphExecDestroy) \
	X(cuGraphCreate) X(cuGraphKernelNodeSetParams_v2) X(cuGraphExecUpdate_v2) X(cuGraphExecKernelNodeSetParams_v2) X(cuGraphNodeSetEnabled)

enum {
	NO_CALL,
#define X(name) ID_##name,
	CALLS(X)
#undef X
	ID_END
};

// Of the stand-in driver, for the stand-in CUPTI and the program that plays.
extern const char *const standin_names[];
void standin_hook(Hook);
void standin_fail(const char *call, int error); // the next call of that name gives it
void standin_cost(unsigned ns);                 // of every call
