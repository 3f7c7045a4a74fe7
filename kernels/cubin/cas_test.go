package cubin

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// swapsSource has additions of floats that are loops of compare-and-swap in the
// instructions, and loops that are none.
const swapsSource = `#include <cuda_fp16.h>
extern "C" __global__ void sum_shared(float *p) { __shared__ float s[8]; s[threadIdx.x] = 0; __syncthreads(); atomicAdd(&s[p != 0], p[2]); __syncthreads(); p[0] = s[0]; }
extern "C" __global__ void sum_double(double *p) { __shared__ double s[8]; s[threadIdx.x] = 0; __syncthreads(); atomicAdd(&s[p != 0], p[2]); __syncthreads(); p[0] = s[0]; }
extern "C" __global__ void sum_halves(__half2 *p) { __shared__ __half2 s[8]; s[threadIdx.x] = p[1]; __syncthreads(); atomicAdd(&s[p != 0], p[2]); __syncthreads(); p[0] = s[0]; }
extern "C" __global__ void sum_loop(float *p) { int *q = (int*)p; int old = *q, as; do { as = old; old = atomicCAS(q, as, __float_as_int(__int_as_float(as) + 2.0f)); } while (as != old); }
extern "C" __global__ void sum_fused(float *p, float v) { int *q = (int*)p; int old = *q, as; do { as = old; old = atomicCAS(q, as, __float_as_int(__int_as_float(as) + v * p[3])); } while (as != old); }
extern "C" __global__ void no_larger(float *p, float v) { int *q = (int*)p; int old = *q, as; do { as = old; old = atomicCAS(q, as, __float_as_int(fmaxf(__int_as_float(as), v + 1.0f))); } while (as != old); }
extern "C" __global__ void no_integer(int *p) { __shared__ int s[8]; s[threadIdx.x] = 0; __syncthreads(); int old = s[1], as; do { as = old; old = atomicCAS(&s[1], as, as * 3 + p[1]); } while (as != old); __syncthreads(); p[0] = s[1]; }
extern "C" __global__ void no_lock(int *l, float *p) { while (atomicCAS(l, 0, 1)) {} p[0] += 1; __threadfence(); atomicExch(l, 0); }
`

// A loop of compare-and-swap around an addition of floats is one, and any other stays
// unknown.
func TestSwaps(t *testing.T) {
	source := filepath.Join(t.TempDir(), "swaps.cu")
	if err := os.WriteFile(source, []byte(swapsSource), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, arch := range []string{"75", "80", "90", "100"} {
		if !knows(t, arch) {
			continue
		}
		path, _ := compile(t, source, arch)
		for name, k := range kernels(parseFile(t, path)) {
			switch sums := strings.HasPrefix(name, "sum_"); {
			case sums && len(k.Atomics) == 0:
				t.Errorf("sm_%s: %s adds floats: %q", arch, name, k.AtomicsWhy)
			case !sums && (len(k.Atomics) > 0 || !strings.HasPrefix(k.AtomicsWhy, "a compare-and-swap at 0x")):
				t.Errorf("sm_%s: %s adds none: %+v, %q", arch, name, k.Atomics, k.AtomicsWhy)
			}
		}
	}
}
