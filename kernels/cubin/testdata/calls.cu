// Kernels that call, each in another way, and one function that spills where registers
// are few.
#include <cassert>
#include <cstdio>

typedef float (*Step)(float *, int);

extern "C" __global__ void quiet(float *x) { x[1] = x[0]; }
extern "C" __global__ void prints(int *p) { printf("%d\n", p[0]); }
extern "C" __global__ void asserts(float *x) {
	assert(x[0] > 0);
	x[1] = 1;
}
extern "C" __global__ void allocates(float **p) {
	p[0] = (float *)malloc(8);
	free(p[1]);
}
extern "C" __global__ void divides(float *x, long long *q) {
	x[0] = x[1] / x[2];
	q[0] = q[1] / q[2];
}
__device__ __noinline__ float heavy(float *x, int n) {
	float a[80];
	for (int i = 0; i < 80; i++) a[i] = x[i];
	for (int j = 0; j < n; j++)
		for (int i = 0; i < 80; i++) a[i] = a[i] * a[(i + 1) % 80] + x[i + j];
	float s = 0;
	for (int i = 0; i < 80; i++) s += a[i];
	return s;
}
extern "C" __global__ void direct(float *x, int n) { x[0] = heavy(x, n); }
__device__ __noinline__ void adding(double *x, int n) { atomicAdd(x + n, 1.0); }
extern "C" __global__ void adds(double *x, int n) { adding(x, n); }
__device__ __noinline__ float recur(float *x, int n) {
	if (n <= 0) return 0;
	float a = recur(x, n - 1);
	x[n] = a;
	return a + recur(x + 1, n / 2);
}
extern "C" __global__ void recurs(float *x, int n) { x[0] = recur(x, n); }
__device__ __noinline__ float logging(float *x, int n) {
	printf("%d", n);
	return x[n];
}
extern "C" __global__ void logs(float *x, int n) { x[0] = logging(x, n); }
extern "C" __global__ void logsandadds(float *x) {
	printf("x");
	atomicAdd(x, 1.f);
}
extern "C" __global__ void swaps(unsigned *x) { atomicCAS(x, 1u, 2u); }
extern "C" __global__ void counts(unsigned *x) {
	atomicAdd(x, 1u);
	atomicMax(x + 1, 3u);
}
extern "C" __global__ void sharesfloats(float *x) {
	__shared__ float s;
	atomicAdd(&s, x[0]);
	__syncthreads();
	x[1] = s;
}
