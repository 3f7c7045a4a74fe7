// Numbers that another overload, another conversion or the other branch would change.
extern "C" __global__ void arithmetic(float *out, float x) {
  out[0] = abs(-x * 0.5f);                       // 0.75; 0 were it that of int
  out[1] = exp(x * 60) == INFINITY ? 1.0f : 0;   // exp(90) is beyond float, not beyond double
  out[2] = pow(x * 1e25f, 2.0f) == INFINITY ? 1.0f : 0;
  out[3] = min(-1, 2u) == 2u ? 1.0f : 0;         // both unsigned
  out[4] = max(x, NAN);
  out[5] = float(__float2int_rz(x * 1e30f) == INT_MAX && __float2int_rz(-x * 1e30f) == INT_MIN);
  out[6] = float(__float2int_rz(NAN) == 0 && __float2uint_rz(-x) == 0u && __float2uint_rz(4e9f) == 4000000000u);
  out[7] = float(__float2int_rn(2.5f) * 1000 + __float2int_ru(x) * 100 + __float2int_rd(-x) * -10);
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900 && defined(__CUDACC__)
  out[8] = 1;
#else
  out[8] = 0;
#endif
}

extern "C" __global__ void converts(float *out, float x) {
  int n = int(x);
  out[threadIdx.x] = float(n);
}

extern "C" __global__ void natural(float *out, float x) {
  unsigned n = unsigned(x);
  out[threadIdx.x] = float(n);
}
