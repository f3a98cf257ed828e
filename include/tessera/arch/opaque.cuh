// A value that the compiler knows nothing about.
#pragma once

#include "compiler.cuh"

namespace tessera::arch {

// This call is equivalent to: value. What is computed from it stays where it is written.
__device__ __forceinline__ int opaque(int value) {
#if !defined(TESSERA_EMULATOR)
  asm volatile("" : "+r"(value));
#endif
  return value;
}
__device__ __forceinline__ long long opaque(long long value) {
#if !defined(TESSERA_EMULATOR)
  asm volatile("" : "+l"(value));
#endif
  return value;
}

// A pointer to shared memory: where it is kept as it is, cp.async under a guard need not find the
// block's window again, which takes some 30 cycles each time.
__device__ __forceinline__ float* opaque(float* pointer) {
#if !defined(TESSERA_EMULATOR)
  asm volatile("" : "+l"(pointer));
#endif
  return pointer;
}

// A pointer to gmem: what is added to it is added there.
__device__ __forceinline__ const float* opaque(const float* pointer) {
#if !defined(TESSERA_EMULATOR)
  asm volatile("" : "+l"(pointer));
#endif
  return pointer;
}

// Any value, at no cost: whoever stores it has read beyond an end. The emulator's is NaN.
__device__ __forceinline__ float anything() {
#if defined(TESSERA_EMULATOR)
  return __builtin_nanf("");
#else
  float value;
  asm("" : "=f"(value));
  return value;
#endif
}

}  // namespace tessera::arch
