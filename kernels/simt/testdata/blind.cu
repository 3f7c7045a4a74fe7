// Kernels that are wrong where an instrument is easily blind.

struct Six { float a[6]; };
__device__ float sum(Six x) { float r = 0; for (int i = 0; i < 6; i++) r += x.a[i]; return r; }
__device__ float4 operator+(float4 a, float4 b) { return make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w); }
__device__ __noinline__ float first(float3 a) { return a.x; }
__device__ Six six(float v) { return {{v, v, v, v, v, v}}; }

// A structure that a call is given out of memory, or puts there.
extern "C" __global__ void by_value(float *scratch, float *out) {
  __shared__ Six s[64];
  int t = threadIdx.x;
  for (int i = 0; i < 6; i++) s[t].a[i] = t;
  out[t] = sum(s[63 - t]);
}
extern "C" __global__ void by_operator(float *scratch, float *out) {
  __shared__ float4 s[64];
  int t = threadIdx.x;
  s[t] = make_float4(t, 0, 0, 0);
  out[t] = (s[63 - t] + s[t]).x;
}
extern "C" __global__ void by_hint(float *scratch, float *out) {
  __shared__ float3 s[64];
  int t = threadIdx.x;
  s[t] = make_float3(t, 0, 0);
  out[t] = first(s[63 - t]);
}
extern "C" __global__ void by_lambda(float *scratch, float *out) {
  auto f = [](Six x) { return x.a[0] + x.a[5]; };
  out[threadIdx.x] = f(*reinterpret_cast<const Six *>(scratch));
}
extern "C" __global__ void returned_twice(float *scratch, float *out) {
  __shared__ Six s[64];
  int t = threadIdx.x;
  s[t] = six(1);
  s[63 - t] = six(2);
  out[t] = 1;
}

// Shared memory that nobody writes.
static __shared__ float of_file[64];
extern "C" __global__ void never_written(float *scratch, float *out) {
  __shared__ float bias[64];
  out[threadIdx.x] = bias[threadIdx.x];
}
extern "C" __global__ void never_in_file(float *scratch, float *out) { out[threadIdx.x] = of_file[threadIdx.x]; }
extern "C" __global__ void never_compared(float *scratch, float *out) {
  __shared__ float s[64];
  out[threadIdx.x] = memcmp(&s[threadIdx.x], out, 4) ? 1 : 2;
}

// Memory of the program, and of another thread.
__device__ float part[8];
extern "C" __global__ void program(float *scratch, float *out) {
  if (threadIdx.x == 0) part[blockIdx.x] = 1;
  __syncthreads();
  out[blockIdx.x * 64 + threadIdx.x] = part[0] + part[1];
}
extern "C" __global__ void of_another(float *scratch, float *out) {
  __shared__ float *at[64];
  float mine = threadIdx.x;
  at[threadIdx.x] = &mine;
  __syncthreads();
  out[threadIdx.x] = *at[63 - threadIdx.x];
  __syncthreads();
}

// Bounds that are far away, or below.
extern "C" __global__ void below(float *scratch, float *out) {
  extern __shared__ float smem[];
  if (threadIdx.x == 0) smem[-1] = 1;
  out[threadIdx.x] = 1;
}
extern "C" __global__ void above(float *scratch, float *out) {
  extern __shared__ float smem[];
  if (threadIdx.x == 0) smem[58112 + 2] = 1;
  out[threadIdx.x] = 1;
}
extern "C" __global__ void far_read(float *scratch, float *out) { out[threadIdx.x] = scratch[threadIdx.x + (1 << 20)]; }
extern "C" __global__ void far_write(float *scratch, float *out) {
  out[threadIdx.x] = 1;
  if (threadIdx.x == 0) out[-(1 << 20)] = 1;
}
extern "C" __global__ void indexed(float *scratch, float *out) {
  __shared__ float first[64], second[64];
  for (int i = 0; i <= 64; i += 64) first[threadIdx.x * 0 + i] = 1;
  second[threadIdx.x] = 1;
  out[threadIdx.x] = second[threadIdx.x];
}

// Bytes of one word.
extern "C" __global__ void bytes(float *scratch, float *out) {
  __shared__ unsigned char s[4];
  if (threadIdx.x == 0) s[0] = 1;
  if (threadIdx.x == 1) s[1] = 2;
  __syncwarp();
  out[threadIdx.x] = threadIdx.x == 32 ? s[0] : 1;
}
extern "C" __global__ void quarter(float *scratch, float *out) { reinterpret_cast<unsigned char *>(out + threadIdx.x)[0] = 1; }

// What was told of one copy is not what another does.
extern "C" __global__ void copied(float *scratch, float *out) {
  __shared__ Six s;
  Six x = six(threadIdx.x);
  if (threadIdx.x == 0) s = x;
  __syncthreads();
  if (threadIdx.x == 0) memcpy(&s, &x, sizeof x);
  out[threadIdx.x] = s.a[3];
}

// Lanes that are not there, or came for another kind of shuffle.
extern "C" __global__ void no_lane(float *scratch, float *out) {
  out[threadIdx.x] = fmaxf(0, __shfl_xor_sync(0xffffffffu, 1.0f, 16));
}
extern "C" __global__ void outside_mask(float *scratch, float *out) {
  float v = 1;
  if (threadIdx.x % 32 < 16) v = fmaxf(v, __shfl_xor_sync(0xffffu, v, 16));
  out[threadIdx.x] = v;
}
extern "C" __global__ void two_kinds(float *scratch, float *out) {
  float v;
  if (threadIdx.x & 1) v = __shfl_xor_sync(0xffffffffu, 1.0f, 1);
  else v = __shfl_down_sync(0xffffffffu, 1.0f, 1);
  out[threadIdx.x] = v;
}

#define EITHER(c, a, b) if (c) { a; __syncthreads(); } else { b; __syncthreads(); }
extern "C" __global__ void one_line(float *scratch, float *out) {
  EITHER(threadIdx.x & 1, out[threadIdx.x] = 1, out[threadIdx.x] = 2)
}

// What no device launches.
constexpr int WARP = 32;
extern "C" __global__ void __launch_bounds__(WARP, 1) bounded(float *scratch, float *out) { out[threadIdx.x] = 1; }
extern "C" __global__ void too_much(float *scratch, float *out) {
  __shared__ float big[20000];
  big[threadIdx.x] = 1;
  out[threadIdx.x] = big[threadIdx.x];
}

// A thread that waits in a loop for another.
extern "C" __global__ void spin(float *scratch, float *out) {
  __shared__ volatile int flag;
  flag = 0;
  __syncthreads();
  if (threadIdx.x == 63) flag = 1;
  while (!flag) {}
  out[threadIdx.x] = 1;
}

// These are right: structures with padding, a name in a namespace, a recursion.
struct alignas(16) Padded { float x, y, z; };
struct Mixed { double a; float b; };
extern "C" __global__ void padding(float *scratch, float *out) {
  __shared__ Padded p[64];
  __shared__ Mixed m[64];
  int t = threadIdx.x;
  p[t].x = t, p[t].y = 1, p[t].z = 2;
  m[t].a = t, m[t].b = 1;
  __syncthreads();
  Padded q = p[63 - t];
  Mixed n = m[63 - t];
  out[t] = q.x + q.y + q.z + float(n.a) + n.b;
}
namespace inner {
__device__ float *array() {
  extern __shared__ float dynamic[];
  return dynamic;
}
} // namespace inner
__device__ int up(int n) { return n ? 1 + up(n - 1) : 0; }
extern "C" __global__ void write(float *scratch, float *out) {
  inner::array()[threadIdx.x] = up(threadIdx.x);
  out[threadIdx.x] = inner::array()[threadIdx.x];
}
