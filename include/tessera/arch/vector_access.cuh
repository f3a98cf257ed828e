// Loads and stores of 1, 2 or 4 contiguous floats as one access. The pointer is a multiple of their
// size.
#pragma once

#include "compiler.cuh"

namespace tessera::arch {

// Whether such an access of `Width` floats may begin there.
template <int Width>
__device__ __forceinline__ bool is_aligned(const float* pointer) {
  return reinterpret_cast<unsigned long long>(pointer) % (Width * sizeof(float)) == 0;
}

// This call is equivalent to: for (i < Width) reg[i] = gmem[i].
template <int Width>
__device__ __forceinline__ void gmem_to_reg(float (&reg)[Width], const float* gmem) {
  static_assert(Width == 1 || Width == 2 || Width == 4, "an access is 1, 2 or 4 floats wide");
  if constexpr (Width == 4) {
    const float4 v = __ldg(reinterpret_cast<const float4*>(gmem));
    reg[0] = v.x, reg[1] = v.y, reg[2] = v.z, reg[3] = v.w;
  } else if constexpr (Width == 2) {
    const float2 v = __ldg(reinterpret_cast<const float2*>(gmem));
    reg[0] = v.x, reg[1] = v.y;
  } else {
    reg[0] = __ldg(gmem);
  }
}

// This call is equivalent to: for (i < Width) reg[i] = mem[i]. For smem, and for gmem that this
// kernel also writes (C), where the read-only path of gmem_to_reg is not allowed.
template <int Width>
__device__ __forceinline__ void mem_to_reg(float* reg, const float* mem) {
  static_assert(Width == 1 || Width == 2 || Width == 4, "an access is 1, 2 or 4 floats wide");
  if constexpr (Width == 4) {
    const float4 v = *reinterpret_cast<const float4*>(mem);
    reg[0] = v.x, reg[1] = v.y, reg[2] = v.z, reg[3] = v.w;
  } else if constexpr (Width == 2) {
    const float2 v = *reinterpret_cast<const float2*>(mem);
    reg[0] = v.x, reg[1] = v.y;
  } else {
    reg[0] = *mem;
  }
}

// This call is equivalent to: for (i < Width) mem[i] = reg[i]. For smem and gmem.
template <int Width>
__device__ __forceinline__ void reg_to_mem(float* mem, const float* reg) {
  static_assert(Width == 1 || Width == 2 || Width == 4, "an access is 1, 2 or 4 floats wide");
  if constexpr (Width == 4) {
    *reinterpret_cast<float4*>(mem) = make_float4(reg[0], reg[1], reg[2], reg[3]);
  } else if constexpr (Width == 2) {
    *reinterpret_cast<float2*>(mem) = make_float2(reg[0], reg[1]);
  } else {
    *mem = reg[0];
  }
}

}  // namespace tessera::arch
