// What gorgonia.org/cu takes for cuda.h: the toolkit's own, and for CUDA 13 the older
// forms of five functions, which that package calls and which the toolkit's macros now
// give another signature. Drivers still have the older forms under these names.
#ifndef GPUCI_CUDA_H
#define GPUCI_CUDA_H

#include_next <cuda.h>

#if CUDA_VERSION >= 13000

#undef cuCtxCreate
#undef cuMemAdvise
#undef cuMemPrefetchAsync
#undef cuGraphGetEdges
#undef cuGraphAddDependencies

CUresult CUDAAPI cuCtxCreate_v2(CUcontext *context, unsigned int flags, CUdevice device);
#define cuCtxCreate cuCtxCreate_v2

// The toolkit's is the one of CUDA 12.8, which a driver before that does not have.
#undef cuEventElapsedTime
CUresult CUDAAPI cuEventElapsedTime(float *milliseconds, CUevent from, CUevent to);

CUresult CUDAAPI cuMemAdvise(CUdeviceptr pointer, size_t count, CUmem_advise advice, CUdevice device);
CUresult CUDAAPI cuMemPrefetchAsync(CUdeviceptr pointer, size_t count, CUdevice device, CUstream stream);
CUresult CUDAAPI cuGraphGetEdges(CUgraph graph, CUgraphNode *from, CUgraphNode *to, size_t *edges);
CUresult CUDAAPI cuGraphAddDependencies(CUgraph graph, const CUgraphNode *from, const CUgraphNode *to, size_t edges);

#endif
#endif
