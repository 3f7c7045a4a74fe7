// Kernels that say in which clusters of blocks they run, from sm_90.
extern "C" __global__ void __cluster_dims__(2, 4, 1) fixed(float *x) { x[0] = 1; }
extern "C" __global__ void __cluster_dims__() any(float *x) { x[0] = 1; }
extern "C" __global__ void __launch_bounds__(256, 2, 4) ranked(float *x) { x[0] = 1; }
extern "C" __global__ void alone(float *x) { x[0] = 1; }
