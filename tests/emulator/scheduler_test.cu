// Tests of the emulator's scheduler: threads, blocks, orders, barriers, failures, host threads.
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <numeric>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "every_order.hpp"
#include "launch.hpp"

namespace {

using emulator::Order;
using emulator_test::launch;
using emulator_test::order_name;
using emulator_test::ScopedOrder;

class SchedulerInEveryOrder : public emulator_test::EveryOrder {};

INSTANTIATE_TEST_SUITE_P(Orders, SchedulerInEveryOrder,
                         testing::Values(Order::forward, Order::reverse, Order::random),
                         order_name);

// Threads and indices.

__global__ void write_indices(unsigned int* out) {
  const unsigned int block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  const unsigned int thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  out[block * blockDim.x * blockDim.y * blockDim.z + thread] += 1 + thread;
}

TEST_P(SchedulerInEveryOrder, EveryThreadOfEveryBlockRunsOnce) {
  const dim3 grid(3, 2, 4);
  const dim3 block(5, 3, 7);
  const unsigned int threads = 5 * 3 * 7;
  std::vector<unsigned int> out(24 * threads);
  ASSERT_EQ(launch(grid, block, 0, write_indices, out.data()), cudaSuccess);
  for (unsigned int i = 0; i < out.size(); ++i) ASSERT_EQ(out[i], 1 + i % threads) << i;
}

TEST_P(SchedulerInEveryOrder, BlocksSpreadOverHostThreads) {
  emulator::options.threads = 3;
  std::vector<unsigned int> out(24 * 105);
  ASSERT_EQ(launch(dim3(3, 2, 4), dim3(5, 3, 7), 0, write_indices, out.data()), cudaSuccess);
  for (unsigned int i = 0; i < out.size(); ++i) ASSERT_EQ(out[i], 1 + i % 105) << i;
}

__global__ void write_turn(int* turns, int* next) {
  turns[atomicAdd(next, 1)] = static_cast<int>(threadIdx.x);
}

std::vector<int> turns_of(Order order, std::uint64_t seed) {
  const ScopedOrder scoped(order, seed);
  std::vector<int> turns(64, -1);
  int next = 0;
  EXPECT_EQ(launch(1, 64, 0, write_turn, turns.data(), &next), cudaSuccess);
  return turns;
}

TEST(Orders, AreWhatTheirNamesSay) {
  std::vector<int> ascending(64);
  std::iota(ascending.begin(), ascending.end(), 0);
  EXPECT_EQ(turns_of(Order::forward, 1), ascending);
  EXPECT_EQ(turns_of(Order::reverse, 1), std::vector<int>(ascending.rbegin(), ascending.rend()));
  const std::vector<int> random = turns_of(Order::random, 1);
  EXPECT_NE(random, ascending);
  EXPECT_EQ(std::set<int>(random.begin(), random.end()).size(), 64u);
  EXPECT_EQ(random, turns_of(Order::random, 1));
  EXPECT_NE(random, turns_of(Order::random, 2));
}

__global__ void write_three_turns(int* turns, int* next) {
  for (int i = 0; i < 3; ++i) {
    turns[atomicAdd(next, 1)] = static_cast<int>(threadIdx.x);
    __syncthreads();
  }
}

TEST(Orders, RandomOrderChangesAtEveryBarrier) {
  const ScopedOrder scoped(Order::random);
  std::vector<int> turns(3 * 64, -1);
  int next = 0;
  ASSERT_EQ(launch(1, 64, 0, write_three_turns, turns.data(), &next), cudaSuccess);
  const std::vector<int> first(turns.begin(), turns.begin() + 64);
  const std::vector<int> second(turns.begin() + 64, turns.begin() + 128);
  const std::vector<int> third(turns.begin() + 128, turns.end());
  EXPECT_NE(first, second);
  EXPECT_NE(second, third);
}

// Barriers.

__global__ void rotate(int* out, int rounds) {
  int* const values = reinterpret_cast<int*>(emulator::dynamic_shared());
  const unsigned int self = threadIdx.x;
  values[self] = static_cast<int>(self);
  for (int i = 0; i < rounds; ++i) {
    __syncthreads();
    const int value = values[(self + 1) % blockDim.x];
    __syncthreads();
    values[self] = value;
  }
  out[self] = values[self];
}

TEST_P(SchedulerInEveryOrder, BlockBarrierSeparatesWritesFromReads) {
  for (const unsigned int size : {1u, 2u, 31u, 33u, 256u, 1024u}) {
    std::vector<int> out(size, -1);
    ASSERT_EQ(launch(1, size, size * sizeof(int), rotate, out.data(), 5), cudaSuccess);
    for (unsigned int i = 0; i < size; ++i) {
      ASSERT_EQ(out[i], static_cast<int>((i + 5) % size)) << "of " << size;
    }
  }
}

template <int Size>
__global__ void rotate_static(int* out) {
  __shared__ int values[Size];
  values[threadIdx.x] = static_cast<int>(threadIdx.x);
  __syncthreads();
  out[blockIdx.x * Size + threadIdx.x] = values[(threadIdx.x + 1) % Size];
}

TEST_P(SchedulerInEveryOrder, StaticSharedArraysAreSharedByTheBlock) {
  std::vector<int> out(4 * 96, -1);
  ASSERT_EQ(launch(4, 96, 0, rotate_static<96>, out.data()), cudaSuccess);
  for (int i = 0; i < 4 * 96; ++i) ASSERT_EQ(out[static_cast<std::size_t>(i)], (i + 1) % 96);
}

__global__ void barrier_below(unsigned int bound) {
  if (threadIdx.x < bound) __syncthreads();
}

__global__ void two_barriers_for_some(unsigned int bound) {
  __syncthreads();
  if (threadIdx.x >= bound) {
    __syncwarp();
    __syncthreads();
  } else {
    __shfl_sync(0xffffffffu, 1, 0);
  }
}

TEST_P(SchedulerInEveryOrder, DivergentBarrierIsReportedWithCounts) {
  EXPECT_EQ(launch(1, 32, 0, barrier_below, 7u), cudaErrorLaunchFailure);
  EXPECT_EQ(cudaGetLastError(), cudaErrorLaunchFailure);
  const std::string report = emulator::last_report();
  EXPECT_NE(report.find("7 of 32 threads arrived at __syncthreads()"), std::string::npos) << report;
  EXPECT_NE(report.find("25 returned"), std::string::npos) << report;
  EXPECT_NE(report.find("thread (7,0,0)"), std::string::npos) << report;

  EXPECT_EQ(launch(1, 64, 0, two_barriers_for_some, 40u), cudaErrorLaunchFailure);
  EXPECT_NE(emulator::last_report(), "");

  // The next launch finds everything in order.
  std::vector<int> out(64, -1);
  ASSERT_EQ(launch(1, 64, 64 * sizeof(int), rotate, out.data(), 3), cudaSuccess);
  EXPECT_EQ(emulator::last_report(), "");
  for (int i = 0; i < 64; ++i) ASSERT_EQ(out[static_cast<std::size_t>(i)], (i + 3) % 64);
  cudaGetLastError();
}

TEST(Barriers, RandomOrderReportsItsSeed) {
  const ScopedOrder scoped(Order::random, 4711);
  EXPECT_EQ(launch(1, 32, 0, barrier_below, 7u), cudaErrorLaunchFailure);
  EXPECT_NE(emulator::last_report().find("seed 4711"), std::string::npos);
  cudaGetLastError();
}

TEST(Barriers, OptionLetsExitedThreadsPass) {
  emulator::Options options = emulator::options;
  options.exited_threads_pass_barriers = true;
  const emulator::ScopedOptions scoped(options);
  EXPECT_EQ(launch(1, 32, 0, barrier_below, 7u), cudaSuccess);
}

__device__ void barrier_that_may_not_throw() noexcept { __syncthreads(); }

__global__ void diverge_in_noexcept() {
  if (threadIdx.x == 0) barrier_that_may_not_throw();
}

TEST(Barriers, DivergenceLeavesNoexceptFunctionsAlone) {
  EXPECT_EQ(launch(1, 32, 0, diverge_in_noexcept), cudaErrorLaunchFailure);
  cudaGetLastError();
}

__global__ void trap_in_thread(unsigned int thread) {
  if (threadIdx.x == thread) __trap();
  __syncthreads();
}

TEST_P(SchedulerInEveryOrder, TrapEndsTheLaunch) {
  EXPECT_EQ(launch(2, 64, 0, trap_in_thread, 33u), cudaErrorLaunchFailure);
  const std::string report = emulator::last_report();
  EXPECT_NE(report.find("__trap()"), std::string::npos) << report;
  EXPECT_NE(report.find("thread (33,0,0)"), std::string::npos) << report;
  cudaGetLastError();
}

__global__ void throw_in_thread(unsigned int thread) {
  __syncthreads();
  if (threadIdx.x == thread) throw std::runtime_error("no such tile");
}

TEST(Barriers, ExceptionEndsTheLaunch) {
  EXPECT_EQ(launch(1, 64, 0, throw_in_thread, 3u), cudaErrorLaunchFailure);
  EXPECT_NE(emulator::last_report().find("no such tile"), std::string::npos);
  cudaGetLastError();
}

// Host threads.

TEST(HostThreads, LaunchAtTheSameTime) {
  std::vector<std::vector<int>> results(4, std::vector<int>(4 * 96, -1));
  std::vector<std::thread> threads;
  for (std::vector<int>& result : results) {
    threads.emplace_back([&result] {
      for (int i = 0; i < 20; ++i) {
        ASSERT_EQ(launch(4, 96, 0, rotate_static<96>, result.data()), cudaSuccess);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::vector<int>& result : results) {
    for (int i = 0; i < 4 * 96; ++i) ASSERT_EQ(result[static_cast<std::size_t>(i)], (i + 1) % 96);
  }
}

}  // namespace
