// Policies that stream one operand: the plan's vector widths, which that operand alone decides, and
// how K is cut, among blocks and the threads of one. No device.
#include <gtest/gtest.h>

#include <tessera/host/plan.hpp>
#include <tessera/host/streamed_slices.hpp>
#include <utility>

namespace tessera {
namespace {

using detail::make_plan;
using detail::SlicePlan;
using detail::streamed_cut;

alignas(16) float data[64];

// Block tiles of 8 x 64 x 32 and 64 x 8 x 32, with four slices of a block an S-th as wide.
constexpr TileConfig streams_b{.threads = {1, 64},
                               .lanes = {1, 32},
                               .thread_tile = {8, 1},
                               .k_tile = {32},
                               .vec_width = {4},
                               .stages = {3},
                               .min_blocks = {4},
                               .slices = {1024},
                               .streamed = Streamed::b,
                               .block_slices = {4}};
constexpr TileConfig streams_a =
    with(streams_b, Threads{64, 1}, Lanes{32, 1}, ThreadTile{1, 8}, Streamed::a);

void expect_widths(const LaunchPlan& p, int a, int b) {
  EXPECT_EQ(p.vec_width_a, a);
  EXPECT_EQ(p.vec_width_b, b);
  EXPECT_EQ(p.vec_width_c, 1);
  EXPECT_TRUE(p.guarded) << "there is no exact variant";
}

TEST(PlanOfAStream, TheStreamedOperandAloneDecides) {
  const auto plan_b = [](index_t n, index_t ld, float* b) {
    return make_plan("test", streams_b, 1.0f, row_major(data + 1, 3, 33, 35),
                     row_major(b, 33, n, ld), 0.0f, row_major(data + 1, 3, n, n + 1));
  };
  expect_widths(plan_b(64, 64, data), 1, 4);
  expect_widths(plan_b(64, 68, data), 1, 4);
  expect_widths(plan_b(63, 64, data), 1, 1);
  expect_widths(plan_b(64, 65, data), 1, 1);
  expect_widths(plan_b(64, 64, data + 2), 1, 1);
  const auto plan_a = [](index_t k, index_t ld, float* a) {
    return make_plan("test", streams_a, 1.0f, row_major(a, 64, k, ld), row_major(data + 1, k, 3, 5),
                     0.0f, row_major(data + 1, 64, 3, 5));
  };
  expect_widths(plan_a(36, 36, data), 4, 1);
  expect_widths(plan_a(36, 40, data), 4, 1);
  expect_widths(plan_a(35, 36, data), 1, 1);
  expect_widths(plan_a(36, 37, data), 1, 1);
  expect_widths(plan_a(36, 36, data + 1), 1, 1);
}

TEST(PlanOfAStream, WithoutAProductNothingIsStreamed) {
  expect_widths(make_plan("test", streams_b, 0.0f, row_major(data, 8, 64), row_major(data, 64, 256),
                          0.5f, row_major(data, 8, 256)),
                1, 1);
}

TEST(PlanOfAStream, SmemHoldsEitherLayoutAndTheSums) {
  // For two warps and three stages 32 lines of 32 floats and 4 more, and for the two slices that a
  // warp has a part of 8 of 32; for 64 threads 8 sums.
  static_assert(streamed_slices_of_warp(streams_b) == 2);
  static_assert(smem_bytes(streams_b) == 4 * (2 * 3 * (32 * 36 + 2 * 8 * 36) + 64 * 8));
  static_assert(smem_bytes(streams_a) == smem_bytes(streams_b));
}

LaunchPlan plan_of(const TileConfig& config, const GemmShape& s, SlicePlan cut) {
  return make_plan("test", config, 1.0f, row_major(data, s.m, s.k), row_major(data, s.k, s.n), 0.0f,
                   row_major(data, s.m, s.n), cut);
}

// The block tile becomes narrower along the streamed operand, and the slices of a block are a power
// of two that the policy allows and k has k-tiles for.
TEST(PlanOfAStream, BlockSlicesNarrowTheTile) {
  for (const int wanted : {-1, 0, 1, 2, 3, 4, 7, 100}) {
    const int expected = wanted >= 4 ? 4 : wanted >= 2 ? 2 : 1;
    const LaunchPlan b = plan_of(streams_b, {9, 640, 320}, {5, true, wanted});
    EXPECT_EQ(b.block_slices, expected);
    EXPECT_EQ(b.m_tiles, 2);
    EXPECT_EQ(b.n_tiles, 10 * expected);
    EXPECT_EQ(b.slices, expected == 4 ? 2 : 5) << "each slice of a block has a k-tile";
    EXPECT_EQ(b.grid, 20 * expected * b.slices);
    EXPECT_EQ(b.splits_k(), true);
    const LaunchPlan a = plan_of(streams_a, {640, 9, 320}, {1, true, wanted});
    EXPECT_EQ(a.m_tiles, 10 * expected);
    EXPECT_EQ(a.n_tiles, 2);
    EXPECT_EQ(a.splits_k(), expected > 1);
    EXPECT_EQ(a.smem_bytes, smem_bytes(streams_a));
  }
  EXPECT_EQ(plan_of(streams_b, {8, 640, 96}, {1, true, 4}).block_slices, 2);
  EXPECT_EQ(plan_of(streams_b, {8, 640, 97}, {1, true, 4}).block_slices, 4);
  EXPECT_EQ(plan_of(streams_b, {8, 640, 32}, {1, true, 4}).block_slices, 1);
  // 2^30 tiles: narrower ones would not fit a grid.
  const LaunchPlan full = plan_of(streams_b, {8 << 16, 64 << 14, 320}, {1, true, 4});
  EXPECT_EQ(full.block_slices, 1);
  EXPECT_EQ(full.grid, index_t{1} << 30);
}

// ---- how K is cut

constexpr Major either[] = {Major::k, Major::mn};

TEST(CutOfAStream, EverySliceHasAKTile) {
  for (const Major along : either) {
    for (const index_t wide : {1, 8, 64, 1000, 8192, 300000}) {
      for (const index_t k : {1, 32, 33, 500, 4096, 100000, 1 << 24}) {
        const StreamCut cut = streamed_cut(streams_b, {8, wide, k}, along);
        EXPECT_GE(cut.slices, 1);
        EXPECT_LE(cut.slices, 1024);
        EXPECT_TRUE(cut.block_slices == 1 || cut.block_slices == 2 || cut.block_slices == 4);
        EXPECT_LE(index_t{cut.slices} * cut.block_slices, (k + 31) / 32) << wide << " x " << k;
        // Clusters of other sizes reach fewer SMs.
        const bool cluster = cut.slices > 1 && cut.slices <= 8;
        EXPECT_TRUE(!cluster || (8 % cut.slices == 0 && cut.slices != 5)) << cut.slices;
      }
    }
  }
}

TEST(CutOfAStream, OneSliceWhereTilesFillTheChip) {
  for (const Major along : either) {
    EXPECT_EQ(streamed_cut(streams_b, {8, 32768, 4096}, along).slices, 1);
    EXPECT_EQ(streamed_cut(streams_b, {8, 1 << 22, 1024}, along).slices, 1);
  }
}

// An SM is as late as it has blocks: 2 or 3 each with few SMs idle, not 1.3 or 4.
TEST(CutOfAStream, SmsHaveEqualShares) {
  constexpr TileConfig wide = with(streams_b, Threads{1, 128}, MinBlocks{3});
  const auto blocks = [&](index_t n, const StreamCut& cut) {
    return detail::ceil_div(n, 128 / cut.block_slices) * cut.slices;
  };
  for (const Major along : either) {
    for (const auto& [n, k] : {std::pair{8192, 8192},
                               {4096, 32768},
                               {11008, 4096},
                               {12288, 6144},
                               {6000, 12000},
                               {6144, 2048},
                               {20000, 3500},
                               {16384, 16384}}) {
      const StreamCut cut = streamed_cut(wide, {8, n, k}, along);
      const index_t of_an_sm = detail::ceil_div(blocks(n, cut), 132);
      EXPECT_LE(of_an_sm, 3) << n << " x " << k;
      EXPECT_GE(blocks(n, cut) * 100, of_an_sm * 132 * 78) << n << " x " << k;
    }
    // The threads of a block add slices for less than a cluster does.
    EXPECT_EQ(streamed_cut(wide, {8, 8192, 8192}, along).block_slices, 4);
    EXPECT_EQ(streamed_cut(wide, {8, 8192, 8192}, along).slices, 1);
  }
}

// A workspace and a second kernel are worth it only where few tiles have much to read.
TEST(CutOfAStream, AWorkspaceForLongProductsOnly) {
  EXPECT_GT(streamed_cut(streams_b, {8, 512, 500000}, Major::mn).slices, 8);
  EXPECT_GT(streamed_cut(streams_b, {1, 1, 1 << 24}, Major::k).slices, 8);
  for (const Major along : either) {
    for (const index_t wide : {64, 512, 1024, 4096}) {
      EXPECT_LE(streamed_cut(streams_b, {8, wide, 1024}, along).slices, 8) << wide;
    }
  }
}

TEST(CutOfAStream, BothOperandsAlike) {
  for (const index_t wide : {1, 300, 4096, 65536}) {
    for (const index_t narrow : {1, 5, 8}) {
      for (const index_t k : {1, 1000, 4096, 1 << 20}) {
        const StreamCut b = streamed_cut(streams_b, {narrow, wide, k}, Major::k);
        const StreamCut a = streamed_cut(streams_a, {wide, narrow, k}, Major::k);
        EXPECT_EQ(a.slices, b.slices);
        EXPECT_EQ(a.block_slices, b.block_slices);
      }
    }
  }
}

TEST(CutOfAStream, LargestExtentsDoNotOverflow) {
  constexpr index_t largest = detail::max_extent;
  EXPECT_EQ(streamed_cut(streams_b, {largest, largest, largest}, Major::k).slices, 1);
  EXPECT_GT(streamed_cut(streams_b, {1, 1, largest}, Major::k).slices, 8);
}

}  // namespace
}  // namespace tessera
