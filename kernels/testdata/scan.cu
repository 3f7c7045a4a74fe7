// scan.sm_90.cubin and scan.ptx beside this are made of it, by nvcc 13.0.88:
//
//	nvcc -cubin -arch=sm_90 -o scan.sm_90.cubin scan.cu
//	nvcc -ptx -arch=sm_90 -o scan.ptx scan.cu
struct Shape {
	int n[13];
	float scale;
	int more;
};

extern "C" __global__ void __launch_bounds__(256) scan_fwd(const float *x, float *y, Shape s, int n) {
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n) y[i] = x[i] * s.scale;
}

extern "C" __global__ void scan_sum(const float *x, float *out, int n) {
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n) atomicAdd(out, x[i]);
}
