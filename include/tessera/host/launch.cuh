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

// Allows `kernel` that much dynamic shared memory on the current device.
inline cudaError_t allow_smem(const void* kernel, int bytes) {
#if CUDART_VERSION >= 13000
  // Not cudaFuncSetAttribute: with CUDA 13.0 it clears the caller's last error.
  int device = 0;
  cudaKernel_t handle = nullptr;
  if (const cudaError_t error = cudaGetDevice(&device); error != cudaSuccess) return error;
  if (const cudaError_t error = cudaGetKernel(&handle, kernel); error != cudaSuccess) return error;
  return cudaKernelSetAttributeForDevice(handle, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes,
                                         device);
#else
  return cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
#endif
}

// Enqueues `kernel` on `stream` as planned. The launch's own return says whether it was accepted:
// an earlier error of the caller's stays where cudaGetLastError finds it.
template <class Arguments>
Status launch(void (*kernel)(Arguments), const LaunchPlan& plan, cudaStream_t stream,
              const Arguments& arguments) {
  if (plan.smem_bytes > default_smem_limit) {
    // At every launch rather than remembered: it holds for one device only.
    const cudaError_t error = allow_smem(reinterpret_cast<const void*>(kernel), plan.smem_bytes);
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
