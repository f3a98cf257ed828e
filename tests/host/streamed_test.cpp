// Policies that stream one operand: the plan's vector widths, which that operand alone decides, and
// the number of slices of K. No device.
#include <gtest/gtest.h>

#include <tessera/host/plan.hpp>
#include <tessera/host/streamed_slices.hpp>

namespace tessera {
namespace {

using detail::make_plan;
using detail::streamed_slices;

alignas(16) float data[64];

// Block tiles of 8 x 256 x 16 and 256 x 8 x 16, three blocks of 64 threads on an SM.
constexpr TileConfig streams_b{.threads = {1, 64},
                               .lanes = {1, 32},
                               .thread_tile = {8, 4},
                               .k_tile = {16},
                               .vec_width = {4},
                               .stages = {3},
                               .min_blocks = {3},
                               .slices = {512},
                               .streamed = Streamed::b};
constexpr TileConfig streams_a =
    with(streams_b, Threads{64, 1}, Lanes{32, 1}, ThreadTile{4, 8}, Streamed::a);

constexpr index_t slots = index_t{132} * 3;

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

TEST(PlanOfAStream, SmemHoldsEitherLayout) {
  // 256 lines of 16 floats and 4 more, or 16 of 256 and 4; 8 of 16, or 16 of 8.
  static_assert(smem_bytes(streams_b) == 3 * 4 * (256 * 20 + 16 * 12));
  static_assert(smem_bytes(streams_a) == smem_bytes(streams_b));
}

TEST(SlicesOfAStream, OneWhereTilesFillTheChip) {
  EXPECT_EQ(streamed_slices(streams_b, {8, 256 * slots, 1024}), 1);
  EXPECT_EQ(streamed_slices(streams_b, {1, 256 * slots * 3, 65536}), 1);
}

TEST(SlicesOfAStream, WholeWavesWhereTilesAreFew) {
  for (const index_t tiles : {1, 2, 3, 4, 6, 11, 12, 22, 33}) {
    const int slices = streamed_slices(streams_b, {8, 256 * tiles, 1 << 20});
    EXPECT_EQ(tiles * slices % slots, 0) << tiles << " tiles, " << slices << " slices";
    EXPECT_GT(slices, 1);
  }
}

TEST(SlicesOfAStream, NeverShorterThanTwoKTiles) {
  for (const index_t k : {1, 95, 96, 191, 192, 1000, 10000}) {
    const index_t slices = streamed_slices(streams_b, {1, 256, k});
    EXPECT_LE(slices * 2 * 16, k < 32 ? 32 : k);
    EXPECT_GE(slices, 1);
  }
  EXPECT_EQ(streamed_slices(streams_b, {1, 256, 63}), 1);
  EXPECT_EQ(streamed_slices(streams_b, {1, 256, 64}), 2);
}

// Each slice of a short and wide C is written and read again: with eight rows and k = 1024, 1.6 %
// of the streamed operand.
TEST(SlicesOfAStream, FewWhereTheirSumsCost) {
  for (const index_t tiles : {200, 256, 300, 500}) {
    EXPECT_LE(streamed_slices(streams_b, {8, 256 * tiles, 1024}), 5) << tiles << " tiles";
  }
}

TEST(SlicesOfAStream, BothOperandsAlike) {
  for (const index_t wide : {1, 300, 4096, 65536}) {
    for (const index_t narrow : {1, 5, 8}) {
      for (const index_t k : {1, 1000, 4096, 1 << 20}) {
        EXPECT_EQ(streamed_slices(streams_b, {narrow, wide, k}),
                  streamed_slices(streams_a, {wide, narrow, k}));
      }
    }
  }
}

TEST(SlicesOfAStream, LargestExtentsDoNotOverflow) {
  constexpr index_t largest = detail::max_extent;
  EXPECT_EQ(streamed_slices(streams_b, {largest, largest, largest}), 1);
  EXPECT_EQ(streamed_slices(streams_b, {1, 1, largest}), slots);
}

}  // namespace
}  // namespace tessera
