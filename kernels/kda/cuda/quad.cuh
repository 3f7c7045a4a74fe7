// Four floats at a time: 16 bytes to a load and a store. Addresses are multiples of 16.
#pragma once

__device__ __forceinline__ float4 load(const float *p) { return *reinterpret_cast<const float4 *>(p); }

// store writes one word of 16 bytes: a float4 that is assigned nvcc takes apart where it
// moves the assignment, and then writes it in four.
__device__ __forceinline__ void store(float *p, float4 x) {
  using Word = unsigned __int128;
  const auto word = [](float x) { return Word(unsigned(__float_as_int(x))); };
  *reinterpret_cast<Word *>(p) = word(x.x) | word(x.y) << 32 | word(x.z) << 64 | word(x.w) << 96;
}
