extern "C" __global__ void scan_backward(const float *d_out, float *d_x, unsigned int n, float decay, float clip) {
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        d_x[i] = fminf(d_out[i] * decay, clip);
    }
}
