// The only place that launches a kernel.
#pragma once

#include "../arch/compiler.cuh"
#include "../arch/visibility.hpp"
#include "../status.hpp"
#include "plan.hpp"

namespace tessera {
namespace TESSERA_HIDDEN detail {

// Shared memory that a kernel may use without asking.
inline constexpr int default_smem_limit = 48 * 1024;

inline Status to_status(cudaError_t error) {
  if (error == cudaSuccess) return {};
  return Status::from_cuda(static_cast<int>(error), cudaGetErrorString(error));
}

// Enqueues `kernel` on `stream` as planned. The launch's own return says whether it was accepted:
// an earlier error of the caller's stays where cudaGetLastError finds it.
template <class Arguments>
Status launch(void (*kernel)(Arguments), const LaunchPlan& plan, cudaStream_t stream,
              const Arguments& arguments) {
  if (plan.smem_bytes > default_smem_limit) {
    // Per device, so it is asked of the current one at every launch rather than remembered.
    const cudaError_t error =
        cudaFuncSetAttribute(reinterpret_cast<const void*>(kernel),
                             cudaFuncAttributeMaxDynamicSharedMemorySize, plan.smem_bytes);
    if (error != cudaSuccess) return to_status(error);
  }
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(static_cast<unsigned>(plan.grid));
  config.blockDim = dim3(static_cast<unsigned>(plan.block));
  config.dynamicSmemBytes = static_cast<std::size_t>(plan.smem_bytes);
  config.stream = stream;
  return to_status(cudaLaunchKernelEx(&config, kernel, arguments));
}

}  // namespace detail
}  // namespace tessera
