// TileConfig: named changes to one value, and the sizes derived from it.
#include <gtest/gtest.h>

#include <tessera/tile/tile_config.hpp>

namespace tessera {
namespace {

constexpr TileConfig base{.threads = {8, 32},
                          .lanes = {4, 8},
                          .thread_tile = {8, 4},
                          .k_tile = {16},
                          .vec_width = {4},
                          .a_smem = {Major::mn},
                          .stages = {2},
                          .min_blocks = {3},
                          .slices = {5}};

TEST(TileConfig, BlockTileIsThreadsTimesThreadTile) {
  static_assert(base.thread_count() == 256);
  static_assert(base.block_m() == 64);
  static_assert(base.block_n() == 128);
  static_assert(base.block_k() == 16);
}

TEST(TileConfig, WithoutChangesWithIsTheIdentity) {
  constexpr TileConfig c = with(base);
  static_assert(c.threads.m == 8 && c.threads.n == 32 && c.lanes.m == 4 && c.lanes.n == 8);
  static_assert(c.thread_tile.m == 8 && c.thread_tile.n == 4 && c.k_tile.k == 16);
  static_assert(c.vec_width.floats == 4 && c.a_smem.major == Major::mn);
  static_assert(c.stages.count == 2 && c.min_blocks.per_sm == 3 && c.slices.max == 5);
}

TEST(TileConfig, EachChangeSetsItsFieldAndNoOther) {
  constexpr TileConfig c = with(base, KTile{4}, ThreadTile{2, 6});
  static_assert(c.k_tile.k == 4 && c.thread_tile.m == 2 && c.thread_tile.n == 6);
  static_assert(c.threads.m == 8 && c.threads.n == 32 && c.lanes.m == 4 && c.lanes.n == 8);
  static_assert(c.vec_width.floats == 4 && c.a_smem.major == Major::mn);
  static_assert(c.stages.count == 2 && c.min_blocks.per_sm == 3 && c.slices.max == 5);

  constexpr TileConfig d = with(base, Threads{1, 64}, Lanes{1, 32}, VecWidth{1}, ASmem{Major::k},
                                Stages{1}, MinBlocks{1}, Slices{9}, ExactVariant{false});
  static_assert(d.threads.m == 1 && d.threads.n == 64 && d.lanes.m == 1 && d.lanes.n == 32);
  static_assert(d.vec_width.floats == 1 && d.a_smem.major == Major::k && d.stages.count == 1);
  static_assert(d.min_blocks.per_sm == 1 && d.k_tile.k == 16 && d.thread_tile.m == 8);
  static_assert(d.slices.max == 9 && TileConfig{}.slices.max == 1);
  static_assert(!d.exact.compiled && TileConfig{}.exact.compiled);
}

TEST(TileConfig, TheLastOfTwoChangesHolds) {
  static_assert(with(base, KTile{4}, KTile{32}).k_tile.k == 32);
}

TEST(TileConfig, SmemTileIsPaddedPerLine) {
  static_assert(smem_tile_floats(128, 8, Major::k) == 128 * (8 + smem_padding));
  static_assert(smem_tile_floats(128, 8, Major::mn) == 8 * (128 + smem_padding));
  static_assert(smem_padding % 4 == 0, "lines of 16-byte accesses start 16-byte aligned");
}

TEST(TileConfig, SmemBytesAreAllStagesOfBothOperands) {
  // A m-major: 16 lines of 64 + 4; B n-major: 16 lines of 128 + 4; two stages.
  static_assert(smem_bytes(base) == 2 * 4 * (16 * 68 + 16 * 132));
  // A k-major: 64 lines of 16 + 4.
  static_assert(smem_bytes(with(base, ASmem{Major::k}, Stages{1})) == 4 * (64 * 20 + 16 * 132));
  static_assert(smem_bytes(with(base, Stages{0})) == 0);
}

TEST(TileConfig, ReductionBytesAreTheBlockTileOfC) {
  static_assert(reduction_bytes(base) == 64 * 128 * 4);
}

}  // namespace
}  // namespace tessera
