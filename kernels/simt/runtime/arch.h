// What sources ask the compiler of. A .cu file is compiled here as nvcc compiles it for
// the device: with these two, it is the device's branch of a source that is run and
// looked at, and not the other one in its place. The last header: the system's look at
// them too, for other things.
#pragma once

#define __CUDACC__ 1
#define __CUDA_ARCH__ 900 // sm_90; a branch for an older one is not compiled, as there
