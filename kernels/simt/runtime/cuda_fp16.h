#error "gpuci simt: cuda_fp16.h is not there on the host: kernels are of float32"
