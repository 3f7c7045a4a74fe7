#error "gpuci simt: cooperative groups are not there on the host"
