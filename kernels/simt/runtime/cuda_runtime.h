// What CUDA has here stands in gpuci_simt.h, which every source begins with.
#pragma once
