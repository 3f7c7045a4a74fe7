// Package simt runs CUDA kernels on the host: the very same .cu files, compiled by
// the system's C++ compiler (GCC or Clang from 10 on, on Linux with glibc) through a
// header of ours, with blocks over the cores and the threads of a block as fibers. It
// is the backend of a machine without a card, and a checking instrument on any.
//
// [Build] makes a [Program] of sources, in one of three modes:
//
//   - [Plain] computes;
//   - [Address] has AddressSanitizer look at every access: beyond a buffer, or outside
//     the dynamic shared memory that the launch asked for. The first one ends the job;
//   - [Check] keeps a shadow of every byte of global and shared memory and of the
//     variables of the program. Since fibers run one after the other it is exact about
//     what this input and this order do: two threads on one byte that no barrier
//     orders, a read of what nobody wrote, an output element written twice in a launch,
//     an input written, an access to anything else than what the thread may touch.
//
// Each buffer has 16 GiB of addresses to itself: no int leads from one to another. In
// Plain and Address an access further than 4 KiB from its buffer, or a write to an input,
// ends the job and is a finding; Plain sees when all is over that something was written
// next to a buffer or to the dynamic shared memory, but not by whom.
//
// In all of them outputs, scratch and shared memory begin as NaN, the order of
// threads between two barriers follows the job's seed, an output element that still
// has its first bits is told, threads that wait for different barriers or for nothing
// are told instead of hanging, and a kernel that dies is an error that names it.
//
// What is promised of the language is what the kernels here use: one to three
// dimensions, static and dynamic __shared__, __syncthreads, __syncwarp, the four
// shuffles of 32-bit values, float arithmetic. Atomics, textures, votes, cooperative
// groups, half precision, and launches from the device are compile errors. A kernel
// is an extern "C" __global__ function that is written out (not made by a macro, nor
// left out by #if), whose parameters are float *, const float *, int, unsigned and
// float. Each source is a program of its own, as nvcc has it without -rdc: helpers of one
// name in two are two. A launch with more threads than __launch_bounds__ names, or with
// more static or total shared memory than a block may have, is refused.
//
// Threads that returned are not waited for, at block barriers as in warps, as devices
// since Volta have it. Lanes may meet at shuffles of one kind that stand at different
// lines, and at different __syncwarp; a value asked of a lane that does not take part is
// uninitialised. A shuffle orders no memory; __syncwarp does. Nothing of a warp
// runs in lockstep. Multiplications and additions are not contracted to fmaf, which
// nvcc does by itself: the two backends agree to rounding, not to the bit.
//
// What was built is found again by what the compiler's preprocessor makes of the sources
// and of the runtime today, by the options, and by what the compiler says of itself; that
// text, and no other, is what is compiled. Each file of it has a sum, and what is no
// longer as it was kept is made again beside it. Nothing that was built is ever removed
// from Dir; what a process left there that was killed is, by the next build.
//
// Arithmetic has CUDA's overloads: abs, exp, pow, min and the others are of the types that
// nvcc gives them. The fast forms (__expf) are the exact ones. A float converted to an
// integer that cannot hold it, which devices saturate and C++ leaves undefined, ends the
// kernel; __float2int_rz and its like saturate. __CUDACC__ is 1 and __CUDA_ARCH__ 900: it
// is the device's branch that runs, and one that the host cannot compile is an error.
// Branches for other devices are not looked at. Subnormal numbers are kept, and the
// functions of the math library round as the host's do.
//
// A launch has a limit (Options.Limit), after which the error says what was running. The
// runner ends with the process that waits for it, however that ends.
//
// What cannot be seen is refused by the build where it can be told: with GCC in Check a
// call that takes a structure out of memory or puts one there (few are left, as functions
// are put into their callers, __noinline__ or not), and variables of a thread that are or
// may be read before they are written. Clang refuses those in Check more often than it
// must, in the other modes less.
//
// What is not seen: elements of a thread's own arrays that are read before they are
// written (they begin as NaN with Clang, as -1.7e38 with GCC from 12 on); a pointer that
// leaves a static array other than by an index of that array; padding that was not
// written, and with it a member at the same place of another structure of that size;
// shared memory of a file's scope in what a launch asks for, and a __launch_bounds__ that
// a macro hides; where more than two lanes of one warp read a word between partial
// __syncwarp, a race of the third; in Check with GCC a store of what was just read from
// the same place, which it drops; functions of the C library that are given addresses,
// but those of memory (memcpy, memset, memmove, memcmp) and sincosf, modff, frexpf,
// remquof and their doubles; and threads that come to one barrier in other rounds of a
// loop, when some have left it. In Plain and Address also barriers of two calls that were
// not put into their callers.
package simt
