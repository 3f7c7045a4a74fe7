#error "gpuci simt: mma.h is not there on the host: kernels are of float32"
