// Kernels whose numbers differ: parameters of every size, a struct, a block over
// 4 KiB, shared memory, barriers, frames, bounds, calls.
struct Odd {
	char c[15];
};
struct Floats {
	float a[14];
};
struct Big {
	char c[6000];
};
struct Empty {};

extern "C" __global__ void plain(float *x, int n, Floats s) {
	int i = threadIdx.x;
	if (i < n) x[i] = s.a[i % 14];
}
extern "C" __global__ void odd(Odd o, short s, char c, double d, Empty e, float *x) { x[s] = o.c[c & 7] + d; }
extern "C" __global__ void big(Big b, int n, float *x) { x[0] = b.c[n]; }
extern "C" __global__ void none() {}
extern "C" __global__ void __launch_bounds__(192, 2) bounded(float *x) { x[threadIdx.x] = 1; }
template <typename T> __global__ void add(T *x, T v) { atomicAdd(x, v); }
template __global__ void add<float>(float *, float);
template __global__ void add<int>(int *, int);
static __global__ void hidden(float *x) { x[1] = 2; }
void *keep() { return (void *)hidden; }
extern "C" __global__ void shares(float *y) {
	__shared__ float s[33];
	extern __shared__ float t[];
	s[threadIdx.x % 33] = y[threadIdx.x];
	t[threadIdx.x] = 0;
	__syncthreads();
	y[0] = s[3] + t[1];
}
extern "C" __global__ void dynamic(float *y) {
	extern __shared__ float t[];
	t[threadIdx.x] = y[threadIdx.x];
	__syncthreads();
	y[0] = t[3];
}
extern "C" __global__ void barriers(float *y) {
	asm volatile("bar.sync 3, 64;");
	asm volatile("bar.sync 5, 64;");
	y[0] = 1;
}
extern "C" __global__ void frame(float *y, int n) {
	float a[64];
	for (int i = 0; i < 64; i++) a[i] = y[i];
	for (int i = 0; i < n; i++) a[(i * 7) % 64] += a[i % 64];
	y[0] = a[n % 64];
}
__device__ __noinline__ float deep(float *x, int n) {
	float s = 0;
	volatile float a[16];
	for (int i = 0; i < 16; i++) a[i] = x[i];
	for (int i = 0; i < n; i++) s += a[i & 15];
	return s;
}
extern "C" __global__ void calls(float *x, int n) { x[0] = deep(x, n); }
extern "C" __global__ void divides(long long *x, long long n) { x[0] = x[1] / n; }
extern "C" __global__ void __launch_bounds__(1024) spills(float *x, int n) {
	float a[80];
	for (int i = 0; i < 80; i++) a[i] = x[i];
	for (int j = 0; j < n; j++)
		for (int i = 0; i < 80; i++) a[i] = a[i] * a[(i + 1) % 80] + x[i + j];
	float s = 0;
	for (int i = 0; i < 80; i++) s += a[i];
	x[0] = s;
}
