// How the tail is cut: what holds for every cut, how much it saves where blocks take turns on SMs
// of different speeds, and the plan of it. No device.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <queue>
#include <random>
#include <sstream>
#include <string>
#include <tessera/host/even_tail.hpp>
#include <tessera/host/plan.hpp>
#include <utility>
#include <vector>

namespace tessera {
namespace {

using detail::even_tail;
using detail::make_plan;
using detail::max_extent;
using detail::planned_tail;
using detail::tail_bytes;

constexpr index_t large_k_tiles = index_t{1} << 27;  // of 16: k is 2^31

constexpr bool holds_of(const Tail& tail, index_t tiles, index_t k_tiles, index_t blocks) {
  if (tail.tiles == 0) return tail.rounds == 0 && tail.k_tiles == 0;
  const index_t cut = index_t{tail.rounds} * tail.k_tiles;
  return tiles > blocks && tail.tiles > 0 && tail.tiles <= tiles && tail.tiles <= 2 * blocks &&
         tail.rounds >= 1 && tail.rounds <= 8 && tail.k_tiles >= 1 && cut >= 6 && cut < k_tiles;
}

TEST(EvenTail, WhatHoldsForEveryCut) {
  int cuts = 0;
  for (const int blocks : {1, 2, 3, 7, 108, 132, 264, 65536}) {
    std::vector<index_t> tiles = {1, 2, max_extent / 2, max_extent - 1, max_extent};
    for (const index_t waves : {1, 2, 3, 4, 17, 1000}) {
      for (const index_t rest : {-1, 0, 1, 2, blocks / 2 - 1, blocks / 2, blocks / 2 + 1}) {
        if (waves * blocks + rest > 0) tiles.push_back(waves * blocks + rest);
      }
    }
    for (const index_t t : tiles) {
      for (const index_t k_tiles : {index_t{1}, index_t{2}, index_t{11}, index_t{12}, index_t{13},
                                    index_t{47}, index_t{100}, index_t{256}, index_t{1023},
                                    index_t{100000}, large_k_tiles, max_extent}) {
        const Tail tail = even_tail(t, k_tiles, blocks);
        ASSERT_TRUE(holds_of(tail, t, k_tiles, blocks))
            << t << " tiles of " << k_tiles << " on " << blocks << ": " << tail.tiles << " in "
            << tail.rounds << " rounds of " << tail.k_tiles;
        cuts += tail.tiles > 0;
      }
    }
  }
  EXPECT_GT(cuts, 1000);
}

// In a constant expression, an overflow does not compile.
static_assert(holds_of(even_tail(max_extent, max_extent, 65536), max_extent, max_extent, 65536));
static_assert(holds_of(even_tail(max_extent, large_k_tiles, 132), max_extent, large_k_tiles, 132));
static_assert(holds_of(even_tail(max_extent, max_extent, 1), max_extent, max_extent, 1));
static_assert(even_tail(max_extent, large_k_tiles, 132).rounds == 8);

TEST(EvenTail, NothingIsCutInOneWave) {
  for (const int blocks : {1, 3, 132}) {
    for (index_t tiles = 1; tiles <= blocks; ++tiles) {
      for (const index_t k_tiles : {index_t{1}, index_t{4096}, large_k_tiles}) {
        EXPECT_EQ(even_tail(tiles, k_tiles, blocks).tiles, 0) << tiles << " on " << blocks;
      }
    }
    EXPECT_EQ(even_tail(blocks + 1, 4096, blocks).tiles, blocks == 1 ? 0 : 1);
  }
}

void expect_cut(index_t tiles, index_t k_tiles, int cut, int rounds, int of_each) {
  const Tail tail = even_tail(tiles, k_tiles, 132);
  EXPECT_TRUE(tail.tiles == cut && tail.rounds == rounds && tail.k_tiles == of_each)
      << tiles << " tiles of " << k_tiles << ": " << tail.tiles << " in " << tail.rounds
      << " rounds of " << tail.k_tiles;
}

TEST(EvenTail, NoneWhereTheGainIsSmall) {
  expect_cut(133, 11, 0, 0, 0);  // half of it is 5 k-tiles
  expect_cut(133, 12, 1, 1, 6);
  expect_cut(260, 197, 0, 0, 0);  // 4 of 132 blocks are without a tile in the last wave
  expect_cut(260, 198, 128, 1, 6);
  for (const index_t k_tiles : {index_t{256}, large_k_tiles}) expect_cut(264, k_tiles, 0, 0, 0);
  // Whole waves only: what is left to gain is that SMs are not equally fast.
  expect_cut(396, 399, 0, 0, 0);
  expect_cut(396, 400, 264, 1, 6);
}

TEST(EvenTail, ByHand) {
  expect_cut(512, 256, 248, 1, 20);   // 4096^3
  expect_cut(2048, 512, 200, 4, 40);  // 8192^3
  expect_cut(288, 192, 156, 2, 40);   // 3072^3
  expect_cut(200, 160, 68, 5, 15);    // 2560^3
  expect_cut(800, 320, 140, 4, 39);   // 5120^3
  expect_cut(198, 256, 66, 1, 128);   // half a wave: halves
  expect_cut(199, 256, 67, 8, 15);
}

// Where a K is cut, a longer one is cut too, into as many pieces or more.
TEST(EvenTail, LongerKIsCutNoLess) {
  for (const index_t tiles : {133, 198, 199, 260, 265, 288, 396, 397, 512, 2048, 2111}) {
    int rounds = 0;
    for (index_t k_tiles = 1; k_tiles < 2000; ++k_tiles) {
      const Tail tail = even_tail(tiles, k_tiles, 132);
      ASSERT_GE(tail.rounds, rounds) << tiles << " tiles of " << k_tiles;
      rounds = tail.rounds;
    }
    EXPECT_EQ(rounds > 0, true) << tiles;
  }
}

// ---- What it saves

// When the last block ends, in k-tiles of a mean SM. `blocks` SMs, 2.5 % faster or slower, take
// turns in their order, each when it is free, and a short piece waits for the one before. A piece
// costs 2.8 k-tiles more: 7 us where a k-tile takes 2.5.
double makespan(index_t tiles, index_t k_tiles, const Tail& tail, int blocks, unsigned seed) {
  constexpr double cost = 2.8, spread = 0.025;
  std::mt19937 random(seed);
  std::vector<double> speed(static_cast<std::size_t>(blocks));
  for (double& s : speed)
    s = 1.0 + spread * (2.0 * (static_cast<double>(random()) / 4294967295.0) - 1.0);
  using Free = std::pair<double, std::size_t>;  // when, which
  std::priority_queue<Free, std::vector<Free>, std::greater<>> sms;
  for (std::size_t sm = 0; sm < speed.size(); ++sm) sms.emplace(0.0, sm);

  std::vector<double> done(static_cast<std::size_t>(tail.tiles));
  double last = 0.0;
  for (index_t turn = 0; turn < tiles + index_t{tail.tiles} * tail.rounds; ++turn) {
    const auto [free, sm] = sms.top();
    sms.pop();
    const bool first = turn < tail.tiles, whole = !first && turn < tiles;
    double* const before =
        whole ? nullptr
              : &done[static_cast<std::size_t>(first ? turn : (turn - tiles) % tail.tiles)];
    const index_t length = first   ? k_tiles - index_t{tail.rounds} * tail.k_tiles
                           : whole ? k_tiles
                                   : tail.k_tiles;
    const double start = before != nullptr ? std::max(free, *before) : free;
    const double end = start + (static_cast<double>(length) + cost) / speed[sm];
    if (before != nullptr) *before = end;
    last = std::max(last, end);
    sms.emplace(end, sm);
  }
  return last;
}

double gain(index_t tiles, index_t k_tiles, unsigned seed) {
  constexpr int blocks = 132;
  return makespan(tiles, k_tiles, {}, blocks, seed) /
         makespan(tiles, k_tiles, even_tail(tiles, k_tiles, blocks), blocks, seed);
}

TEST(EvenTailSimulated, AtLeastAHundredthOnTheSquares) {
  for (const auto& [tiles, k_tiles] : std::initializer_list<std::pair<index_t, index_t>>{
           {512, 256}, {2048, 512}, {288, 192}, {200, 160}, {800, 320}}) {
    for (unsigned seed = 1; seed <= 10; ++seed) {
      EXPECT_GT(gain(tiles, k_tiles, seed), 1.01) << tiles << " tiles of " << k_tiles;
    }
  }
}

TEST(EvenTailSimulated, NeverAHundredthLess) {
  std::mt19937 random(20);
  int cuts = 0;
  for (unsigned seed = 1; seed <= 600; ++seed) {
    const index_t tiles = 133 + random() % (seed % 2 == 0 ? 300 : 3000);
    const index_t k_tiles = 1 + random() % 1200;
    cuts += even_tail(tiles, k_tiles, 132).tiles > 0;
    EXPECT_GT(gain(tiles, k_tiles, seed), 0.99) << tiles << " tiles of " << k_tiles;
  }
  EXPECT_GT(cuts, 300);
}

// ---- The plan

alignas(16) float data[64];

// 128 x 256 x 16 with four producer warps, as policy::pipelined.
constexpr TileConfig config{.threads = {8, 32},
                            .lanes = {4, 8, true},
                            .thread_tile = {16, 8},
                            .k_tile = {16},
                            .vec_width = {4},
                            .a_smem = {Major::mn},
                            .stages = {3},
                            .min_blocks = {1},
                            .producers = {4},
                            .even_tail = {132}};

LaunchPlan plan_of(const GemmShape& s, const TileConfig& with_config = config, float alpha = 1.0f) {
  return make_plan("test", with_config, alpha, row_major(data, s.m, s.k), row_major(data, s.k, s.n),
                   0.0f, row_major(data, s.m, s.n));
}

void expect_no_tail(const LaunchPlan& p) {
  EXPECT_EQ(p.tail.tiles, 0);
  EXPECT_EQ(p.tail.rounds, 0);
  EXPECT_EQ(p.workspace_bytes, 0);
  EXPECT_EQ(p.grid, p.k_tiles > 0 ? p.m_tiles * p.n_tiles : 0);
}

std::string printed(const LaunchPlan& p) {
  std::ostringstream os;
  os << p;
  return os.str();
}

TEST(TailOfAPlan, GridAndWorkspaceHoldIt) {
  const LaunchPlan p = plan_of({4096, 4096, 4096});
  EXPECT_EQ(p.tail.tiles, 248);
  EXPECT_EQ(p.tail.rounds, 1);
  EXPECT_EQ(p.tail.k_tiles, 20);
  EXPECT_EQ(p.grid, 512 + 248);
  EXPECT_EQ(p.slices, 1);
  EXPECT_EQ(p.reduction_grid, 0);
  // 128 x 256 floats and the progress of 8 warps for each, and the turns.
  EXPECT_EQ(p.workspace_bytes, 4 * (248 * (128 * 256 + 8) + 1));
  EXPECT_NE(printed(p).find(", tail of 248 tiles cut into 2 pieces in a workspace of 32513796 B"),
            std::string::npos)
      << printed(p);
  EXPECT_EQ(printed(p).find("summed"), std::string::npos);
}

TEST(TailOfAPlan, NoneWithoutEvenTailOrAProduct) {
  expect_no_tail(plan_of({4096, 4096, 4096}, with(config, EvenTail{0})));
  expect_no_tail(plan_of({4096, 4096, 4096}, config, 0.0f));
  expect_no_tail(plan_of({4096, 4096, 0}));
  expect_no_tail(plan_of({2048, 2048, 4096}));  // 128 tiles
  EXPECT_EQ(printed(plan_of({2048, 2048, 4096})).find("tail"), std::string::npos);
}

TEST(TailOfAPlan, RaggedTilesCountAsWhole) {
  const LaunchPlan p = plan_of({2048 + 1, 2048, 192 - 15});  // 136 tiles of 12 k-tiles
  EXPECT_EQ(p.tail.tiles, 4);
  EXPECT_EQ(p.tail.rounds * p.tail.k_tiles, 6);
  EXPECT_EQ(p.grid, 140);
}

// README's contract 10 states it.
TEST(TailOfAPlan, WorkspaceIsNeverAbove35MB) {
  index_t most = 0;
  for (index_t tiles = 1; tiles < 1000; ++tiles) {
    for (const index_t k_tiles : {index_t{12}, index_t{400}, large_k_tiles}) {
      most = std::max(most, tail_bytes(even_tail(tiles, k_tiles, 132), 128, 256, 8));
    }
  }
  EXPECT_EQ(most, 4 * (264 * (128 * 256 + 8) + 1));
  EXPECT_LT(most, 35'000'000);
  EXPECT_EQ(tail_bytes({}, 128, 256, 8), 0);
}

// All pieces fit a grid, or nothing is cut.
TEST(TailOfAPlan, GridStaysWithinItsLimit) {
  const index_t k_tiles = 4096;
  const auto pieces = [&](index_t tiles) {
    const Tail tail = even_tail(tiles, k_tiles, 132);
    return index_t{tail.tiles} * tail.rounds;
  };
  int kept = 0, dropped = 0;
  for (index_t tiles = max_extent - 4000; tiles <= max_extent; ++tiles) {
    ASSERT_GT(pieces(tiles), 0);
    const bool fits = pieces(tiles) <= max_extent - tiles;
    ASSERT_EQ(planned_tail(config, tiles, k_tiles).tiles > 0, fits) << tiles;
    ++(fits ? kept : dropped);
  }
  EXPECT_GT(kept, 1000);
  EXPECT_GT(dropped, 1000);
  // 42966 * 49981 is 2^31 - 2.
  const LaunchPlan p = plan_of({index_t{42966} * 128, index_t{49981} * 256 / 8, 65536},
                               with(config, Threads{8, 4}, ThreadTile{16, 8}));
  EXPECT_EQ(p.m_tiles * p.n_tiles, max_extent - 1);
  expect_no_tail(p);
  // Workspace and grid of the largest tail that is planned.
  const LaunchPlan all = plan_of({index_t{42966} * 128, index_t{49980} * 32, 65536},
                                 with(config, Threads{8, 4}, ThreadTile{16, 8}));
  EXPECT_GT(all.tail.tiles, 0);
  EXPECT_LE(all.grid, max_extent);
}

}  // namespace
}  // namespace tessera
