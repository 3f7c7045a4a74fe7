#error "gpuci simt: cuda_bf16.h is not there on the host: kernels are of float32"
