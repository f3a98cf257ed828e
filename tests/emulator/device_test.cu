// Tests of what the emulator gives to device code: warp operations, shared memory, cp.async,
// functions and atomics.
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "every_order.hpp"
#include "launch.hpp"

namespace {

using emulator::Order;
using emulator_test::launch;
using emulator_test::order_name;

class DeviceInEveryOrder : public emulator_test::EveryOrder {};

INSTANTIATE_TEST_SUITE_P(Orders, DeviceInEveryOrder,
                         testing::Values(Order::forward, Order::reverse, Order::random),
                         order_name);

// Warp operations.

__global__ void shuffles(int* out) {
  const int value = static_cast<int>(threadIdx.x) * 10;
  int* const row = out + threadIdx.x * 6;
  row[0] = __shfl_sync(0xffffffffu, value, 5);
  row[1] = __shfl_xor_sync(0xffffffffu, value, 3);
  row[2] = __shfl_up_sync(0xffffffffu, value, 2);
  row[3] = __shfl_down_sync(0xffffffffu, value, 2);
  row[4] = __shfl_sync(0xffffffffu, value, 1, 8);
  row[5] = __shfl_down_sync(0xffffffffu, value, 3, 8);
}

TEST_P(DeviceInEveryOrder, ShufflesFollowTheirDefinition) {
  std::vector<int> out(96 * 6, -1);
  ASSERT_EQ(launch(1, 96, 0, shuffles, out.data()), cudaSuccess);
  for (int i = 0; i < 96; ++i) {
    const int lane = i % 32;
    const int warp = i - lane;
    const int segment = i - i % 8;
    const int* const row = &out[static_cast<std::size_t>(i) * 6];
    EXPECT_EQ(row[0], (warp + 5) * 10);
    EXPECT_EQ(row[1], (warp + (lane ^ 3)) * 10);
    EXPECT_EQ(row[2], (lane >= 2 ? i - 2 : i) * 10);
    EXPECT_EQ(row[3], (lane < 30 ? i + 2 : i) * 10);
    EXPECT_EQ(row[4], (segment + 1) * 10);
    EXPECT_EQ(row[5], (i % 8 < 5 ? i + 3 : i) * 10);
  }
}

__global__ void warp_sum(double* out) {
  double sum = threadIdx.x;
  for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, offset);
  out[threadIdx.x] = sum;
}

TEST_P(DeviceInEveryOrder, ShufflesFollowEachOtherWithoutBarrier) {
  std::vector<double> out(64);
  ASSERT_EQ(launch(1, 64, 0, warp_sum, out.data()), cudaSuccess);
  for (std::size_t i = 0; i < 64; ++i) EXPECT_EQ(out[i], i < 32 ? 496.0 : 1520.0);
}

__global__ void half_warp_shuffle(float* out) {
  // The halves do a different number of shuffles before they meet.
  float value = static_cast<float>(threadIdx.x);
  if (threadIdx.x < 16) {
    value = __shfl_xor_sync(0x0000ffffu, value, 1);
    value = __shfl_xor_sync(0x0000ffffu, value, 1);
    value = __shfl_xor_sync(0x0000ffffu, value, 2);
  } else {
    value = __shfl_xor_sync(0xffff0000u, value, 4);
  }
  __syncwarp();
  out[threadIdx.x] = __shfl_xor_sync(0xffffffffu, value, 16);
}

TEST_P(DeviceInEveryOrder, MasksFormGroups) {
  std::vector<float> out(32);
  ASSERT_EQ(launch(1, 32, 0, half_warp_shuffle, out.data()), cudaSuccess);
  for (unsigned int i = 0; i < 32; ++i) {
    const unsigned int source = i ^ 16u;
    EXPECT_EQ(out[i], static_cast<float>(source < 16 ? source ^ 2u : source ^ 4u));
  }
}

__global__ void shuffle_from_absent_lane(float* out) {
  out[threadIdx.x] = __shfl_sync(0xffffffffu, 1.0f, 25);
}

TEST(Warps, AbsentLaneGivesNan) {
  std::vector<float> out(20);
  ASSERT_EQ(launch(1, 20, 0, shuffle_from_absent_lane, out.data()), cudaSuccess);
  for (const float value : out) EXPECT_TRUE(std::isnan(value));
}

__global__ void shuffle_without_self() { __shfl_sync(0x1u, 1, 0); }

TEST(Warps, MaskWithoutTheCallerIsReported) {
  EXPECT_EQ(launch(1, 32, 0, shuffle_without_self), cudaErrorLaunchFailure);
  EXPECT_NE(emulator::last_report().find("mask"), std::string::npos);
  cudaGetLastError();
}

// Dynamic shared memory.

__global__ void read_fresh_shared(unsigned int* sum, std::uintptr_t* address, std::size_t* bytes) {
  unsigned char* const shared = emulator::dynamic_shared();
  *bytes = emulator::dynamic_shared_bytes();
  *address = reinterpret_cast<std::uintptr_t>(shared);
  for (std::size_t i = 0; i < *bytes; ++i) *sum += shared[i] == 0xff ? 1u : 0u;
  for (std::size_t i = 0; i < *bytes; ++i) shared[i] = 0;
}

TEST(SharedMemory, IsExactAlignedAndFreshForEveryBlock) {
  unsigned int sum = 0;
  std::uintptr_t address = 1;
  std::size_t bytes = 0;
  ASSERT_EQ(launch(3, 1, 1036, read_fresh_shared, &sum, &address, &bytes), cudaSuccess);
  EXPECT_EQ(bytes, 1036u);
  EXPECT_EQ(address % 128, 0u);
  EXPECT_EQ(sum, 3 * 1036u);
}

// As on a device: a kernel may form a reference to smem that it does not use.
TEST(SharedMemory, HasAnAddressWhenNoneWasAsked) {
  unsigned int sum = 0;
  std::uintptr_t address = 0;
  std::size_t bytes = 1;
  ASSERT_EQ(launch(1, 1, 0, read_fresh_shared, &sum, &address, &bytes), cudaSuccess);
  EXPECT_EQ(bytes, 0u);
  EXPECT_NE(address, 0u);
}

// cp.async.

__global__ void copy_and_look(const float* in, float* out, int pending) {
  float* const shared = reinterpret_cast<float*>(emulator::dynamic_shared());
  for (int group = 0; group < 3; ++group) {
    emulator::cp_async(shared + 4 * group, in + 4 * group, 16, group == 2 ? 8 : 16);
    emulator::cp_async_commit();
  }
  emulator::cp_async_wait(pending);
  for (int i = 0; i < 12; ++i) out[i] = shared[i];
}

TEST(CopyAsync, HappensAtTheWaitAndZeroFills) {
  std::vector<float> in(12);
  std::iota(in.begin(), in.end(), 1.0f);
  for (int pending = 0; pending <= 3; ++pending) {
    std::vector<float> out(12);
    ASSERT_EQ(launch(1, 1, 48, copy_and_look, in.data(), out.data(), pending), cudaSuccess);
    for (int i = 0; i < 12; ++i) {
      const auto at = static_cast<std::size_t>(i);
      if (i >= 4 * (3 - pending)) {
        EXPECT_TRUE(std::isnan(out[at])) << i << " pending " << pending;
      } else {
        EXPECT_EQ(out[at], i < 10 ? in[at] : 0.0f);
      }
    }
  }
}

TEST(CopyAsync, OptionCopiesAtIssue) {
  emulator::Options options = emulator::options;
  options.copy_at_issue = true;
  const emulator::ScopedOptions scoped(options);
  std::vector<float> in(12, 5.0f);
  std::vector<float> out(12);
  ASSERT_EQ(launch(1, 1, 48, copy_and_look, in.data(), out.data(), 3), cudaSuccess);
  EXPECT_EQ(out[9], 5.0f);
  EXPECT_EQ(out[10], 0.0f);
}

__global__ void copy_from(const float* in, int bytes) {
  emulator::cp_async(emulator::dynamic_shared(), in, bytes, bytes);
}

TEST(CopyAsync, RefusesWhatTheHardwareRefuses) {
  const std::vector<float4> in(2);
  const float* const aligned = &in[0].x;
  EXPECT_EQ(launch(1, 1, 32, copy_from, aligned, 16), cudaSuccess);
  EXPECT_EQ(launch(1, 1, 32, copy_from, aligned + 1, 4), cudaSuccess);
  EXPECT_EQ(launch(1, 1, 32, copy_from, aligned + 1, 16), cudaErrorMisalignedAddress);
  EXPECT_EQ(launch(1, 1, 32, copy_from, aligned, 12), cudaErrorIllegalInstruction);
  cudaGetLastError();
}

// Device functions.

__global__ void bits_and_atomics(int* counter, unsigned long long* wide, float* sum) {
  atomicAdd(counter, 1);
  atomicAdd(wide, 1ull << 40);
  atomicAdd(sum, 0.5f);
}

TEST_P(DeviceInEveryOrder, AtomicsCount) {
  emulator::options.threads = 2;
  int counter = 0;
  unsigned long long wide = 0;
  float sum = 0.0f;
  ASSERT_EQ(launch(8, 64, 0, bits_and_atomics, &counter, &wide, &sum), cudaSuccess);
  EXPECT_EQ(counter, 512);
  EXPECT_EQ(wide, 512ull << 40);
  EXPECT_EQ(sum, 256.0f);
}

TEST(DeviceFunctions, MatchTheirDefinition) {
  EXPECT_EQ(__popc(0xf0f0u), 8);
  EXPECT_EQ(__clz(1), 31);
  EXPECT_EQ(__clz(0), 32);
  EXPECT_EQ(__ffs(8), 4);
  EXPECT_EQ(__float_as_uint(1.0f), 0x3f800000u);
  EXPECT_EQ(__int_as_float(0x3f800000), 1.0f);
  EXPECT_EQ((min)(3, 2), 2);
  EXPECT_EQ((max)(-1, 1u), 0xffffffffu);
  // The product is not rounded before the addition.
  const float x = 1.0f + std::ldexp(1.0f, -12);
  EXPECT_EQ(__fmaf_rn(x, x, -1.0f), std::ldexp(1.0f, -11) + std::ldexp(1.0f, -24));
  EXPECT_EQ(__fadd_rn(__fmul_rn(x, x), -1.0f), std::ldexp(1.0f, -11));
  static_assert(sizeof(float4) == 16 && alignof(float4) == 16);
  static_assert(sizeof(float3) == 12 && alignof(float3) == 4);
  static_assert(sizeof(int2) == 8 && alignof(int2) == 8);
  static_assert(sizeof(double2) == 16 && alignof(double2) == 16);
  static_assert(sizeof(uchar4) == 4 && alignof(uchar4) == 4);
}

}  // namespace
