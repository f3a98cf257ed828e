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

}  // namespace tessera::arch
