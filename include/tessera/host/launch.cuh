// The only place that launches a kernel.
#pragma once

#include "../arch/compiler.cuh"
#include "../arch/visibility.hpp"
#include "../matrix_view.hpp"
#include "../status.hpp"
#include "plan.hpp"

namespace tessera {
namespace TESSERA_HIDDEN detail {

// Dynamic shared memory that a kernel may use without asking: of 48 KB, what is left by the turn
// that gemm_kernel may have as static one, up to a multiple of 128.
inline constexpr int default_smem_limit = 48 * 1024 - 128;

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

struct LaunchShape {
  index_t grid = 0;  // blocks
  int block = 0;     // CUDA threads
  int smem_bytes = 0;
  int cluster = 1;            // neighbouring blocks that run together, 1 where they need not
  int least_smem_bytes = 0;   // if not 0: what is enough on a chip that has not smem_bytes
  bool programmatic = false;  // may begin while what is before it in the stream ends
};

// That of a plan's product.
inline LaunchShape shape_of(const LaunchPlan& plan, int least_smem_bytes) {
  return {plan.grid,        plan.block,       plan.smem_bytes, plan.cluster ? plan.slices : 1,
          least_smem_bytes, plan.programmatic};
}

// The shared memory to launch with on the current device.
inline cudaError_t choose_smem(const LaunchShape& shape, int& bytes) {
  bytes = shape.smem_bytes;
  if (shape.least_smem_bytes == 0) return cudaSuccess;
  int device = 0, limit = 0;
  if (const cudaError_t error = cudaGetDevice(&device); error != cudaSuccess) return error;
  const cudaError_t error =
      cudaDeviceGetAttribute(&limit, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
  if (limit < bytes) bytes = shape.least_smem_bytes;
  return error;
}

// Whether graphs may hold programmatic launches, too: `stream` may be captured.
inline bool can_capture_programmatic() {
  constexpr int cuda_12_3 = 12030;
  int version = 0;
  return cudaDriverGetVersion(&version) == cudaSuccess && version >= cuda_12_3;
}

// Enqueues `kernel` on `stream`. The launch's own return says whether it was accepted:
// an earlier error of the caller's stays where cudaGetLastError finds it.
template <class Arguments>
Status launch(void (*kernel)(Arguments), const LaunchShape& shape, cudaStream_t stream,
              const Arguments& arguments) {
  int smem = 0;
  cudaError_t error = choose_smem(shape, smem);
  if (error == cudaSuccess && smem > default_smem_limit) {
    // At every launch rather than remembered: it holds for one device only.
    error = allow_smem(reinterpret_cast<const void*>(kernel), smem);
  }
  if (error != cudaSuccess) return to_status(error);
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(static_cast<unsigned>(shape.grid));
  config.blockDim = dim3(static_cast<unsigned>(shape.block));
  config.dynamicSmemBytes = static_cast<std::size_t>(smem);
  config.stream = stream;
  cudaLaunchAttribute attributes[2] = {};
  config.attrs = attributes;
  if (shape.cluster > 1) {
    cudaLaunchAttribute& cluster = attributes[config.numAttrs++];
    cluster.id = cudaLaunchAttributeClusterDimension;
    cluster.val.clusterDim = {static_cast<unsigned>(shape.cluster), 1, 1};
  }
  if (shape.programmatic && can_capture_programmatic()) {
    cudaLaunchAttribute& programmatic = attributes[config.numAttrs++];
    programmatic.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    programmatic.val.programmaticStreamSerializationAllowed = 1;
  }
  return to_status(cudaLaunchKernelEx(&config, kernel, arguments));
}

// Enqueues that so many bytes become 0.
inline Status zero(void* memory, index_t bytes, cudaStream_t stream) {
  return to_status(cudaMemsetAsync(memory, 0, static_cast<std::size_t>(bytes), stream));
}

// f(workspace) with so much memory for what f enqueues on `stream`: allocated and freed there, so
// that nobody waits. What f enqueued before it failed still has it.
template <class Function>
Status with_workspace(index_t bytes, cudaStream_t stream, const Function& f) {
  void* workspace = nullptr;
  const cudaError_t error = cudaMallocAsync(&workspace, static_cast<std::size_t>(bytes), stream);
  if (error != cudaSuccess) return to_status(error);
  const Status status = f(static_cast<float*>(workspace));
  const cudaError_t freed = cudaFreeAsync(workspace, stream);
  return status.ok() ? to_status(freed) : status;
}

}  // namespace detail
}  // namespace tessera
