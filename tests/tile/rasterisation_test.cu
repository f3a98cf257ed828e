// rasterise: every block tile exactly once, and blocks that run together lie close.
#include <gtest/gtest.h>

#include <set>
#include <tessera/tile/rasterisation.cuh>
#include <utility>
#include <vector>

#include "cuda_resources.hpp"

namespace tessera {
namespace {

using support::DeviceBuffer;
using support::run_kernel;
using tile::TileCoord;

// Blocks first, first + 1, ... one a thread.
__global__ void rasterise_kernel(int first, int count, int m_tiles, int n_tiles, TileCoord* out) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < count) out[i] = tile::rasterise(first + i, m_tiles, n_tiles);
}

std::vector<TileCoord> rasterised(int m_tiles, int n_tiles, int first, int count) {
  DeviceBuffer<TileCoord> out(static_cast<std::size_t>(count));
  run_kernel(&rasterise_kernel, (count + 127) / 128, 128, 0, first, count, m_tiles, n_tiles,
             out.data());
  return out.to_host();
}

void expect_every_tile_once(int m_tiles, int n_tiles) {
  std::vector<int> visits(static_cast<std::size_t>(m_tiles * n_tiles));
  for (const TileCoord& tile : rasterised(m_tiles, n_tiles, 0, m_tiles * n_tiles)) {
    ASSERT_GE(tile.m, 0);
    ASSERT_LT(tile.m, m_tiles);
    ASSERT_GE(tile.n, 0);
    ASSERT_LT(tile.n, n_tiles);
    ++visits[static_cast<std::size_t>(tile.m * n_tiles + tile.n)];
  }
  for (const int count : visits) ASSERT_EQ(count, 1) << m_tiles << " x " << n_tiles;
}

TEST(Rasterisation, EveryTileOnceForAllSmallGrids) {
  for (int m = 1; m <= 18; ++m) {
    for (int n = 1; n <= 18; ++n) expect_every_tile_once(m, n);
  }
}

TEST(Rasterisation, EveryTileOnceForLongGrids) {
  expect_every_tile_once(1, 1000);
  expect_every_tile_once(1000, 1);
  expect_every_tile_once(1001, 3);
  expect_every_tile_once(3, 1001);
}

// The largest grids that a plan allows: 2^31 - 1 tiles in all. No intermediate value may overflow.
TEST(Rasterisation, LastTilesOfTheLargestGrids) {
  constexpr int max = 2147483647;
  const std::pair<int, int> grids[] = {{max, 1},     {1, max},     {46340, 46341}, {max / 3, 3},
                                       {3, max / 3}, {8, max / 8}, {max / 7, 7}};
  for (const auto& [m_tiles, n_tiles] : grids) {
    constexpr int count = 512;
    const int last = static_cast<int>(static_cast<long long>(m_tiles) * n_tiles);
    std::set<std::pair<int, int>> seen;
    for (const TileCoord& tile : rasterised(m_tiles, n_tiles, last - count, count)) {
      EXPECT_TRUE(tile.m >= 0 && tile.m < m_tiles && tile.n >= 0 && tile.n < n_tiles)
          << m_tiles << " x " << n_tiles << ": " << tile.m << ", " << tile.n;
      seen.insert({tile.m, tile.n});
    }
    EXPECT_EQ(static_cast<int>(seen.size()), count) << m_tiles << " x " << n_tiles;
    EXPECT_TRUE(seen.count({m_tiles - 1, n_tiles - 1})) << m_tiles << " x " << n_tiles;
  }
}

// What it is for: a wave of 264 blocks touches few rows and columns of tiles.
TEST(Rasterisation, AWaveIsNearlySquare) {
  std::set<int> rows, cols;
  for (const TileCoord& tile : rasterised(64, 64, 0, 264)) {
    rows.insert(tile.m);
    cols.insert(tile.n);
  }
  EXPECT_LE(rows.size() + cols.size(), 50u);
}

}  // namespace
}  // namespace tessera
