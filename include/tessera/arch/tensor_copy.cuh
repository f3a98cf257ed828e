// Tensor copies (TMA, sm_90 and newer): one thread asks for a box of a matrix in gmem, and a
// barrier in smem counts its bytes in.
#pragma once

#include "compiler.cuh"
#include "pipeline_barrier.cuh"

namespace tessera::arch {

// Whether the chip that is compiled for has them. In kernels only.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900
inline constexpr bool has_tensor_copy = false;
#else
inline constexpr bool has_tensor_copy = true;
#endif

// Elements along a side of a box, at most.
inline constexpr int longest_box = 256;

// What the hardware knows of a matrix and its boxes: the driver's CUtensorMap, which host code
// fills (host/tensor_map.cuh). A kernel reads it where its argument is, which is __grid_constant__.
struct alignas(128) TensorMap {
  unsigned long long words[16];
};

// Copies the box that begins at (mn, k), where mn is the contiguous mode, to smem, packed; what
// lies outside the matrix is +0, also before its first element. `full` expects the bytes of the
// whole box (PipelineBarrier::expect). smem is a multiple of 128 bytes, mn of 4 elements: others
// stop the kernel (seen on an H200).
__device__ __forceinline__ void copy_box(float* smem, const TensorMap* map, int mn, int k,
                                         PipelineBarrier& full) {
#if defined(TESSERA_EMULATOR)
  ::emulator::copy_box(smem, map, mn, k, &full);
#elif defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes"
      " [%0], [%1, {%2, %3}], [%4];" ::"r"(static_cast<unsigned>(__cvta_generic_to_shared(smem))),
      "l"(map), "r"(mn), "r"(k), "r"(full.address())
      : "memory");
#endif
}

// Makes the barriers that this thread has initialised visible to tensor copies.
__device__ __forceinline__ void show_barriers_to_copies() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
#endif
}

}  // namespace tessera::arch
