struct Window {
    float scale;
    float bias;
    unsigned int from;
    unsigned int to;
    float taps[10];
};

extern "C" __global__ void scan_forward(const float *x, const float *g, const float *b, float *out, float *state,
                                        unsigned int n, unsigned int heads, unsigned int chunk, float decay) {
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n * heads) {
        out[i] = x[i] * decay + g[i] * b[i];
        state[i / chunk] = out[i];
    }
}

extern "C" __global__ void scan_window(float *out, Window w) {
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = w.scale * w.taps[(i + w.from) % 10] + w.bias;
}

extern "C" __global__ void clear(float *out, unsigned int n) {
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = 0.0f;
    }
}
