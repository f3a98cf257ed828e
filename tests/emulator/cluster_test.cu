// Tests of the emulator's clusters: blocks that run together, their barrier, and each other's
// shared memory.
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "every_order.hpp"
#include "launch.hpp"

namespace {

using emulator::Order;
using emulator_test::launch_clusters;
using emulator_test::order_name;

class ClusterInEveryOrder : public emulator_test::EveryOrder {};

INSTANTIATE_TEST_SUITE_P(Orders, ClusterInEveryOrder,
                         testing::Values(Order::forward, Order::reverse, Order::random),
                         order_name);

__device__ float* shared_floats() { return reinterpret_cast<float*>(emulator::dynamic_shared()); }

__device__ float of_block(unsigned int rank, unsigned int thread) {
  return *static_cast<const float*>(
      emulator::cluster_shared(shared_floats() + thread, rank, sizeof(float)));
}

// Each thread's number, from the next block of the cluster. `barriers`: of the two that are needed.
__global__ void read_next_block(float* out, unsigned int cluster, unsigned int barriers) {
  const unsigned int rank = blockIdx.x % cluster, at = blockIdx.x * blockDim.x + threadIdx.x;
  shared_floats()[threadIdx.x] = static_cast<float>(at);
  if ((barriers & 1u) != 0) emulator::cluster_barrier();
  // Not by the thread that wrote it.
  const unsigned int thread = (threadIdx.x + 1) % blockDim.x;
  out[at] = of_block((rank + 1) % cluster, thread);
  if ((barriers & 2u) != 0) emulator::cluster_barrier();
}

float expected_of_next_block(unsigned int at, unsigned int cluster, unsigned int threads) {
  const unsigned int block = at / threads, thread = at % threads;
  const unsigned int next = block / cluster * cluster + (block % cluster + 1) % cluster;
  return static_cast<float>(next * threads + (thread + 1) % threads);
}

TEST_P(ClusterInEveryOrder, BlocksReadEachOther) {
  for (const unsigned int cluster : {1u, 2u, 3u, 8u}) {
    for (const unsigned int threads : {1u, 32u, 48u, 128u}) {
      std::vector<float> out(3 * cluster * threads, -1.0f);
      ASSERT_EQ(launch_clusters(cluster, 3 * cluster, threads, threads * sizeof(float),
                                read_next_block, out.data(), cluster, 3u),
                cudaSuccess);
      for (unsigned int i = 0; i < out.size(); ++i) {
        ASSERT_EQ(out[i], expected_of_next_block(i, cluster, threads)) << cluster << ' ' << threads;
      }
    }
  }
}

TEST_P(ClusterInEveryOrder, HostThreadsShareTheClusters) {
  emulator::options.threads = 3;
  std::vector<float> out(7 * 4 * 32, -1.0f);
  ASSERT_EQ(launch_clusters(4, 28, 32, 32 * sizeof(float), read_next_block, out.data(), 4u, 3u),
            cudaSuccess);
  for (unsigned int i = 0; i < out.size(); ++i) ASSERT_EQ(out[i], expected_of_next_block(i, 4, 32));
}

// A launch without the attribute after one with it, and other sizes: nothing is left over.
__global__ void write_block(unsigned int* out) {
  __syncthreads();
  if (threadIdx.x == 0) out[blockIdx.y * gridDim.x + blockIdx.x] = blockIdx.y * 100 + blockIdx.x;
}

TEST_P(ClusterInEveryOrder, IndicesAreThoseOfTheGrid) {
  for (const unsigned int cluster : {2u, 1u, 3u}) {
    std::vector<unsigned int> out(12, 77);
    ASSERT_EQ(launch_clusters(cluster, dim3(6, 2), 40, 0, write_block, out.data()), cudaSuccess);
    for (unsigned int i = 0; i < 12; ++i) ASSERT_EQ(out[i], i / 6 * 100 + i % 6);
  }
}

// Faults.

bool any_wrong(const std::vector<float>& out, unsigned int cluster, unsigned int threads) {
  for (unsigned int i = 0; i < out.size(); ++i) {
    if (out[i] != expected_of_next_block(i, cluster, threads)) return true;
  }
  return false;
}

// Values show each missing barrier in every order: a block has not run yet, or has ended.
TEST_P(ClusterInEveryOrder, MissingBarriersShowInTheValues) {
#if defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "races on purpose; see emulator_faults";
#endif
  for (const unsigned int barriers : {0u, 1u, 2u}) {
    std::vector<float> out(8 * 32, -1.0f);
    ASSERT_EQ(
        launch_clusters(8, 8, 32, 32 * sizeof(float), read_next_block, out.data(), 8u, barriers),
        cudaSuccess);
    EXPECT_TRUE(any_wrong(out, 8, 32)) << "barriers " << barriers;
  }
}

// The block's own barrier does not order blocks, nor the cluster's barrier count for the block's.
__global__ void barrier_of_cluster(unsigned int absent_block, unsigned int bound) {
  if (blockIdx.x != absent_block || threadIdx.x < bound) emulator::cluster_barrier();
}

TEST_P(ClusterInEveryOrder, DivergentBarrierIsReportedWithCounts) {
  EXPECT_EQ(launch_clusters(4, 4, 40, 0, barrier_of_cluster, 2u, 7u), cudaErrorLaunchFailure);
  const std::string report = emulator::last_report();
  EXPECT_NE(report.find("cluster of block (0,0,0)"), std::string::npos) << report;
  EXPECT_NE(report.find("127 of 160 threads arrived at the cluster's barrier"), std::string::npos)
      << report;
  EXPECT_NE(report.find("33 returned"), std::string::npos) << report;
  EXPECT_NE(report.find("thread (7,0,0) of block (2,0,0)"), std::string::npos) << report;
  cudaGetLastError();

  std::vector<float> out(2 * 40, -1.0f);
  ASSERT_EQ(launch_clusters(2, 2, 40, 40 * sizeof(float), read_next_block, out.data(), 2u, 3u),
            cudaSuccess);
  EXPECT_FALSE(any_wrong(out, 2, 40));
}

__global__ void half_at_each_barrier() {
  if (blockIdx.x == 1 && threadIdx.x < 16) {
    __syncthreads();
  } else {
    emulator::cluster_barrier();
  }
}

TEST_P(ClusterInEveryOrder, BlockBarrierIsNotTheClusters) {
  EXPECT_EQ(launch_clusters(2, 2, 32, 0, half_at_each_barrier), cudaErrorLaunchFailure);
  const std::string report = emulator::last_report();
  EXPECT_NE(report.find("block (1,0,0): 16 of 32 threads arrived at __syncthreads()"),
            std::string::npos)
      << report;
  EXPECT_NE(report.find("16 wait at the cluster's barrier"), std::string::npos) << report;
  cudaGetLastError();
}

// Between the halves a block goes on, and after the second it finds what others left before the
// first.
__global__ void record_between_halves(int* events, int* next) {
  shared_floats()[0] = static_cast<float>(blockIdx.x);
  emulator::cluster_arrive();
  events[atomicAdd(next, 1)] = static_cast<int>(blockIdx.x);
  emulator::cluster_wait();
  events[atomicAdd(next, 1)] = 10 + static_cast<int>(of_block(1 - blockIdx.x, 0));
  emulator::cluster_barrier();
}

TEST(Clusters, BarrierInTwoHalves) {
  const emulator_test::ScopedOrder scoped(Order::forward);
  std::vector<int> events(4, -1);
  int next = 0;
  EXPECT_EQ(launch_clusters(2, 2, 1, 4, record_between_halves, events.data(), &next), cudaSuccess);
  // The second block, the last to arrive, has nothing to wait for.
  EXPECT_EQ(events, (std::vector<int>{0, 1, 10, 11}));
}

__global__ void misuse(int kind) {
  if (kind == 0) emulator::cluster_wait();
  emulator::cluster_arrive();
  if (kind == 1) emulator::cluster_arrive();
  if (kind == 3) emulator::cluster_wait();
}

TEST(Clusters, HalvesOutOfOrderAreReported) {
  const char* const reports[] = {"without having arrived", "arrived twice", "returned that had"};
  for (int kind = 0; kind < 3; ++kind) {
    EXPECT_EQ(launch_clusters(2, 2, 32, 0, misuse, kind), cudaErrorLaunchFailure);
    EXPECT_NE(emulator::last_report().find(reports[kind]), std::string::npos);
  }
  cudaGetLastError();
  EXPECT_EQ(launch_clusters(2, 2, 32, 0, misuse, 3), cudaSuccess);
}

__global__ void map_beyond(unsigned int rank, unsigned int floats) {
  emulator::cluster_shared(shared_floats() + floats, rank, sizeof(float));
}

TEST(Clusters, AddressesOutsideAreRefused) {
  EXPECT_EQ(launch_clusters(2, 2, 1, 16, map_beyond, 1u, 3u), cudaSuccess);
  EXPECT_EQ(launch_clusters(2, 2, 1, 16, map_beyond, 2u, 3u), cudaErrorIllegalAddress);
  EXPECT_EQ(launch_clusters(2, 2, 1, 16, map_beyond, 1u, 4u), cudaErrorIllegalAddress);
  EXPECT_NE(emulator::last_report().find("outside the block's dynamic shared memory"),
            std::string::npos);
  cudaGetLastError();
}

}  // namespace
