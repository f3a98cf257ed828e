// Tests of the emulator's barriers in shared memory: phases, waits, copies that arrive, failures.
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "every_order.hpp"
#include "launch.hpp"
#include "ring_kernel.cuh"

namespace {

using emulator::Order;
using emulator_test::launch;
using emulator_test::order_name;
using emulator_test::ring;
using emulator_test::Ring;

class BarrierInEveryOrder : public emulator_test::EveryOrder {};

INSTANTIATE_TEST_SUITE_P(Orders, BarrierInEveryOrder,
                         testing::Values(Order::forward, Order::reverse, Order::random),
                         order_name);

// Failed launches leave their error behind.
cudaError_t failing(cudaError_t error) {
  cudaGetLastError();
  return error;
}

bool reported(const char* text) {
  const bool found = emulator::last_report().find(text) != std::string::npos;
  if (!found) ADD_FAILURE() << emulator::last_report();
  return found;
}

// The ring.

std::vector<float> ring_input(unsigned int tiles) {
  std::vector<float> in(tiles * Ring::kTile);
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<float>(i + 1);
  return in;
}

// What consumer `i` has found: its neighbour's element of each tile.
float expected_of_ring(const std::vector<float>& in, unsigned int i, unsigned int tile) {
  return in[tile * Ring::kTile + (i + 1) % Ring::kTile];
}

cudaError_t run_ring(const Ring& shape, const std::vector<float>& in, std::vector<float>& out,
                     unsigned int blocks = 1) {
  out.assign(blocks * in.size(), -1.0f);
  return launch(blocks, Ring::kThreads, shape.shared_bytes(), ring, in.data(), out.data(), shape);
}

TEST_P(BarrierInEveryOrder, RingBringsEveryTile) {
  for (const unsigned int stages : {2u, 3u}) {
    for (const unsigned int tiles : {1u, 2u, 3u, 4u, 25u}) {
      for (const bool producers_last : {false, true}) {
        const Ring shape{stages, tiles, producers_last};
        const std::vector<float> in = ring_input(tiles);
        std::vector<float> out;
        ASSERT_EQ(run_ring(shape, in, out, 3), cudaSuccess) << emulator::last_report();
        for (unsigned int i = 0; i < out.size(); ++i) {
          const unsigned int tile = i / Ring::kTile % tiles;
          ASSERT_EQ(out[i], expected_of_ring(in, i % Ring::kTile, tile))
              << stages << " stages, tile " << tile << " of " << tiles;
        }
      }
    }
  }
}

TEST_P(BarrierInEveryOrder, RingWorksWithCopiesAtIssueAndHostThreads) {
  emulator::options.copy_at_issue = true;
  emulator::options.threads = 2;
  const std::vector<float> in = ring_input(9);
  std::vector<float> out;
  ASSERT_EQ(run_ring({2, 9}, in, out, 4), cudaSuccess);
  for (unsigned int i = 0; i < out.size(); ++i) {
    ASSERT_EQ(out[i], expected_of_ring(in, i % Ring::kTile, i / Ring::kTile % 9));
  }
}

// No copy is made before somebody waits, so every consumer reads what was there before.
TEST_P(BarrierInEveryOrder, MissingFullWaitReadsStaleValues) {
#if defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "races on purpose; see emulator_faults";
#endif
  Ring shape{3, 3};
  shape.full_wait = false;
  const std::vector<float> in = ring_input(3);
  std::vector<float> out;
  ASSERT_EQ(run_ring(shape, in, out), cudaSuccess) << emulator::last_report();
  for (const float value : out) EXPECT_TRUE(std::isnan(value));
  // With more tiles than stages, the barrier notices too that nobody waits.
  shape.tiles = 9;
  EXPECT_EQ(failing(run_ring(shape, ring_input(9), out)), cudaErrorLaunchFailure);
  EXPECT_TRUE(reported("nobody has waited for phase 0"));
}

// The producers run ahead: either a tile is overwritten or the barrier has had too many arrivals.
TEST_P(BarrierInEveryOrder, MissingEmptyWaitIsNoticed) {
#if defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "races on purpose; see emulator_faults";
#endif
  Ring shape{2, 12};
  shape.empty_wait = false;
  const std::vector<float> in = ring_input(12);
  std::vector<float> out;
  EXPECT_EQ(failing(run_ring(shape, in, out)), cudaErrorLaunchFailure);
  EXPECT_TRUE(reported("phase"));
}

// Phases.

__device__ unsigned char* barrier_at(unsigned int index) {
  return emulator::dynamic_shared() + 8 * index;
}

__device__ void init_barriers(unsigned int count, unsigned int arrivals) {
  if (threadIdx.x == 0) {
    for (unsigned int i = 0; i < count; ++i) emulator::barrier_init(barrier_at(i), arrivals);
  }
  __syncthreads();
}

// Thread 0 waits as `parities` (a bit each, the lowest first) say, after each arrival one.
__global__ void wait_for_parities(unsigned int arrivals, unsigned int parities, unsigned int waits,
                                  unsigned int* passed) {
  emulator::barrier_init(barrier_at(0), 1);
  for (unsigned int i = 0; i < waits; ++i) {
    if (i < arrivals) emulator::barrier_arrive(barrier_at(0));
    emulator::barrier_wait(barrier_at(0), parities >> i & 1u);
    ++*passed;
  }
}

unsigned int waits_passed(unsigned int arrivals, unsigned int parities, unsigned int waits) {
  unsigned int passed = 0;
  const cudaError_t error = launch(1, 1, 8, wait_for_parities, arrivals, parities, waits, &passed);
  EXPECT_EQ(failing(error), passed == waits ? cudaSuccess : cudaErrorLaunchFailure);
  return passed;
}

TEST(Barriers, WaitsForTheParityOfTheCurrentPhase) {
  EXPECT_EQ(waits_passed(0, 0b1, 1), 1u);  // fresh: the phase before is complete
  EXPECT_EQ(waits_passed(0, 0b0, 1), 0u);
  EXPECT_EQ(waits_passed(1, 0b0, 1), 1u);
  EXPECT_EQ(waits_passed(1, 0b1, 1), 0u);
  EXPECT_EQ(waits_passed(1, 0b00, 2), 2u);  // as often as one likes
  EXPECT_EQ(waits_passed(1, 0b10, 2), 1u);
  EXPECT_EQ(waits_passed(5, 0b01010, 5), 5u);
}

// Everybody arrives at once, then everybody waits, without __syncthreads().
__global__ void sum_in_rounds(float* out, unsigned int rounds) {
  float* const values = reinterpret_cast<float*>(emulator::dynamic_shared() + 16);
  init_barriers(2, blockDim.x);
  float sum = 0.0f;
  for (unsigned int round = 0; round < rounds; ++round) {
    values[threadIdx.x] = static_cast<float>(round * threadIdx.x);
    emulator::barrier_arrive(barrier_at(0));
    emulator::barrier_wait(barrier_at(0), round % 2);
    sum += values[blockDim.x - 1 - threadIdx.x];
    emulator::barrier_arrive(barrier_at(1));
    emulator::barrier_wait(barrier_at(1), round % 2);
  }
  out[threadIdx.x] = sum;
}

TEST_P(BarrierInEveryOrder, ServesAsABarrierOfTheBlock) {
  for (const unsigned int threads : {1u, 33u, 128u}) {
    std::vector<float> out(threads);
    ASSERT_EQ(launch(1, threads, 16 + 4 * threads, sum_in_rounds, out.data(), 7u), cudaSuccess);
    for (unsigned int i = 0; i < threads; ++i) {
      ASSERT_EQ(out[i], static_cast<float>(21 * (threads - 1 - i)));
    }
  }
}

// Copies.

// Thread 1 copies, arrives, and returns or waits for the copies too; thread 0 waits and reads, also
// (`look`) what nobody waits for.
__global__ void copy_for_another(const float* in, float* out, bool own_wait, bool look) {
  float* const tile = reinterpret_cast<float*>(emulator::dynamic_shared() + 16);
  init_barriers(1, 1);
  if (threadIdx.x == 1) {
    emulator::cp_async(tile, in, 16, 16);
    if (own_wait) emulator::cp_async_commit();
    emulator::barrier_arrive_after_copies(barrier_at(0));
    emulator::cp_async(tile + 4, in, 4, 4);  // after the arrival
    if (own_wait) emulator::cp_async_wait(0);
    if (own_wait) out[1] = tile[3];
  } else {
    emulator::barrier_wait(barrier_at(0), 0);
    out[0] = tile[3];
    if (look) out[2] = tile[4];
  }
}

TEST_P(BarrierInEveryOrder, CopiesOutliveTheirThread) {
  const std::vector<float4> in(1, {1.0f, 2.0f, 3.0f, 4.0f});
  for (const bool own_wait : {false, true}) {
    std::vector<float> out(3, -1.0f);
    ASSERT_EQ(launch(1, 2, 48, copy_for_another, &in[0].x, out.data(), own_wait, false),
              cudaSuccess);
    EXPECT_EQ(out[0], 4.0f);
    EXPECT_EQ(out[1], own_wait ? 4.0f : -1.0f);
#if !defined(__SANITIZE_THREAD__)  // races on purpose
    ASSERT_EQ(launch(1, 2, 48, copy_for_another, &in[0].x, out.data(), own_wait, true),
              cudaSuccess);
    EXPECT_TRUE(std::isnan(out[2]));
#endif
  }
}

// Failures.

__global__ void wait_for_the_rest(unsigned int arriving, unsigned int waiting) {
  init_barriers(3, blockDim.x);
  if (threadIdx.x < arriving) emulator::barrier_arrive(barrier_at(2));
  if (threadIdx.x < waiting) emulator::barrier_wait(barrier_at(2), 0);
}

__global__ void wait_beside_block_barrier() {
  init_barriers(1, 1);
  if (threadIdx.x < 5) {
    emulator::barrier_wait(barrier_at(0), 0);
  } else {
    __syncthreads();
  }
}

TEST_P(BarrierInEveryOrder, DeadlockIsReportedWithCounts) {
  EXPECT_EQ(failing(launch(1, 40, 24, wait_for_the_rest, 39u, 7u)), cudaErrorLaunchFailure);
  EXPECT_TRUE(
      reported("33 of 40 returned; 7 threads of block (0,0,0) wait at the barrier at byte "
               "16 of shared memory for phase 0, which has 39 of 40 arrivals"));
  EXPECT_EQ(failing(launch(1, 40, 24, wait_beside_block_barrier)), cudaErrorLaunchFailure);
  EXPECT_TRUE(reported("35 of 40 threads arrived at __syncthreads()"));
  EXPECT_TRUE(reported("5 threads of block (0,0,0) wait at the barrier at byte 0"));
  // The next launch finds everything in order.
  EXPECT_EQ(launch(1, 40, 24, wait_for_the_rest, 40u, 7u), cudaSuccess);
}

__global__ void arrive_often(unsigned int arrivals, unsigned int count) {
  emulator::barrier_init(barrier_at(0), count);
  for (unsigned int i = 0; i < arrivals; ++i) emulator::barrier_arrive(barrier_at(0));
}

TEST(Barriers, TooManyArrivalsAreReported) {
  EXPECT_EQ(launch(1, 1, 8, arrive_often, 3u, 3u), cudaSuccess);
  EXPECT_EQ(failing(launch(1, 1, 8, arrive_often, 4u, 3u)), cudaErrorLaunchFailure);
  EXPECT_TRUE(reported("more than 3 arrivals at a barrier: nobody has waited for phase 0"));
}

__global__ void use_at(unsigned int offset, int use, unsigned int argument) {
  unsigned char* const barrier = emulator::dynamic_shared() + offset;
  emulator::barrier_init(emulator::dynamic_shared(), 2);
  if (use == 0) emulator::barrier_init(barrier, argument);
  if (use == 1) emulator::barrier_arrive(barrier);
  if (use == 2) emulator::barrier_arrive_after_copies(barrier);
  if (use == 3) emulator::barrier_wait(barrier, argument);
}

TEST(Barriers, AddressesAreChecked) {
  for (int use = 0; use < 4; ++use) {
    EXPECT_EQ(launch(1, 1, 20, use_at, 0u, use, 1u), cudaSuccess);
    EXPECT_EQ(failing(launch(1, 1, 20, use_at, 4u, use, 1u)), cudaErrorMisalignedAddress);
    EXPECT_TRUE(reported("not a multiple of 8"));
    EXPECT_EQ(failing(launch(1, 1, 20, use_at, 16u, use, 1u)), cudaErrorIllegalAddress);
    EXPECT_TRUE(reported("outside the block's dynamic shared memory"));
    if (use == 0) continue;
    EXPECT_EQ(failing(launch(1, 1, 20, use_at, 8u, use, 1u)), cudaErrorLaunchFailure);
    EXPECT_TRUE(reported("not initialised"));
  }
  EXPECT_EQ(failing(launch(1, 1, 8, use_at, 0u, 0, 0u)), cudaErrorLaunchFailure);
  EXPECT_TRUE(reported("impossible count"));
  EXPECT_EQ(failing(launch(1, 1, 8, use_at, 0u, 3, 2u)), cudaErrorLaunchFailure);
  EXPECT_TRUE(reported("parity other than 0 and 1"));
}

__global__ void leave_uninitialised() {
  if (blockIdx.x == 0) emulator::barrier_init(barrier_at(0), 1);
  if (blockIdx.x == 1) emulator::barrier_arrive(barrier_at(0));
}

TEST(Barriers, EndWithTheirBlock) {
  EXPECT_EQ(failing(launch(2, 1, 8, leave_uninitialised)), cudaErrorLaunchFailure);
  EXPECT_TRUE(reported("not initialised"));
}

__global__ void init_again(bool while_waiting, float* passed) {
  init_barriers(1, 1);
  if (threadIdx.x == 0 && while_waiting) emulator::barrier_wait(barrier_at(0), 0);
  if (threadIdx.x == 1) {
    emulator::barrier_init(barrier_at(0), 1);
    emulator::barrier_arrive(barrier_at(0));
    emulator::barrier_wait(barrier_at(0), 0);
    *passed = 1.0f;
  }
}

TEST(Barriers, AreInitialisedAgainWhenNobodyWaits) {
  const emulator_test::ScopedOrder forward(Order::forward);
  float passed = 0.0f;
  EXPECT_EQ(launch(1, 2, 8, init_again, false, &passed), cudaSuccess);
  EXPECT_EQ(passed, 1.0f);
#if defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "races on purpose";
#endif
  EXPECT_EQ(failing(launch(1, 2, 8, init_again, true, &passed)), cudaErrorLaunchFailure);
  EXPECT_TRUE(reported("initialised again while it is in use"));
}

}  // namespace
