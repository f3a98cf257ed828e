// ThreadMap: the thread tiles of a block cover its block tile, each element once; chunks of an
// access are neighbours.
#include <gtest/gtest.h>

#include <tessera/policy.cuh>
#include <tessera/thread/thread_map.cuh>
#include <vector>

#include "cuda_resources.hpp"
#include "test_policies.cuh"

namespace tessera {
namespace {

// out[thread]: rows of the thread tile, then its columns.
template <class Policy>
__global__ void map_kernel(int* out) {
  constexpr TileConfig config = Policy::config;
  constexpr int per_thread = config.thread_tile.m + config.thread_tile.n;
  const int thread = static_cast<int>(threadIdx.x);
  const thread::ThreadMap<Policy> map(thread);
  int* mine = out + thread * per_thread;
  for (int i = 0; i < config.thread_tile.m; ++i) mine[i] = map.row(i);
  for (int j = 0; j < config.thread_tile.n; ++j) mine[config.thread_tile.m + j] = map.col(j);
}

template <class Policy>
class ThreadMap : public testing::Test {
 protected:
  static constexpr TileConfig policy_config = Policy::config;
  static constexpr int tile_m = policy_config.thread_tile.m, tile_n = policy_config.thread_tile.n;

  void SetUp() override {
    support::DeviceBuffer<int> out(
        static_cast<std::size_t>(policy_config.thread_count() * (tile_m + tile_n)));
    support::run_kernel(&map_kernel<Policy>, 1, policy_config.thread_count(), 0, out.data());
    values_ = out.to_host();
  }
  int row(int thread, int i) const { return at(thread * (tile_m + tile_n) + i); }
  int col(int thread, int j) const { return at(thread * (tile_m + tile_n) + tile_m + j); }

 private:
  int at(int i) const { return values_[static_cast<std::size_t>(i)]; }
  std::vector<int> values_;
};

using Policies =
    testing::Types<policy::naive, policy::smem_tile, policy::register_tile_1d,
                   policy::register_tile_2d, policy::vectorized, policy::double_buffered,
                   support::pairs, support::three_warps, support::scalar_buffered,
                   support::large_smem, support::direct_rectangle, policy::narrow_128x16,
                   policy::narrow_32x64, policy::narrow_48x96>;
TYPED_TEST_SUITE(ThreadMap, Policies);

TYPED_TEST(ThreadMap, IsABijection) {
  constexpr TileConfig config = TypeParam::config;
  std::vector<int> owners(static_cast<std::size_t>(config.block_m() * config.block_n()));
  for (int thread = 0; thread < config.thread_count(); ++thread) {
    for (int i = 0; i < config.thread_tile.m; ++i) {
      for (int j = 0; j < config.thread_tile.n; ++j) {
        const int row = this->row(thread, i), col = this->col(thread, j);
        ASSERT_TRUE(row >= 0 && row < config.block_m() && col >= 0 && col < config.block_n());
        ++owners[static_cast<std::size_t>(row * config.block_n() + col)];
      }
    }
  }
  for (const int count : owners) ASSERT_EQ(count, 1);
}

TYPED_TEST(ThreadMap, AccessesAreNeighboursAndAligned) {
  constexpr TileConfig shape = TypeParam::config;
  constexpr int width = shape.vec_width.floats;
  for (int thread = 0; thread < shape.thread_count(); ++thread) {
    for (int j = 0; j < shape.thread_tile.n; ++j) {
      ASSERT_EQ(this->col(thread, j), this->col(thread, j / width * width) + j % width);
      if (j % width == 0) {
        ASSERT_EQ(this->col(thread, j) % width, 0);
      }
    }
    if constexpr (shape.a_smem.major == Major::mn) {
      for (int i = 0; i < shape.thread_tile.m; ++i) {
        ASSERT_EQ(this->row(thread, i), this->row(thread, i / width * width) + i % width);
        if (i % width == 0) {
          ASSERT_EQ(this->row(thread, i) % width, 0);
        }
      }
    }
  }
}

// The lanes of a warp form the rectangle that the config names.
TYPED_TEST(ThreadMap, LanesFormARectangle) {
  constexpr TileConfig shape = TypeParam::config;
  for (int warp = 0; warp < shape.thread_count() / 32; ++warp) {
    for (int lane = 1; lane < 32; ++lane) {
      const int before = warp * 32 + lane - 1, thread = warp * 32 + lane;
      const bool wraps = lane % shape.lanes_n() == 0;
      ASSERT_EQ(this->col(thread, 0) > this->col(before, 0), !wraps);
      ASSERT_EQ(this->row(thread, 0) > this->row(before, 0), wraps);
    }
  }
}

}  // namespace
}  // namespace tessera
