// A few kernels, quick to compile: each container of them is compiled once.
struct Floats {
	float a[14];
};
extern "C" __global__ void __launch_bounds__(192, 2) bounded(float *x) { x[threadIdx.x] = 1; }
extern "C" __global__ void takes(float *x, int n, Floats s) { x[n] = s.a[n]; }
template <typename T> __global__ void add(T *x, T v) { atomicAdd(x, v); }
template __global__ void add<float>(float *, float);
template __global__ void add<int>(int *, int);
static __global__ void hidden(float *x) { x[1] = 2; }
void *keep() { return (void *)hidden; }
