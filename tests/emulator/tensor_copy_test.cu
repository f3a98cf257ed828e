// Tests of the emulator's tensor maps and the copies of boxes: what is copied, when, and failures.
#include <cuda.h>
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "every_order.hpp"
#include "launch.hpp"

namespace {

using emulator::Order;
using emulator_test::launch;
using emulator_test::order_name;

class TensorCopyInEveryOrder : public emulator_test::EveryOrder {};

INSTANTIATE_TEST_SUITE_P(Orders, TensorCopyInEveryOrder,
                         testing::Values(Order::forward, Order::reverse, Order::random),
                         order_name);

constexpr unsigned int kWidth = 8, kLines = 4, kBox = kWidth * kLines;

// A matrix of `lines` lines of `width` floats, ld apart; element j of line i is 100 i + j.
struct Matrix {
  cuuint64_t width, lines, ld;
  std::vector<float4> memory;

  Matrix(cuuint64_t across, cuuint64_t down, cuuint64_t pitch)
      : width(across), lines(down), ld(pitch), memory(down * pitch / 4) {
    float* const data = &memory[0].x;
    for (cuuint64_t i = 0; i < lines * ld; ++i) {
      data[i] = static_cast<float>(100 * (i / ld) + i % ld);
    }
  }
  // What a box that begins there holds.
  float at(int element, int line) const {
    const bool inside = element >= 0 && element < static_cast<int>(width) && line >= 0 &&
                        line < static_cast<int>(lines);
    return inside ? static_cast<float>(100 * line + element) : 0.0f;
  }
};

struct Request {
  cuuint64_t extents[2] = {16, 4}, stride[1] = {64};
  cuuint32_t box[2] = {kWidth, kLines}, steps[2] = {1, 1};
  cuuint32_t dimensions = 2;
};

CUresult encode(CUtensorMap& map, const void* data, const Request& request) {
  void* function = nullptr;
  if (cudaGetDriverEntryPoint("cuTensorMapEncodeTiled", &function, cudaEnableDefault) !=
      cudaSuccess) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  return reinterpret_cast<decltype(&cuTensorMapEncodeTiled)>(function)(
      &map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, request.dimensions, const_cast<void*>(data),
      request.extents, request.stride, request.box, request.steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
      CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE,
      CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
}

CUtensorMap map_of(const Matrix& matrix) {
  CUtensorMap map{};
  Request request;
  request.extents[0] = matrix.width, request.extents[1] = matrix.lines;
  request.stride[0] = matrix.ld * sizeof(float);
  EXPECT_EQ(encode(map, &matrix.memory[0].x, request), CUDA_SUCCESS);
  return map;
}

bool reported(const char* text) {
  const bool found = emulator::last_report().find(text) != std::string::npos;
  if (!found) ADD_FAILURE() << emulator::last_report();
  return found;
}

cudaError_t failing(cudaError_t error) {
  cudaGetLastError();
  return error;
}

struct Copy {
  int element = 0, line = 0;
  unsigned int boxes = 1;
  unsigned int expected = kBox * sizeof(float);  // bytes of each
  unsigned int smem = 0;                         // where they go
  bool wait = true;
};

// Thread 0 asks for the boxes, which lie one after another in the matrix, and returns; the others
// wait and read the first one.
__global__ void copy(const CUtensorMap map, float* out, Copy what) {
  unsigned char* const smem = emulator::dynamic_shared();
  unsigned char* const full = smem + what.boxes * kBox * sizeof(float);
  if (threadIdx.x == 0) emulator::barrier_init(full, 1);
  __syncthreads();
  if (threadIdx.x == 0) {
    for (unsigned int i = 0; i < what.boxes; ++i) {
      emulator::barrier_expect(full, what.expected);
      emulator::copy_box(smem + what.smem + i * kBox * sizeof(float), &map, what.element,
                         what.line + static_cast<int>(i * kLines), full);
    }
    emulator::barrier_arrive(full);
    return;
  }
  if (what.wait) emulator::barrier_wait(full, 0);
  const unsigned int reader = threadIdx.x - 1;
  for (unsigned int i = reader; i < what.boxes * kBox; i += blockDim.x - 1) {
    out[i] = reinterpret_cast<const float*>(smem)[i];
  }
}

cudaError_t run(const Matrix& matrix, const Copy& what, std::vector<float>& out) {
  out.assign(what.boxes * kBox, -1.0f);
  return launch(1, 33, what.boxes * kBox * sizeof(float) + 8, copy, map_of(matrix), out.data(),
                what);
}

TEST_P(TensorCopyInEveryOrder, CopiesWhatIsInsideAndZerosAround) {
  const Matrix matrix(13, 6, 16);
  for (const bool at_issue : {false, true}) {
    emulator::options.copy_at_issue = at_issue;
    for (const int element : {-12, -4, 0, 4, 12, 16}) {
      for (const int line : {-5, -1, 0, 2, 5, 6}) {
        std::vector<float> out;
        ASSERT_EQ(run(matrix, {element, line}, out), cudaSuccess) << emulator::last_report();
        for (int i = 0; i < static_cast<int>(kBox); ++i) {
          ASSERT_EQ(out[static_cast<std::size_t>(i)],
                    matrix.at(element + i % static_cast<int>(kWidth),
                              line + i / static_cast<int>(kWidth)))
              << element << ' ' << line << ' ' << i;
        }
      }
    }
  }
}

TEST_P(TensorCopyInEveryOrder, SeveralBoxesMeetAtOneBarrier) {
  const Matrix matrix(16, 12, 16);
  std::vector<float> out;
  ASSERT_EQ(run(matrix, {4, 0, 3}, out), cudaSuccess) << emulator::last_report();
  for (int i = 0; i < 3 * static_cast<int>(kBox); ++i) {
    ASSERT_EQ(out[static_cast<std::size_t>(i)], matrix.at(4 + i % 8, i / 8));
  }
  ASSERT_EQ(failing(run(matrix, {4, 0, 5}, out)), cudaErrorNotSupported);
  EXPECT_TRUE(reported("more boxes"));
}

TEST_P(TensorCopyInEveryOrder, NothingIsCopiedBeforeSomebodyWaits) {
#if defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "races on purpose";
#endif
  std::vector<float> out;
  Copy what;
  what.wait = false;
  ASSERT_EQ(run(Matrix(16, 4, 16), what, out), cudaSuccess);
  for (const float value : out) EXPECT_TRUE(std::isnan(value));
}

TEST_P(TensorCopyInEveryOrder, BytesThatDoNotMatchAreReported) {
  std::vector<float> out;
  Copy what;
  what.expected = kBox * sizeof(float) + 16;
  EXPECT_EQ(failing(run(Matrix(16, 4, 16), what, out)), cudaErrorLaunchFailure);
  EXPECT_TRUE(reported("1 of 1 arrivals and expects 16 bytes more than it was sent"));
  what.expected = 0;
  EXPECT_EQ(failing(run(Matrix(16, 4, 16), what, out)), cudaErrorLaunchFailure);
  EXPECT_TRUE(reported("expects -128 bytes more"));
}

TEST(TensorCopies, AddressesAreChecked) {
  std::vector<float> out(kBox);
  Copy what;
  what.smem = 64;
  EXPECT_EQ(failing(run(Matrix(16, 4, 16), what, out)), cudaErrorMisalignedAddress);
  EXPECT_TRUE(reported("not a multiple of 128"));
  what.smem = 0, what.element = 2;
  EXPECT_EQ(failing(run(Matrix(16, 4, 16), what, out)), cudaErrorMisalignedAddress);
  EXPECT_TRUE(reported("a multiple of 16 bytes of its line"));
  what.smem = 128, what.element = 0;
  EXPECT_EQ(failing(run(Matrix(16, 4, 16), what, out)), cudaErrorIllegalAddress);
  EXPECT_TRUE(reported("outside the block's dynamic shared memory"));
  EXPECT_EQ(
      failing(launch(1, 33, kBox * sizeof(float) + 8, copy, CUtensorMap{}, out.data(), Copy{})),
      cudaErrorIllegalInstruction);
  EXPECT_TRUE(reported("was not encoded"));
}

TEST(TensorMaps, RefuseWhatTheDriverRefuses) {
  const std::vector<float4> memory(64);
  const float* const data = &memory[0].x;
  CUtensorMap map;
  EXPECT_EQ(encode(map, data, {}), CUDA_SUCCESS);
  EXPECT_EQ(encode(map, data + 1, {}), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(encode(map, nullptr, {}), CUDA_ERROR_INVALID_VALUE);
  const auto with = [&](auto change) {
    Request request;
    change(request);
    return encode(map, data, request);
  };
  EXPECT_EQ(with([](Request& r) { r.dimensions = 3; }), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(with([](Request& r) { r.extents[1] = 0; }), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(with([](Request& r) { r.stride[0] = 68; }), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(with([](Request& r) { r.stride[0] = cuuint64_t{1} << 40; }), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(with([](Request& r) { r.box[0] = 6; }), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(with([](Request& r) { r.box[1] = 257; }), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(with([](Request& r) { r.steps[0] = 2; }), CUDA_ERROR_INVALID_VALUE);
}

TEST(TensorMaps, AreMadeByAFunctionFoundByName) {
  void* function = nullptr;
  cudaDriverEntryPointQueryResult result{};
  EXPECT_EQ(cudaGetDriverEntryPoint("cuNoSuch", &function, cudaEnableDefault, &result),
            cudaSuccess);
  EXPECT_EQ(function, nullptr);
  EXPECT_EQ(result, cudaDriverEntryPointSymbolNotFound);
  EXPECT_EQ(failing(cudaGetDriverEntryPoint(nullptr, &function, cudaEnableDefault)),
            cudaErrorInvalidValue);
}

}  // namespace
