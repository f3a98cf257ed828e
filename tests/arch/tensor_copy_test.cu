// Boxes of a matrix, as the driver's maps and the hardware have them: packed lines in smem, zeros
// for what lies outside, all there when the barrier's phase is complete.
#include <cuda.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <numeric>
#include <tessera/arch/pipeline_barrier.cuh>
#include <tessera/arch/shared_memory.cuh>
#include <tessera/arch/tensor_copy.cuh>
#include <tessera/host/tensor_map.cuh>
#include <vector>

#include "cuda_resources.hpp"

namespace tessera {
namespace {

static_assert(sizeof(arch::TensorMap) == sizeof(CUtensorMap) &&
              alignof(arch::TensorMap) >= alignof(CUtensorMap));

// What the library says instead of including cuda.h.
static_assert(detail::float32 == int{CU_TENSOR_MAP_DATA_TYPE_FLOAT32} &&
              detail::no_interleave == int{CU_TENSOR_MAP_INTERLEAVE_NONE} &&
              detail::no_swizzle == int{CU_TENSOR_MAP_SWIZZLE_NONE} &&
              detail::fetch_256 == int{CU_TENSOR_MAP_L2_PROMOTION_L2_256B} &&
              detail::fill_zeros == int{CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE} &&
              sizeof(CUtensorMapDataType) == sizeof(int) && sizeof(CUresult) == sizeof(int) &&
              sizeof(cuuint64_t) == sizeof(long long) && sizeof(cuuint32_t) == sizeof(int));

constexpr int box_mn = 16, box_k = 8, box_floats = box_mn * box_k;

bool has_tensor_copies() {
  int device = 0, major = 0;
  return cudaGetDevice(&device) == cudaSuccess &&
         cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device) == cudaSuccess &&
         major >= 9;
}

// Two boxes that follow each other along k, through one phase of a barrier.
__global__ void two_boxes(const __grid_constant__ arch::TensorMap map, float* out, int mn, int k) {
  auto* const smem = reinterpret_cast<float*>(arch::dynamic_smem());
  auto& full = *reinterpret_cast<arch::PipelineBarrier*>(smem + 2 * box_floats);
  if constexpr (!arch::has_tensor_copy) return;
  if (threadIdx.x == 0) {
    full.init(1);
    arch::show_barriers_to_copies();
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    full.expect(2 * box_floats * static_cast<int>(sizeof(float)));
    arch::copy_box(smem, &map, mn, k, full);
    arch::copy_box(smem + box_floats, &map, mn, k + box_k, full);
    full.arrive();
  }
  full.wait(0);
  for (int i = static_cast<int>(threadIdx.x); i < 2 * box_floats; i += blockDim.x) out[i] = smem[i];
}

TEST(TensorCopy, BoxesArePackedAndZeroOutside) {
  if (!has_tensor_copies()) GTEST_SKIP() << "the chip has no tensor copies";
  constexpr int width = 37, lines = 21, ld = 40;
  std::vector<float> host(ld * lines);
  std::iota(host.begin(), host.end(), 1.0f);
  const support::DeviceBuffer<float> matrix(host);
  detail::Encode encode = nullptr;
  ASSERT_EQ(detail::find_encode(encode), cudaSuccess);
  arch::TensorMap map{};
  ASSERT_TRUE(detail::make_map(encode, {matrix.data(), width, lines, ld, box_mn, box_k}, map).ok());
  for (const int mn : {-8, 0, 4, 24, 36}) {
    for (const int k : {-16, -3, 0, 8, 13, 21}) {
      const support::DeviceBuffer<float> out(2 * box_floats);
      support::run_kernel(&two_boxes, 1, 64, 2 * box_floats * sizeof(float) + 8, map, out.data(),
                          mn, k);
      const std::vector<float> found = out.to_host();
      for (int i = 0; i < 2 * box_floats; ++i) {
        const int element = mn + i % box_mn, line = k + i / box_mn;
        const bool inside = element >= 0 && element < width && line >= 0 && line < lines;
        ASSERT_EQ(found[static_cast<std::size_t>(i)],
                  inside ? host[static_cast<std::size_t>(line * ld + element)] : 0.0f)
            << mn << ' ' << k << ' ' << i;
      }
    }
  }
}

// Lines 2^38 floats apart are too far: gemm asks for no such map, and where there is one line, for
// another.
TEST(TensorCopy, LinesTooFarApartAreKnown) {
  kernel::GemmArguments arguments{};
  arguments.k = 2;
  arguments.lda = arguments.ldb = (index_t{1} << 38) - 1;
  EXPECT_TRUE(detail::is_within_boxes(arguments));
  arguments.lda = index_t{1} << 38;
  EXPECT_FALSE(detail::is_within_boxes(arguments));
  arguments.lda = 4, arguments.ldb = index_t{1} << 38;
  EXPECT_FALSE(detail::is_within_boxes(arguments));
  arguments.k = 1;
  EXPECT_TRUE(detail::is_within_boxes(arguments));
}

TEST(TensorCopy, AMapTheDriverRefusesIsAStatus) {
  if (!has_tensor_copies()) GTEST_SKIP() << "the chip has no tensor copies";
  const support::DeviceBuffer<float> matrix(64);
  detail::Encode encode = nullptr;
  ASSERT_EQ(detail::find_encode(encode), cudaSuccess);
  arch::TensorMap map{};
  const Status status =
      detail::make_map(encode, {matrix.data(), 8, 2, index_t{1} << 38, box_mn, box_k}, map);
  EXPECT_EQ(status.reason(), Reason::cuda_error);
}

}  // namespace
}  // namespace tessera
