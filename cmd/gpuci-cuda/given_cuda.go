//go:build cuda && cgo && linux

package main

// #define _GNU_SOURCE
// #include <cuda.h>
// #include <dlfcn.h>
//
// // A driver before CUDA 12.4 has no such call, and a toolkit no declaration of it.
// typedef CUresult (*param_info)(CUfunction, size_t, size_t *, size_t *);
//
// static int knows_params(void) { return dlsym(RTLD_DEFAULT, "cuFuncGetParamInfo") != NULL; }
//
// static CUresult param(CUfunction f, size_t i, size_t *size) {
//	size_t offset;
//	return ((param_info)dlsym(RTLD_DEFAULT, "cuFuncGetParamInfo"))(f, i, &offset, size);
// }
import "C"

import (
	"unsafe"

	"gorgonia.org/cu"

	"gpuci/kernels/cuda"
	"gpuci/kernels/launch"
)

// given holds the arguments of a launch against what the kernel takes. The driver reads
// as many as that, and from whatever lies behind the last one where there are fewer.
func (m modules) given(f cu.Function, l launch.Launch) error {
	params := takes(f, len(l.Args))
	if params == nil {
		params = cuda.Params(m.paths, l.Kernel)
	}
	if params == nil {
		return nil // neither says
	}
	return cuda.Fit(l, params)
}

// maxParams is more than the 32,764 bytes of all parameters of a kernel have room for.
const maxParams = 1 << 15

// takes asks the driver for the bytes of each parameter; nil where it does not say.
func takes(f cu.Function, given int) []int {
	if C.knows_params() == 0 {
		return nil
	}
	handle := *(*C.CUfunction)(unsafe.Pointer(&f))
	params := make([]int, 0, given)
	for len(params) < maxParams {
		var size C.size_t
		switch r := C.param(handle, C.size_t(len(params)), &size); r {
		case C.CUDA_SUCCESS:
			params = append(params, int(size))
		case C.CUDA_ERROR_INVALID_VALUE: // there is none of that number
			return params
		default:
			return nil
		}
	}
	return nil
}
