// Tests of the emulator's progress in global memory, which blocks publish and others wait for.
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include "every_order.hpp"
#include "launch.hpp"

namespace {

using emulator::Order;
using emulator_test::launch;
using emulator_test::order_name;

constexpr unsigned int kThreads = 64;

class ProgressInEveryOrder : public emulator_test::EveryOrder {
 protected:
  static void use_host_threads(unsigned int threads) { emulator::options.threads = threads; }
};

INSTANTIATE_TEST_SUITE_P(Orders, ProgressInEveryOrder,
                         testing::Values(Order::forward, Order::reverse, Order::random),
                         order_name);

cudaError_t failing(cudaError_t error) {
  cudaGetLastError();
  return error;
}

bool reported(const char* text) {
  const bool found = emulator::last_report().find(text) != std::string::npos;
  if (!found) ADD_FAILURE() << emulator::last_report();
  return found;
}

// Blocks in the order in which they start, whatever their numbers: so nobody waits for a block that
// has not started.
__device__ int take_turn(int* turns) {
  __shared__ int turn;
  if (threadIdx.x == 0) turn = atomicAdd(turns, 1);
  __syncthreads();
  return turn;
}

// Each block goes on from the sums that the one before has left, one progress a warp.
__global__ void hand_on(float* sums, int* turns, int* done) {
  const int turn = take_turn(turns);
  int* const progress = done + threadIdx.x / 32;
  emulator::wait_until(progress, turn);
  sums[threadIdx.x] = 2.0f * sums[threadIdx.x] + static_cast<float>(turn);
  __syncwarp();
  if (threadIdx.x % 32 == 0) emulator::publish(progress, turn + 1);
}

TEST_P(ProgressInEveryOrder, BlocksHandOnTheirSums) {
  for (const unsigned int threads : {1u, 2u, 3u}) {
    use_host_threads(threads);
    std::vector<float> sums(kThreads);
    std::vector<int> done(1 + kThreads / 32);
    ASSERT_EQ(launch(12, kThreads, 0, hand_on, sums.data(), done.data(), done.data() + 1),
              cudaSuccess)
        << emulator::last_report();
    float expected = 0.0f;
    for (int turn = 0; turn < 12; ++turn) expected = 2.0f * expected + static_cast<float>(turn);
    for (const float sum : sums) ASSERT_EQ(sum, expected) << threads << " host threads";
  }
}

// The second to start waits for the first, which takes its time.
__global__ void wait_for_a_slow_block(int* turns, int* done, int* seen) {
  if (take_turn(turns) == 0) {
    for (int i = 0; i < 2000; ++i) __syncthreads();
    if (threadIdx.x == 0) {
      seen[1] = 1;
      emulator::publish(done, 7);
    }
  } else {
    emulator::wait_until(done, 7);
    if (threadIdx.x == 0) seen[0] = seen[1];
  }
}

TEST_P(ProgressInEveryOrder, AnotherHostThreadsBlockIsWaitedFor) {
  use_host_threads(2);
  int turns = 0, done = 0, seen[2] = {};
  ASSERT_EQ(launch(2, kThreads, 0, wait_for_a_slow_block, &turns, &done, &seen[0]), cudaSuccess)
      << emulator::last_report();
  EXPECT_EQ(seen[0], 1);
}

__global__ void wait_for_a_thread_of_the_block(int* done) {
  if (threadIdx.x == 5) emulator::publish(done, 3);
  emulator::wait_until(done, 3);
}

TEST_P(ProgressInEveryOrder, AThreadOfTheSameBlockIsWaitedFor) {
  int done = 0;
  EXPECT_EQ(launch(1, kThreads, 0, wait_for_a_thread_of_the_block, &done), cudaSuccess)
      << emulator::last_report();
}

// The first block to start waits for what the second would publish, or for nobody.
__global__ void wait_for_a_later_block(int* turns, int* done, bool published) {
  if (take_turn(turns) == 0) {
    emulator::wait_until(done, 3);
  } else if (published) {
    emulator::publish(done, 3);
  }
}

TEST_P(ProgressInEveryOrder, AWaitForABlockThatHasNotStartedIsReported) {
  int turns = 0, done = 2;
  EXPECT_EQ(failing(launch(2, kThreads, 0, wait_for_a_later_block, &turns, &done, true)),
            cudaErrorLaunchFailure);
  EXPECT_TRUE(
      reported("a thread waits for progress 3 where there is 2, which no block that has "
               "started will change"));
  // The next launch finds everything in order.
  turns = 1;
  EXPECT_EQ(launch(1, kThreads, 0, wait_for_a_later_block, &turns, &done, true), cudaSuccess);
  EXPECT_EQ(done, 3);
}

TEST_P(ProgressInEveryOrder, AWaitForNobodyEndsWithTheOtherHostThreads) {
  use_host_threads(2);
  int turns = 0, done = 2;
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(failing(launch(2, kThreads, 0, wait_for_a_later_block, &turns, &done, false)),
            cudaErrorLaunchFailure);
  EXPECT_TRUE(reported("a thread waits for progress 3 where there is 2"));
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(30));
}

__global__ void fail_before_publishing(int* turns, int* done) {
  if (take_turn(turns) == 0) emulator::fail(cudaErrorIllegalAddress, "the first block fails");
  emulator::wait_until(done, 1);
}

TEST_P(ProgressInEveryOrder, AFailureEndsTheWaitsForIt) {
  use_host_threads(2);
  int turns = 0, done = 0;
  EXPECT_EQ(failing(launch(2, kThreads, 0, fail_before_publishing, &turns, &done)),
            cudaErrorIllegalAddress);
  EXPECT_TRUE(reported("the first block fails"));
}

}  // namespace
