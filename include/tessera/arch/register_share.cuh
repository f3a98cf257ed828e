// setmaxnreg: warps that need few registers leave theirs to the others (sm_90a).
#pragma once

#include "compiler.cuh"

namespace tessera::arch {

// Whether the target that is compiled for has it: compute_90a has, compute_90 has not. In the
// emulator, whose threads have all the registers they want, so that it runs what compute_90a does.
#if defined(__CUDA_ARCH_FEAT_SM90_ALL) || defined(TESSERA_EMULATOR)
inline constexpr bool has_register_share = true;
#else
inline constexpr bool has_register_share = false;
#endif

// All warps of a group of four call one of these, once, before they use more.
template <int Registers>
__device__ __forceinline__ void keep_registers() {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(Registers));
#endif
}
template <int Registers>
__device__ __forceinline__ void take_registers() {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(Registers));
#endif
}

}  // namespace tessera::arch
