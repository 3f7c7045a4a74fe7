// Package simt runs CUDA kernels on the host: the very same .cu files, compiled by
// the system's C++ compiler (GCC or Clang from 10 on, on Linux with glibc) through a
// header of ours, with blocks over the cores and the threads of a block as fibers. It
// is the backend of a machine without a card, and a checking instrument on any.
//
// [Build] makes a [Program] of sources, in one of three modes:
//
//   - [Plain] computes;
//   - [Address] has AddressSanitizer look at every access: beyond a buffer, or beyond
//     the dynamic shared memory that the launch asked for. The first one ends the job;
//   - [Check] keeps a shadow of every word of global and shared memory. Since fibers
//     run one after the other it is exact about what this input and this order do:
//     two threads on one word that no barrier orders, a read of what nobody wrote, an
//     output element written twice in a launch, an access between two buffers.
//
// Plain sees when all is over that something was written beyond a buffer, but not by whom.
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
// float; an extern __shared__ array is declared in the sources or what they include.
//
// Threads that returned are not waited for, at block barriers as in warps, as devices
// since Volta have it. A shuffle orders no memory; __syncwarp does. Nothing of a warp
// runs in lockstep. Multiplications and additions are not contracted to fmaf, which
// nvcc does by itself: the two backends agree to rounding, not to the bit.
//
// What was built is found again by the text of the sources, of the headers that they
// name in #include as far as those stand beside them or in Include, of the runtime and
// the options, and by what the compiler says of itself. Other headers belong to the
// system. Nothing that was built is ever removed from Dir.
//
// What is not seen: bounds of static __shared__ arrays; in Check races between bytes
// of one word are told apart only where the accesses are of bytes; where more than two
// lanes of one warp read a word between partial __syncwarp, a race of the third; and that
// threads came to one barrier by two calls of a function that was not inlined. With GCC a
// structure of the source's own that a call returns into shared or global memory is not
// seen to be written: give it to a variable first.
package simt
