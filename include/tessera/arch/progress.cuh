// Progress that one block publishes in gmem and another waits for.
#pragma once

#include "compiler.cuh"

namespace tessera::arch {

// All threads of a warp: what they wrote before is there for whoever sees `value`. (The barrier
// orders it before the release, which is cumulative.)
__device__ __forceinline__ void publish(int* progress, int value) {
  __syncwarp();
  if (threadIdx.x % 32 == 0) {
#if defined(TESSERA_EMULATOR)
    ::emulator::publish(progress, value);
#else
    asm volatile("st.release.gpu.global.s32 [%0], %1;" ::"l"(progress), "r"(value) : "memory");
#endif
  }
}

// All threads of a warp: until `value`, and not a later one, is published.
__device__ __forceinline__ void wait_until(const int* progress, int value) {
#if defined(TESSERA_EMULATOR)
  ::emulator::wait_until(progress, value);
#else
  int now;
  do {
    asm volatile("ld.acquire.gpu.global.s32 %0, [%1];" : "=r"(now) : "l"(progress) : "memory");
  } while (now != value);
#endif
  __syncwarp();
}

}  // namespace tessera::arch
