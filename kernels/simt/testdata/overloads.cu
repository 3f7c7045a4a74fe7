// What CUDA's functions give, by the types of their arguments. nvcc, too, compiles this.
#include <type_traits>
#define SAME(type, ...) static_assert(std::is_same<type, decltype(__VA_ARGS__)>::value, #__VA_ARGS__)
extern "C" __global__ void k(float *out) {
  SAME(float, abs(1.0f)); SAME(double, abs(1.0)); SAME(int, abs(1)); SAME(long, abs(1L)); SAME(long long, abs(1LL));
  SAME(float, fabs(1.0f)); SAME(float, exp(1.0f)); SAME(float, log(1.0f)); SAME(float, sqrt(1.0f)); SAME(float, sin(1.0f)); SAME(float, tanh(1.0f));
  SAME(float, floor(1.0f)); SAME(float, round(1.0f)); SAME(float, exp2(1.0f)); SAME(float, log2(1.0f)); SAME(float, erf(1.0f)); SAME(float, log1p(1.0f));
  SAME(double, exp(1)); SAME(double, sqrt(1));
  SAME(float, pow(1.0f, 2.0f)); SAME(double, pow(1.0f, 2)); SAME(double, pow(1.0, 2.0f)); SAME(double, pow(2, 2));
  SAME(float, fma(1.0f, 1.0f, 1.0f)); SAME(float, fmin(1.0f, 2.0f)); SAME(float, fmax(1.0f, 2.0f)); SAME(double, fmax(1.0f, 2.0)); SAME(float, fmod(1.0f, 2.0f));
  SAME(float, copysign(1.0f, 2.0f)); SAME(float, ldexp(1.0f, 2)); SAME(float, cbrt(1.0f)); SAME(float, hypot(1.0f, 2.0f)); SAME(float, atan2(1.0f, 2.0f));
  SAME(float, min(1.0f, 2.0f)); SAME(double, min(1.0f, 2.0)); SAME(double, max(1.0, 2.0f)); SAME(double, max(1.0, 2.0));
  SAME(unsigned, min(1, 2u)); SAME(unsigned, max(1u, 2)); SAME(unsigned long, min(1L, 2ul)); SAME(long, max(1L, 2L)); SAME(unsigned long long, min(1LL, 2ull)); SAME(unsigned long long, max(1ull, 2LL)); SAME(unsigned long, max(2ul, 1L));SAME(unsigned long, max(2ul, 1ul));SAME(unsigned long long, max(2ull, 1ull));
  SAME(float, rsqrt(1.0f)); SAME(double, rsqrt(1.0)); SAME(float, rsqrtf(1.0f));
  SAME(bool, isnan(1.0f)); 
  SAME(bool, isinf(1.0f)); 
  SAME(bool, signbit(1.0f)); 
  SAME(float, __fdividef(1.0f, 2.0f)); SAME(float, __saturatef(2.0f)); SAME(float, __expf(1.0));
  SAME(float, __powf(1, 2));
  out[0] = 0;
}
