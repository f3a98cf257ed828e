// FP32 arithmetic with one IEEE rounding per operation, whatever -use_fast_math or -fmad say.
#pragma once

#include "compiler.cuh"

namespace tessera::arch {

// round(x * y + z). The _ieee_ intrinsic keeps subnormals even under -ftz=true; plain fmaf does
// not.
__device__ __forceinline__ float fma(float x, float y, float z) { return __fmaf_ieee_rn(x, y, z); }

// round(x * y): -0 is the identity of addition, and it keeps the sign of a zero product.
__device__ __forceinline__ float mul(float x, float y) { return __fmaf_ieee_rn(x, y, -0.0f); }

// round(x + y): the product is exact.
__device__ __forceinline__ float add(float x, float y) { return __fmaf_ieee_rn(x, 1.0f, y); }

// x == 0, also under -ftz=true, where a comparison takes a subnormal for zero.
__device__ __forceinline__ bool is_zero(float x) { return __float_as_uint(x) << 1 == 0; }

}  // namespace tessera::arch
