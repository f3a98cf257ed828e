// The block's dynamic shared memory, as raw bytes from a multiple of 128 on.
#pragma once

#include "compiler.cuh"

namespace tessera::arch {

__device__ __forceinline__ unsigned char* dynamic_smem() {
#if defined(TESSERA_EMULATOR)
  // A heap block of exactly the requested size, so that an overrun shows.
  return ::emulator::dynamic_shared();
#else
  extern __shared__ __align__(128) unsigned char smem[];
  return smem;
#endif
}

}  // namespace tessera::arch
