// The cost model of policy::automatic, on chips made up for the test. Plain C++, no device.
#include <gtest/gtest.h>

#include <algorithm>
#include <utility>
#include <vector>

#include <tessera/host/chips/h200.hpp>
#include <tessera/host/cost_model.hpp>

namespace tessera {
namespace {

using detail::best_option;
using detail::Candidates;
using detail::predicted_us;
using detail::rank;
using detail::Ranking;
using detail::Waves;
using detail::waves_of;

// 100 x 100 x 10 block tiles, two on an SM.
constexpr TileConfig config{.threads = {10, 10},
                            .thread_tile = {10, 10},
                            .k_tile = {10},
                            .stages = {2},
                            .min_blocks = {2},
                            .slices = {32}};
constexpr TileCost cost{.launch = 5.0,
                        .block = {3.0, 4.0},
                        .k_tile = {1.0, 1.5},
                        .guarded_k_tile = 0.25,
                        .guarded_k_tiles = 0.5,
                        .scalar_k_tile = 1.0,
                        .scalar_k_tiles = 3.0,
                        .scalar_cluster_k_tiles = 2.0,
                        .store_byte = 1e-6,
                        .cluster = 0.75,
                        .workspace = 6.0,
                        .workspace_byte = 1e-5,
                        .workspace_wait = 0.125};
constexpr Chip chip{.name = "test", .sm_count = 10, .byte = 1e-9};
constexpr int any = 1 << 30;

// So many elements stored; in a workspace, added there with so many waits.
constexpr double stored(double elements) { return 1e-6 * 4 * elements; }
constexpr double added(double elements, int waits = 1) {
  return stored(elements) + 6.0 + 1e-5 * 4 * elements + 0.125 * waits;
}

constexpr double us(const GemmShape& shape, int slices = 1, bool vectorized = true) {
  return predicted_us(chip, cost, config, shape, vectorized, slices);
}

// The model is what a compiler can compute.
static_assert(us({100, 100, 10}) == 5.0 + (stored(1e4) + 3.0 + 1.0));
static_assert(predicted_us(chips::h200, chips::h200.split_k, config, {64, 64, 64}, true, 1) > 0.0);

TEST(Waves, CountBlocksByHowManyShareAnSm) {
  const auto expect = [](index_t blocks, double alone, double shared) {
    const Waves waves = waves_of(blocks, 10, 2);
    EXPECT_EQ(waves.count[0], alone) << blocks;
    EXPECT_EQ(waves.count[1], shared) << blocks;
    EXPECT_EQ(waves.total, alone + shared);
  };
  expect(0, 0, 0);
  expect(1, 1, 0);
  expect(10, 1, 0);
  expect(11, 0, 1);
  expect(20, 0, 1);
  expect(21, 1, 1);
  expect(31, 0, 2);
  expect(40, 0, 2);
}

// After two waves, the third counts half for the SMs that have its blocks and half for its share.
TEST(Waves, DriftApart) {
  const Waves third = waves_of(45, 10, 2), fifth = waves_of(95, 10, 2);
  EXPECT_DOUBLE_EQ(third.count[0], 0.5);
  EXPECT_DOUBLE_EQ(third.count[1], 2.0 + 0.5 * 5 / 20);
  EXPECT_EQ(third.total, 3.0);
  EXPECT_DOUBLE_EQ(fifth.count[0], 0.0);
  EXPECT_DOUBLE_EQ(fifth.count[1], 4.0 + 0.75 * 15 / 20 + 0.25);
}

TEST(CostModel, IsItsFormula) {
  EXPECT_DOUBLE_EQ(us({100, 1000, 70}), 5.0 + 3.0 + 7 * 1.0 + stored(1e5));    // 10 blocks
  EXPECT_DOUBLE_EQ(us({100, 1100, 70}), 5.0 + 4.0 + 7 * 1.5 + stored(1.1e5));  // 11: two on an SM
  EXPECT_DOUBLE_EQ(us({100, 2100, 70}), 5.0 + 4.0 + 7 * 1.5 + 3.0 + 7 * 1.0 + stored(2.1e5));
  // Ragged, along each mode; scalar, ragged or not.
  EXPECT_DOUBLE_EQ(us({99, 1000, 70}), 5.0 + 3.0 + 7 * 1.25 + 0.5 + stored(9.9e4));
  EXPECT_DOUBLE_EQ(us({100, 999, 70}), 5.0 + 3.0 + 7 * 1.25 + 0.5 + stored(9.99e4));
  EXPECT_DOUBLE_EQ(us({100, 1000, 69}), 5.0 + 3.0 + 7 * 1.25 + 0.5 + stored(1e5));
  EXPECT_DOUBLE_EQ(us({99, 1000, 70}, 1, false), 5.0 + 3.0 + 7 * 2.0 + 3.0 + stored(9.9e4));
  EXPECT_DOUBLE_EQ(us({100, 1000, 70}, 1, false), 5.0 + 3.0 + 7 * 2.0 + 3.0 + stored(1e5));
}

// 3200 floats are whole cache lines. 32 blocks: two waves with two on an SM.
TEST(CostModel, GuardsCostTheEpilogueNothingOnWholeLines) {
  EXPECT_DOUBLE_EQ(us({99, 3200, 70}), 5.0 + 2 * (4.0 + 7 * 1.75) + stored(99 * 3200));
  EXPECT_DOUBLE_EQ(us({99, 3190, 70}), 5.0 + 2 * (4.0 + 7 * 1.75 + 0.5 * 1.5) + stored(99 * 3190));
}

TEST(CostModel, SlicesShortenKAndAreSummed) {
  // 4 slices of 2 k-tiles (the longest), 4 blocks; one wave of clusters.
  EXPECT_DOUBLE_EQ(us({100, 100, 70}, 4), 5.0 + 3.0 + 2 * 1.0 + 0.75);
  // 12 blocks in clusters of 4: one wave with two on an SM.
  EXPECT_DOUBLE_EQ(us({100, 300, 70}, 4), 5.0 + 4.0 + 2 * 1.5 + 0.75);
  // Three waves of 20, 20 and 8 blocks, which have drifted apart.
  EXPECT_DOUBLE_EQ(us({100, 1200, 70}, 4),
                   5.0 + 2.2 * (4.0 + 2 * 1.5) + 0.5 * (3.0 + 2 * 1.0) + 3 * 0.75);
  // 10 slices are beyond a cluster: a workspace of 10 * 100 * 100 floats.
  EXPECT_DOUBLE_EQ(us({100, 100, 100}, 10), 5.0 + 3.0 + 1.0 + added(1e5, 2));
}

TEST(CostModel, AWorkspaceForSlicesThatAClusterCouldHold) {
  const auto in_workspace = [](const GemmShape& shape, int slices) {
    return predicted_us(chip, cost, config, shape, true, slices, true);
  };
  EXPECT_DOUBLE_EQ(in_workspace({100, 100, 70}, 4), 5.0 + 3.0 + 2 * 1.0 + added(4e4));
  EXPECT_EQ(in_workspace({100, 100, 70}, 1), us({100, 100, 70}));
  EXPECT_EQ(in_workspace({100, 100, 100}, 10), us({100, 100, 100}, 10));
  // Its blocks lie on any SMs: 20 of 10 SMs are one wave, clusters of 4 on 8 SMs make two.
  Chip gaps = chip;
  gaps.cluster_sm_count[4] = 8;
  const GemmShape shape{100, 500, 70};
  EXPECT_DOUBLE_EQ(predicted_us(gaps, cost, config, shape, true, 4, true),
                   5.0 + 4.0 + 2 * 1.5 + added(2e5));
  EXPECT_DOUBLE_EQ(predicted_us(gaps, cost, config, shape, true, 4, false),
                   5.0 + 4.0 + 2 * 1.5 + 3.0 + 2 * 1.0 + 2 * 0.75);
}

// A thread of the second kernel loads 32 floats at once: 8 slices, or 32 where accesses are scalar;
// of many slices of a small C, blocks load all.
TEST(CostModel, TheSumInAWorkspaceWaitsForItsLoads) {
  const double blocks = 5.0 + 3.0 + 1.0, scalar = 5.0 + 3.0 + 2.0 + 3.0;
  EXPECT_DOUBLE_EQ(us({100, 100, 80}, 8), 5.0 + 3.0 + 1.0 + 0.75);
  EXPECT_DOUBLE_EQ(predicted_us(chip, cost, config, {100, 100, 80}, true, 8, true),
                   blocks + added(8e4, 1));
  EXPECT_DOUBLE_EQ(us({100, 100, 90}, 9), blocks + added(9e4, 2));
  EXPECT_DOUBLE_EQ(us({100, 100, 90}, 9, false), scalar + added(9e4, 1));
  EXPECT_DOUBLE_EQ(us({50, 100, 160}, 16), 5.0 + 4.0 + 1.75 + 0.5 * 1.5 + added(8e4, 1));
}

// Guards cost a cluster's epilogue nothing, scalar accesses as much as they do.
TEST(CostModel, VariantsInClusters) {
  EXPECT_DOUBLE_EQ(us({99, 99, 20}, 2), 5.0 + 3.0 + 1.25 + 0.75);
  EXPECT_DOUBLE_EQ(us({99, 99, 20}, 2, false), 5.0 + 3.0 + 2.0 + 2.0 + 0.75);
}

TEST(CostModel, MemoryIsAFloor) {
  Chip slow = chip;
  slow.byte = 1e-3;
  const double bytes = 4.0 * (100 * 10 + 10 * 200 + 100 * 200);
  EXPECT_DOUBLE_EQ(predicted_us(slow, cost, config, {100, 200, 10}, true, 1), 5.0 + 1e-3 * bytes);
}

TEST(CostModel, AKTileFromMemoryHasItsLatency) {
  TileCost far = cost;
  far.far_k_tile = 1.25;  // of one block more than k_tile, of two less
  const auto far_us = [&](const GemmShape& shape, double cached, double missed, double copies) {
    Chip small_cache = chip;
    small_cache.cached_bytes = cached, small_cache.missed_bytes = missed;
    small_cache.copies = copies;
    return predicted_us(small_cache, far, config, shape, true, 1);
  };
  const GemmShape one_tile_wide{100, 1000, 70};  // 10 blocks read A, one each line of B
  const double a = 4.0 * 100 * 70, rest = 4.0 * (70 * 1000 + 100 * 1000), bytes = a + rest;
  const double near = 5.0 + 3.0 + 7 * 1.0 + stored(1e5);
  EXPECT_DOUBLE_EQ(far_us(one_tile_wide, bytes, 2 * bytes, 1.0), near) << "the L2 holds it";
  EXPECT_DOUBLE_EQ(far_us(one_tile_wide, 0.5 * bytes, bytes, 1.0), near + 7 * 0.25) << "none";
  EXPECT_DOUBLE_EQ(far_us(one_tile_wide, 0.5 * bytes, 1.5 * bytes, 1.0), near + 7 * 0.125);
  // What several blocks read counts twice.
  const double twice = 2 * a + rest;
  EXPECT_DOUBLE_EQ(far_us(one_tile_wide, twice, 2 * twice, 2.0), near);
  EXPECT_DOUBLE_EQ(far_us(one_tile_wide, 0.9 * twice, twice, 2.0), near + 7 * 0.25);
  EXPECT_DOUBLE_EQ(far_us({1000, 100, 70}, 0.9 * twice, twice, 2.0), near + 7 * 0.25);
  EXPECT_DOUBLE_EQ(far_us({100, 1100, 70}, 1.0, 2.0, 1.0), 5.0 + 4.0 + 7 * 1.5 + stored(1.1e5));
}

TEST(CostModel, VariantsAreNotOfPoliciesThatStream) {
  constexpr TileConfig streams = with(config, Streamed::b);
  EXPECT_DOUBLE_EQ(predicted_us(chip, cost, streams, {99, 1000, 69}, false, 1),
                   5.0 + 3.0 + 7.0 + stored(9.9e4));
}

TEST(CostModel, GrowsWithEachExtent) {
  for (const bool vectorized : {true, false}) {
    double last[3] = {};
    for (index_t extent = 1; extent < 5000; extent += 7) {
      const GemmShape shapes[] = {{extent, 300, 200}, {300, extent, 200}, {300, 300, extent}};
      for (int i = 0; i < 3; ++i) {
        // Whole tiles and lines may be less than ragged ones: compare the ragged.
        if (extent % 10 == 0 || extent % 32 == 0) continue;
        const double now = us(shapes[i], 1, vectorized);
        EXPECT_GE(now, last[i]) << extent << ", mode " << i;
        last[i] = now;
      }
    }
  }
}

constexpr Candidates alone{{{"one", config, &cost}}, 1};

constexpr int slices_of(const GemmShape& shape, int most = any, const Candidates& of = alone) {
  return best_option(chip, of, 0, shape, true, most).slices;
}

TEST(Slices, FillTheChipWhereTilesAreFew) {
  EXPECT_GT(slices_of({100, 100, 10000}), 8);
  EXPECT_EQ(slices_of({100, 1000, 20}), 1) << "every SM has a block and k is short";
  EXPECT_EQ(slices_of({1000, 10000, 10000}), 1) << "whole waves";
}

TEST(Slices, NeverMoreThanKTilesOrThePolicysOrTheCallers) {
  TileCost free_sums = cost;  // nothing but k counts
  free_sums.cluster = free_sums.workspace = free_sums.workspace_wait = 0.0;
  free_sums.store_byte = free_sums.workspace_byte = 0.0;
  for (int k_tiles = 1; k_tiles <= 64; ++k_tiles) {
    const GemmShape shape{1, 1, 10 * k_tiles - 3};
    for (const int allowed : {1, 2, 5, 32}) {
      const Candidates of{{{"one", with(config, Slices{allowed}), &free_sums}}, 1};
      const int slices = slices_of(shape, any, of);
      EXPECT_LE(slices, k_tiles);
      EXPECT_LE(slices, allowed);
      EXPECT_GE(slices, 1);
      EXPECT_EQ(slices > 1, k_tiles > 1 && allowed > 1);
      EXPECT_LE(slices_of(shape, 3, of), 3);
      EXPECT_EQ(slices_of(shape, 1, of), 1);
    }
  }
}

// The cuts of 100 x 100 x 10 tiles with up to 32 slices, on 10 SMs with two blocks each.
std::vector<std::pair<int, bool>> cuts_of(const GemmShape& shape, int most = any) {
  std::vector<std::pair<int, bool>> cuts;
  detail::for_each_cut(chip, alone.list[0], shape, most,
                       [&](int slices, bool workspace) { cuts.emplace_back(slices, workspace); });
  return cuts;
}

TEST(Cuts, FillWaves) {
  const auto has = [](const GemmShape& shape, int slices) {
    const auto cuts = cuts_of(shape);
    return std::find(cuts.begin(), cuts.end(), std::pair(slices, false)) != cuts.end();
  };
  // One tile: 10 blocks are one on each SM, 20 a wave; a second wave is more than the policy's 32.
  for (const int slices : {10, 20, 32}) EXPECT_TRUE(has({100, 100, 10000}, slices)) << slices;
  // Three tiles: 13 slices make 39 blocks of two waves' 40.
  EXPECT_TRUE(has({100, 300, 10000}, 13));
  // 20 slices of 32 k-tiles are as long as 16.
  EXPECT_TRUE(has({100, 100, 320}, 16));
  EXPECT_FALSE(has({100, 100, 320}, 20));
}

// Clusters of 2, 4 and 8; other numbers in a workspace.
TEST(Cuts, OneSliceFirstThenBothSumsOfWhatAClusterHolds) {
  const std::vector<std::pair<int, bool>> few{{1, false}, {2, false}, {2, true}, {3, true}};
  EXPECT_EQ(cuts_of({100, 100, 30}), few);
  EXPECT_EQ(cuts_of({100, 100, 10000}, 3), few);
  EXPECT_EQ(cuts_of({100, 100, 10000}, 1).size(), 1u);
}

TEST(Slices, InAWorkspaceWhereClustersLeaveSmsEmpty) {
  Chip gaps = chip;
  gaps.cluster_sm_count[4] = 8;
  TileCost cheap = cost;
  cheap.workspace = 1.0, cheap.workspace_byte = cheap.workspace_wait = 0.0;
  const Candidates of{{{"one", with(config, Slices{4}), &cheap}}, 1};
  const auto best = best_option(gaps, of, 0, {100, 500, 10000}, true, any);
  EXPECT_EQ(best.slices, 4);
  EXPECT_TRUE(best.workspace);
  EXPECT_DOUBLE_EQ(best.us, 5.0 + 4.0 + 250 * 1.5 + stored(2e5) + 1.0);
  EXPECT_FALSE(best_option(chip, alone, 0, {100, 100, 20}, true, any).workspace);
}

TEST(Slices, OfAPolicyThatCutsKItself) {
  const Candidates of{{{"one", config, &cost, 7}}, 1};
  EXPECT_EQ(slices_of({100, 100, 1000}, any, of), 7);
  EXPECT_EQ(slices_of({100, 100, 1000}, 1, of), 1);
}

TEST(Rank, FewestMicrosecondsThenTheNext) {
  TileCost costs[3] = {cost, cost, cost};
  const GemmShape shape{100, 1000, 10};
  // Every order of three different times.
  const int orders[][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
  for (const auto& order : orders) {
    for (int place = 0; place < 3; ++place) costs[order[place]].launch = 5.0 + place;
    const Candidates all{
        {{"a", config, &costs[0]}, {"b", config, &costs[1]}, {"c", config, &costs[2]}}, 3};
    const Ranking ranking = rank(chip, all, shape, true, any);
    EXPECT_EQ(ranking.best.candidate, order[0]);
    EXPECT_EQ(ranking.runner_up.candidate, order[1]);
    EXPECT_DOUBLE_EQ(ranking.best.us, 5.0 + 4.0 + stored(1e5));
    EXPECT_DOUBLE_EQ(ranking.runner_up.us, 6.0 + 4.0 + stored(1e5));
  }
}

TEST(Rank, TheFirstOfEquals) {
  const Candidates all{{{"a", config, &cost}, {"b", config, &cost}, {"c", config, &cost}}, 3};
  const Ranking ranking = rank(chip, all, {100, 1000, 10}, true, any);
  EXPECT_EQ(ranking.best.candidate, 0);
  EXPECT_EQ(ranking.runner_up.candidate, 1);
}

TEST(Rank, SlicesMustSaveMoreThanTheModelsError) {
  // Two slices save half of k's time and cost `cluster`.
  const GemmShape shape{100, 100, 20};
  TileCost sliced = cost, other = cost;
  sliced.store_byte = other.store_byte = 0.0;
  other.launch = 6.0;
  const Candidates all{
      {{"other", with(config, Slices{1}), &other}, {"sliced", with(config, Slices{2}), &sliced}},
      2};
  const double unsplit = 5.0 + 3.0 + 2.0;
  sliced.cluster = 1.0 - unsplit * 0.02;
  EXPECT_LT(predicted_us(chip, sliced, config, shape, true, 2), unsplit);
  Ranking ranking = rank(chip, all, shape, true, any);
  EXPECT_EQ(ranking.best.slices, 1);
  EXPECT_EQ(ranking.best.candidate, 1);
  EXPECT_EQ(ranking.runner_up.candidate, 0);
  sliced.cluster = 1.0 - unsplit * 0.1;
  EXPECT_EQ(rank(chip, all, shape, true, any).best.slices, 2);
  // Against the best of all without slices, not against its own.
  other.launch = 4.3;
  ranking = rank(chip, all, shape, true, any);
  EXPECT_EQ(ranking.best.candidate, 0);
  EXPECT_EQ(ranking.best.slices, 1);
}

TEST(Rank, EmptyAndLargestShapes) {
  const Candidates all{{{"a", config, &cost}, {"b", config, &cost}}, 2};
  constexpr index_t largest = 2147483647;
  for (const GemmShape& shape : {GemmShape{0, 5, 5},
                                 {5, 0, 5},
                                 {5, 5, 0},
                                 {largest, 1, 1},
                                 {1, largest, 1},
                                 {1, 1, largest},
                                 {largest, largest, largest}}) {
    const Ranking ranking = rank(chip, all, shape, true, any);
    EXPECT_GE(ranking.best.us, cost.launch);
    EXPECT_LT(ranking.best.us, 1e300);
    EXPECT_GE(ranking.best.slices, 1);
  }
}

// The committed constants are times of a chip: each that a policy uses is there.
TEST(H200, HasEveryConstant) {
  const auto expect = [](const TileCost& c, int blocks, bool sliced) {
    EXPECT_GT(c.launch + c.block[0], 0.0);  // which are hard to tell apart
    for (int j = 0; j < blocks; ++j) {
      EXPECT_GT(c.k_tile[j], 0.0);
      // A block gains nothing from its neighbours; the rest is noise.
      EXPECT_GE(c.k_tile[j], 0.95 * c.k_tile[j > 0 ? j - 1 : 0]);
    }
    if (sliced) {
      // The fit finds none for skinny and a tile of narrow: it goes under in their blocks.
      const bool narrow = &c >= chips::h200.narrow && &c < chips::h200.narrow + 3;
      const bool in_workspace = &c == &chips::h200.split_k_pipelined;
      EXPECT_TRUE(narrow || in_workspace || &c == &chips::h200.skinny || c.cluster > 0.0);
      EXPECT_GT(c.workspace + c.workspace_byte, 0.0);
      EXPECT_GT(c.workspace_wait, 0.0);
    }
  };
  EXPECT_EQ(chips::h200.sm_count, 132);
  EXPECT_GT(chips::h200.byte, 1e6 / 4.8e12) << "no faster than the datasheet's 4.8 TB/s";
  expect(chips::h200.pipelined, 1, false);
  expect(chips::h200.split_k_wide, 4, true);
  expect(chips::h200.split_k_tall, 4, true);
  expect(chips::h200.split_k, 4, true);
  expect(chips::h200.split_k_pipelined, 1, true);
  expect(chips::h200.skinny, 3, true);
  expect(chips::h200.narrow[0], 8, true);
  expect(chips::h200.narrow[1], 8, true);
  expect(chips::h200.narrow[2], 4, true);
  for (const TileCost& c : chips::h200.narrow) EXPECT_GT(c.far_k_tile, c.k_tile[0]);
  for (const TileCost* c :
       {&chips::h200.split_k_wide, &chips::h200.split_k_tall, &chips::h200.split_k}) {
    EXPECT_GT(c->far_k_tile, c->k_tile[0]);
    // split_k's short first k-tile saves what guards cost.
    EXPECT_TRUE(c == &chips::h200.split_k || c->guarded_k_tile + c->guarded_k_tiles > 0.0);
    EXPECT_GT(c->scalar_k_tile, 0.0);
  }
}

}  // namespace
}  // namespace tessera
