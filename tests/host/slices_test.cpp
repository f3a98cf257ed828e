// The plan of a K in slices: how many, added by clusters or in a workspace, and what is launched
// for it. No device.
#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <tessera/host/plan.hpp>

namespace tessera {
namespace {

using detail::make_plan;
using detail::max_extent;
using detail::SlicePlan;

alignas(16) float data[64];

// 64 x 128 x 16 block tiles, 256 threads.
constexpr TileConfig config{.threads = {16, 16},
                            .thread_tile = {4, 8},
                            .k_tile = {16},
                            .vec_width = {4},
                            .stages = {1},
                            .slices = {12}};

LaunchPlan plan_of(const GemmShape& s, SlicePlan cut, float alpha = 1.0f,
                   const TileConfig& with_config = config) {
  return make_plan("test", with_config, alpha, row_major(data, s.m, s.k), row_major(data, s.k, s.n),
                   0.0f, row_major(data, s.m, s.n), cut);
}

void expect_unsplit(const LaunchPlan& p) {
  EXPECT_EQ(p.slices, 1);
  EXPECT_FALSE(p.cluster);
  EXPECT_EQ(p.workspace_bytes, 0);
  EXPECT_EQ(p.reduction_grid, 0);
  EXPECT_EQ(p.grid, p.m_tiles * p.n_tiles);
  EXPECT_EQ(p.smem_bytes, smem_bytes(p.config));
}

TEST(SlicesOfAPlan, OneIsTheDefault) {
  expect_unsplit(plan_of({128, 256, 320}, {}));
  expect_unsplit(plan_of({128, 256, 320}, {1, true}));
  expect_unsplit(plan_of({128, 256, 320}, {0, true}));
  expect_unsplit(plan_of({128, 256, 320}, {-3, true}));
}

TEST(SlicesOfAPlan, OneBlockForEachTileAndSlice) {
  for (int wanted = 2; wanted <= 12; ++wanted) {
    for (const bool clusters : {false, true}) {
      const LaunchPlan p = plan_of({128, 256, 320}, {wanted, clusters});
      EXPECT_EQ(p.slices, wanted);
      EXPECT_EQ(p.grid, 4 * wanted);
      EXPECT_EQ(p.block, 256);
    }
  }
}

TEST(SlicesOfAPlan, NeverMoreThanThePolicyAllowsOrThanKTiles) {
  EXPECT_EQ(plan_of({128, 256, 16 * 100}, {13, true}).slices, 12);
  EXPECT_EQ(plan_of({128, 256, 16 * 7}, {12, true}).slices, 7);
  EXPECT_EQ(plan_of({128, 256, 16 * 7 + 1}, {12, true}).slices, 8);
  expect_unsplit(plan_of({128, 256, 16}, {12, true}));
  expect_unsplit(plan_of({128, 256, 1600}, {12, true}, 1.0f, with(config, Slices{1})));
}

TEST(SlicesOfAPlan, NoneWithoutAProduct) {
  for (const bool clusters : {false, true}) {
    for (const LaunchPlan& p :
         {plan_of({128, 256, 320}, {8, clusters}, 0.0f), plan_of({128, 256, 0}, {8, clusters})}) {
      EXPECT_EQ(p.slices, 1);
      EXPECT_FALSE(p.cluster);
      EXPECT_EQ(p.workspace_bytes, 0);
      EXPECT_EQ(p.grid, 0);
      EXPECT_EQ(p.smem_bytes, 0);
      EXPECT_EQ(p.reduction_grid, 128 * 256 / 4 / 256) << "the sum of no slices, alone";
    }
  }
}

TEST(SlicesOfAPlan, ClustersOfUpToEightWhereEveryChipHasThem) {
  for (int wanted = 2; wanted <= 12; ++wanted) {
    const LaunchPlan p = plan_of({128, 256, 320}, {wanted, true});
    EXPECT_EQ(p.cluster, wanted <= 8);
    EXPECT_EQ(p.workspace_bytes == 0, p.cluster) << "one of the two";
    EXPECT_EQ(p.reduction_grid == 0, p.cluster);
  }
  EXPECT_FALSE(plan_of({128, 256, 320}, {2, false}).cluster);
}

TEST(SlicesOfAPlan, SmemHoldsTheBlockTileOfCInClustersOnly) {
  // 64 x 128 floats are more than the smem tiles, of one stage.
  static_assert(smem_bytes(config) < 64 * 128 * 4);
  EXPECT_EQ(plan_of({128, 256, 320}, {8, true}).smem_bytes, 64 * 128 * 4);
  EXPECT_EQ(plan_of({128, 256, 320}, {8, false}).smem_bytes, smem_bytes(config));
  constexpr TileConfig deep = with(config, KTile{64});
  static_assert(smem_bytes(deep) > 64 * 128 * 4);
  EXPECT_EQ(plan_of({128, 256, 640}, {8, true}, 1.0f, deep).smem_bytes, smem_bytes(deep));
}

TEST(SlicesOfAPlan, WorkspaceHoldsEverySlicesSums) {
  const LaunchPlan p = plan_of({130, 260, 320}, {3, false});
  EXPECT_EQ(p.workspace_bytes, 3 * 130 * 260 * 4);
  // 130 * 65 accesses of 4 floats, 256 a block.
  EXPECT_EQ(p.reduction_grid, 34);
  // Scalar: 130 * 259 accesses.
  EXPECT_EQ(plan_of({130, 259, 320}, {3, false}).reduction_grid, 132);
  // Larger matrices: the blocks loop.
  EXPECT_EQ(plan_of({65536, 1024, 320}, {3, false}).reduction_grid, 65536);
  EXPECT_EQ(plan_of({65536, 1028, 320}, {3, false}).reduction_grid, 65536);
  EXPECT_EQ(plan_of({65536, 1020, 320}, {3, false}).reduction_grid, 65536 / 1024 * 1020);
}

TEST(SlicesOfAPlan, GridAndWorkspaceStayWithinTheirLimits) {
  // 2^30 tiles: one block each and no second.
  const index_t tall = 64 * (index_t{1} << 20), wide = 128 * (index_t{1} << 10);
  EXPECT_EQ(plan_of({tall, wide, 320}, {8, false}).slices, 1);
  EXPECT_EQ(plan_of({tall / 2, wide, 320}, {8, false}).slices, 3);
  const LaunchPlan p = plan_of({tall / 8, wide, 320}, {12, false});
  EXPECT_EQ(p.slices, 12);
  EXPECT_LE(p.grid, max_extent);
  EXPECT_EQ(p.workspace_bytes, 12 * (tall / 8) * wide * 4);
  // Tiles so large that the sums of two slices span more than 2^63 bytes.
  TileConfig vast = with(config, Threads{1 << 14, 1 << 14}, ThreadTile{8, 8});
  EXPECT_EQ(plan_of({max_extent, max_extent, 320}, {2, false}, 1.0f, vast).slices, 1);
  EXPECT_EQ(plan_of({max_extent, max_extent / 4, 320}, {2, false}, 1.0f, vast).slices, 2);
}

std::string printed(const LaunchPlan& p) {
  std::ostringstream os;
  os << p;
  return os.str();
}

TEST(SlicesOfAPlan, ArePrinted) {
  EXPECT_NE(printed(plan_of({128, 256, 320}, {8, true})).find(", exact, slices 8 in clusters"),
            std::string::npos);
  EXPECT_NE(printed(plan_of({130, 260, 320}, {3, false}))
                .find(", guarded, slices 3 in a workspace of 405600 B, summed by a grid of 34"),
            std::string::npos);
  LaunchPlan chosen = plan_of({128, 256, 320}, {});
  EXPECT_EQ(printed(chosen).find("slices"), std::string::npos);
  EXPECT_EQ(chosen.reason, std::string());
  chosen.reason = "two waves";
  EXPECT_NE(printed(chosen).find(", exact (two waves)"), std::string::npos);
}

}  // namespace
}  // namespace tessera
