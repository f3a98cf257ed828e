// Programmatic dependent launch (sm_90 and newer): a kernel may begin while the one before it in
// the stream ends, so its launch costs 0.2 to 0.3 us less. Without that attribute of the launch
// both calls do nothing.
#pragma once

#include "compiler.cuh"

namespace tessera::arch {

// Until all that was enqueued before this launch has ended and its writes are there. Called by
// every thread before it reads or writes gmem.
__device__ __forceinline__ void wait_for_launches_before() {
#if defined(TESSERA_EMULATOR)
  ::emulator::wait_for_launches_before();
#elif defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

// The next launch may begin once a thread of every block has said so, or the block has ended. Only
// before a kernel that leaves the SMs to whatever comes after it: one whose blocks take the place
// of this one's as it ends is spread unevenly (1024^3 in two slices: 72 us instead of 53.5).
__device__ __forceinline__ void allow_next_launch() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

}  // namespace tessera::arch
