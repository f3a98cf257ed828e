// Thread block clusters: which chips have them, their barrier, and loads from the shared memory of
// another block of the cluster.
#pragma once

#include "cluster_limit.hpp"
#include "compiler.cuh"

namespace tessera::arch {

// Whether every chip that this unit is compiled for has clusters: a launch cannot ask the device
// without touching it. (nvcc tells its host passes the list; another compiler is taken to have a
// chip without.) Two units of one program may differ in it, so it must be a template argument of
// every function whose code depends on it.
#if defined(TESSERA_EMULATOR) || defined(__CUDACC_RTC__)
inline constexpr bool clusters_everywhere = true;
#elif defined(__CUDA_ARCH_LIST__)
constexpr bool every_chip_has_clusters() {
  constexpr int chips[] = {__CUDA_ARCH_LIST__};
  for (const int chip : chips) {
    if (chip < 900) return false;
  }
  return true;
}
inline constexpr bool clusters_everywhere = every_chip_has_clusters();
#else
inline constexpr bool clusters_everywhere = false;
#endif

// Whether the chip that is compiled for has them. In kernels only.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900
inline constexpr bool has_clusters = false;
#else
inline constexpr bool has_clusters = true;
#endif

// The cluster's barrier in two halves: no thread returns from its wait before every thread has
// arrived, and what was done to shared memory before an arrive is done after a wait. All threads of
// a warp together.
__device__ __forceinline__ void cluster_arrive() {
#if defined(TESSERA_EMULATOR)
  ::emulator::cluster_arrive();
#elif defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
#endif
}
__device__ __forceinline__ void cluster_wait() {
#if defined(TESSERA_EMULATOR)
  ::emulator::cluster_wait();
#elif defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
#endif
}

// This call is equivalent to: for (i < Width) reg[i] = smem[i], with `smem` of the cluster's block
// `rank` instead of this block's. The pointer is a multiple of the access.
template <int Width>
__device__ __forceinline__ void cluster_to_reg(float (&reg)[Width], const float* smem, int rank) {
  static_assert(Width == 1 || Width == 2 || Width == 4, "an access is 1, 2 or 4 floats wide");
#if defined(TESSERA_EMULATOR)
  const float* remote = static_cast<const float*>(
      ::emulator::cluster_shared(smem, static_cast<unsigned int>(rank), sizeof(reg)));
  for (int i = 0; i < Width; ++i) reg[i] = remote[i];
#elif defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  unsigned remote;
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;"
               : "=r"(remote)
               : "r"(static_cast<unsigned>(__cvta_generic_to_shared(smem))), "r"(rank));
  if constexpr (Width == 4) {
    asm volatile("ld.shared::cluster.v4.f32 {%0, %1, %2, %3}, [%4];"
                 : "=f"(reg[0]), "=f"(reg[1]), "=f"(reg[2]), "=f"(reg[3])
                 : "r"(remote));
  } else if constexpr (Width == 2) {
    asm volatile("ld.shared::cluster.v2.f32 {%0, %1}, [%2];"
                 : "=f"(reg[0]), "=f"(reg[1])
                 : "r"(remote));
  } else {
    asm volatile("ld.shared::cluster.f32 %0, [%1];" : "=f"(reg[0]) : "r"(remote));
  }
#endif
}

}  // namespace tessera::arch
