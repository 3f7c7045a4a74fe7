// A call of one of two methods, neither of which adds floats.
struct Base {
	virtual __device__ float go(float *) = 0;
};
struct One : Base {
	__device__ float go(float *x) override { return x[3]; }
};
struct Two : Base {
	__device__ float go(float *x) override { return x[4] * 2; }
};

extern "C" __global__ void byobject(float *x, int n) {
	One one;
	Two two;
	Base *b = n > 3 ? (Base *)&one : (Base *)&two;
	x[9] = b->go(x);
}
extern "C" __global__ void makes(Base **b) {
	b[0] = new One;
	b[1] = new Two;
}
