// A program of CUDA's runtime, which is linked to it. It forks before it uses CUDA, if its
// argument says so, and launches 50 kernels on each card that it sees, from a thread each.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

static const int n = 1000, steps = 50;

__global__ void add(float *y, const float *x, int n) {
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n) y[i] += x[i];
}

static void must(cudaError_t e, const char *what) {
	if (e == cudaSuccess) return;
	fprintf(stderr, "static: %s: %s\n", what, cudaGetErrorString(e));
	exit(1);
}

static void work(int card) {
	float *x, *y;
	std::vector<float> two(n, 2), back(n);
	must(cudaSetDevice(card), "cudaSetDevice");
	must(cudaMalloc(&x, n * sizeof *x), "cudaMalloc");
	must(cudaMalloc(&y, n * sizeof *y), "cudaMalloc");
	must(cudaMemcpy(x, two.data(), n * sizeof *x, cudaMemcpyHostToDevice), "cudaMemcpy");
	must(cudaMemset(y, 0, n * sizeof *y), "cudaMemset");
	for (int i = 0; i < steps; i++) add<<<(n + 255) / 256, 256>>>(y, x, n);
	must(cudaGetLastError(), "launch");
	must(cudaMemcpy(back.data(), y, n * sizeof *y, cudaMemcpyDeviceToHost), "cudaMemcpy");
	for (float v : back)
		if (v != 2.0f * steps) fprintf(stderr, "static: card %d added up %g\n", card, v), exit(1);
}

static int all() {
	int cards = 0;
	std::vector<std::thread> threads;
	must(cudaGetDeviceCount(&cards), "cudaGetDeviceCount");
	for (int i = 0; i < cards; i++) threads.emplace_back(work, i);
	for (auto &t : threads) t.join();
	printf("static: %d launches on each of %d cards\n", steps, cards);
	return 0;
}

int main(int argc, char **argv) {
	if (argc > 1 && !strcmp(argv[1], "fork")) {
		int status = 0;
		for (int i = 0; i < 2; i++)
			if (!fork()) exit(all());
		while (wait(&status) > 0)
			if (status) return 1;
		return 0;
	}
	return all();
}
