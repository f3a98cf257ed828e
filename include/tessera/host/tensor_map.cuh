// Tensor maps: what tensor copies (arch/tensor_copy.cuh) know of the operands. The driver makes
// them; its entry point is looked up, so that nothing links to it.
#pragma once

#include <cuda.h>

#include "../arch/tensor_copy.cuh"
#include "../arch/visibility.hpp"
#include "../kernel/gemm_kernel.cuh"
#include "../status.hpp"
#include "launch.cuh"
#include "plan.hpp"

namespace tessera {
namespace TESSERA_HIDDEN detail {

// One operand: mn elements side by side, k lines of them, ld apart (less than 2^40 bytes, where
// there are several), in boxes of so many.
struct Boxes {
  const float* data;
  index_t mn, k, ld;
  int box_mn, box_k;
};

using Encode = decltype(&cuTensorMapEncodeTiled);

// Finds the driver's function.
inline cudaError_t find_encode(Encode& encode) {
  void* entry = nullptr;
  cudaDriverEntryPointQueryResult found{};
#if CUDART_VERSION >= 12050
  const cudaError_t error = cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &entry,
                                                             12000, cudaEnableDefault, &found);
#else
  const cudaError_t error =
      cudaGetDriverEntryPoint("cuTensorMapEncodeTiled", &entry, cudaEnableDefault, &found);
#endif
  encode = reinterpret_cast<Encode>(entry);
  return error == cudaSuccess && found != cudaDriverEntryPointSuccess ? cudaErrorNotSupported
                                                                      : error;
}

inline Status make_map(Encode encode, const Boxes& boxes, arch::TensorMap& map) {
  const cuuint64_t extents[] = {static_cast<cuuint64_t>(boxes.mn),
                                static_cast<cuuint64_t>(boxes.k)};
  // A single line's ld may be anything, which the driver would not take.
  const index_t ld = boxes.k == 1 ? (boxes.mn + 3) / 4 * 4 : boxes.ld;
  const cuuint64_t stride[] = {static_cast<cuuint64_t>(ld) * sizeof(float)};
  const cuuint32_t box[] = {static_cast<cuuint32_t>(boxes.box_mn),
                            static_cast<cuuint32_t>(boxes.box_k)};
  const cuuint32_t steps[] = {1, 1};
  // Only read. NOLINTNEXTLINE(cppcoreguidelines-pro-type-const-cast)
  auto* const data = const_cast<float*>(boxes.data);
  const CUresult result =
      encode(reinterpret_cast<CUtensorMap*>(&map), CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, data,
             extents, stride, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
             CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  return to_status(static_cast<cudaError_t>(result));  // the same numbers
}

// Fills in the maps of A and B, on a chip that copies boxes.
inline Status add_boxes(const LaunchPlan& plan, kernel::BoxedArguments& arguments) {
  int device = 0, major = 0;
  cudaError_t error = cudaGetDevice(&device);
  if (error == cudaSuccess) {
    error = cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device);
  }
  if (error != cudaSuccess) return to_status(error);
  if (major < 9) return {};
  Encode encode = nullptr;
  error = find_encode(encode);
  if (error != cudaSuccess) return to_status(error);
  const TileConfig& config = plan.config;
  const Status status = make_map(
      encode,
      {arguments.a, arguments.m, arguments.k, arguments.lda, config.block_m(), config.block_k()},
      arguments.a_boxes);
  if (!status.ok()) return status;
  return make_map(
      encode,
      {arguments.b, arguments.n, arguments.k, arguments.ldb, config.block_n(), config.block_k()},
      arguments.b_boxes);
}

}  // namespace detail
}  // namespace tessera
