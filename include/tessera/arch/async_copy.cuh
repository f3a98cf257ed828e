// cp.async: copies from gmem to smem that no register and no thread waits for (sm_80 and newer).
#pragma once

#include "compiler.cuh"

namespace tessera::arch {

// Whether the chip that is compiled for has them. In kernels only.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
inline constexpr bool has_async_copy = false;
#else
inline constexpr bool has_async_copy = true;
#endif

// Prefetch: brings the 128 bytes around an access to L2, prefetch_far the 256. Keep: the SM's L1
// keeps what is copied, for warps that copy it again.
enum class CopyHint { none, prefetch, prefetch_far, keep };

// This call is equivalent to: for (i < Width) smem[i] = gmem[i], once the copies are waited for.
// Both pointers are multiples of the access.
template <int Width, CopyHint hint = CopyHint::none>
__device__ __forceinline__ void copy_async(float* smem, const float* gmem) {
  static_assert(Width == 1 || Width == 2 || Width == 4, "an access is 1, 2 or 4 floats wide");
#if defined(TESSERA_EMULATOR)
  constexpr int bytes = Width * static_cast<int>(sizeof(float));
  ::emulator::cp_async(smem, gmem, bytes, bytes);
#elif defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  const auto address = static_cast<unsigned>(__cvta_generic_to_shared(smem));
  if constexpr (Width == 4 && hint == CopyHint::prefetch_far) {
    asm volatile("cp.async.cg.shared.global.L2::256B [%0], [%1], 16;" ::"r"(address), "l"(gmem)
                 : "memory");
  } else if constexpr (Width == 4 && hint == CopyHint::prefetch) {
    asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16;" ::"r"(address), "l"(gmem)
                 : "memory");
  } else if constexpr (Width == 4 && hint == CopyHint::none) {  // past L1: nobody reads it twice
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(address), "l"(gmem) : "memory");
  } else {
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(address), "l"(gmem),
                 "n"(Width * sizeof(float))
                 : "memory");
  }
#endif
}

// This call is equivalent to: if (wanted) copy_async<Width, hint>(smem, gmem). Without a branch:
// each would take 8 instructions.
template <int Width, CopyHint hint = CopyHint::none>
__device__ __forceinline__ void copy_async_if(bool wanted, float* smem, const float* gmem) {
  static_assert(Width == 1 || Width == 2 || Width == 4, "an access is 1, 2 or 4 floats wide");
#if defined(TESSERA_EMULATOR)
  if (wanted) copy_async<Width, hint>(smem, gmem);
#elif defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  const auto address = static_cast<unsigned>(__cvta_generic_to_shared(smem));
  const int guard = wanted ? 1 : 0;
  if constexpr (Width == 4 && hint == CopyHint::prefetch_far) {
    asm volatile(
        "{.reg .pred p; setp.ne.s32 p, %0, 0;"
        " @p cp.async.cg.shared.global.L2::256B [%1], [%2], 16;}" ::"r"(guard),
        "r"(address), "l"(gmem)
        : "memory");
  } else if constexpr (Width == 4 && hint == CopyHint::prefetch) {
    asm volatile(
        "{.reg .pred p; setp.ne.s32 p, %0, 0;"
        " @p cp.async.cg.shared.global.L2::128B [%1], [%2], 16;}" ::"r"(guard),
        "r"(address), "l"(gmem)
        : "memory");
  } else if constexpr (Width == 4 && hint == CopyHint::none) {
    asm volatile(
        "{.reg .pred p; setp.ne.s32 p, %0, 0;"
        " @p cp.async.cg.shared.global [%1], [%2], 16;}" ::"r"(guard),
        "r"(address), "l"(gmem)
        : "memory");
  } else {
    asm volatile(
        "{.reg .pred p; setp.ne.s32 p, %0, 0;"
        " @p cp.async.ca.shared.global [%1], [%2], %3;}" ::"r"(guard),
        "r"(address), "l"(gmem), "n"(Width * sizeof(float))
        : "memory");
  }
#endif
}

// Until the copies that this thread has issued are done.
__device__ __forceinline__ void wait_for_copies() {
#if defined(TESSERA_EMULATOR)
  ::emulator::cp_async_commit();
  ::emulator::cp_async_wait(0);
#elif defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}

// Ends a group: the copies that this thread has issued since the last one, possibly none.
__device__ __forceinline__ void end_copy_group() {
#if defined(TESSERA_EMULATOR)
  ::emulator::cp_async_commit();
#elif defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

// Until the copies of all groups of this thread but the last `Groups` are done.
template <int Groups>
__device__ __forceinline__ void wait_for_copies_but() {
#if defined(TESSERA_EMULATOR)
  ::emulator::cp_async_wait(Groups);
#elif defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_group %0;" ::"n"(Groups) : "memory");
#endif
}

}  // namespace tessera::arch
