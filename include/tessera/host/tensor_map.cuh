// Tensor maps: what tensor copies (arch/tensor_copy.cuh) know of the operands. The driver makes
// them; its entry point is looked up, so that nothing links to it.
#pragma once

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

// The driver's cuTensorMapEncodeTiled, whose enumerations are ints. Declared here, because cuda.h
// has parameters with names that users' macros have (N).
using Encode = int (*)(void* map, int type, unsigned dimensions, void* data,
                       const unsigned long long* extents, const unsigned long long* strides,
                       const unsigned* box, const unsigned* steps, int interleave, int swizzle,
                       int promotion, int fill);
// Of its enumerations: floats, lines as they are, L2 fetches of 256 bytes, zeros outside.
enum EncodeChoice { float32 = 7, no_interleave = 0, no_swizzle = 0, fetch_256 = 3, fill_zeros = 0 };

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
  const auto unsigned_of = [](index_t value) { return static_cast<unsigned long long>(value); };
  const unsigned long long extents[] = {unsigned_of(boxes.mn), unsigned_of(boxes.k)};
  // A single line's ld may be anything, which the driver would not take.
  const index_t ld = boxes.k == 1 ? (boxes.mn + 3) / 4 * 4 : boxes.ld;
  const unsigned long long stride[] = {unsigned_of(ld) * sizeof(float)};
  const unsigned box[] = {static_cast<unsigned>(boxes.box_mn), static_cast<unsigned>(boxes.box_k)};
  const unsigned steps[] = {1, 1};
  // Only read. NOLINTNEXTLINE(cppcoreguidelines-pro-type-const-cast)
  auto* const data = const_cast<float*>(boxes.data);
  const int result = encode(&map, float32, 2, data, extents, stride, box, steps, no_interleave,
                            no_swizzle, fetch_256, fill_zeros);
  return to_status(static_cast<cudaError_t>(result));  // the same numbers
}

// Whether maps can say how far apart the lines of A and B are.
constexpr bool is_within_boxes(const kernel::GemmArguments& arguments) {
  constexpr index_t limit = (index_t{1} << 40) / static_cast<index_t>(sizeof(float));
  return arguments.k == 1 || (arguments.lda < limit && arguments.ldb < limit);
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
