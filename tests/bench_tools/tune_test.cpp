// The tuning program without its GPU: measurements made by the model itself, with and without
// noise, must give the constants back; files are read as they were written.
#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <random>
#include <sstream>

#include "bench/tune/chip_header.hpp"
#include "bench/tune/design.hpp"
#include "bench/tune/judge.hpp"

namespace tessera::bench {
namespace {

constexpr TileConfig wide{.threads = {8, 32},
                          .thread_tile = {16, 8},
                          .k_tile = {16},
                          .vec_width = {4},
                          .a_smem = {Major::mn},
                          .stages = {2},
                          .min_blocks = {1}};
constexpr TileConfig medium =
    with(wide, Threads{16, 16}, ThreadTile{8, 8}, MinBlocks{2}, Slices{32});
constexpr TileConfig tall =
    with(wide, Threads{16, 8}, ThreadTile{8, 8}, KTile{8}, MinBlocks{4}, Slices{32});
constexpr TileConfig small = with(wide, Threads{8, 16}, ThreadTile{8, 4}, MinBlocks{4}, Slices{32});
constexpr TileConfig large = with(wide, Stages{3}, Producers{4}, Slices{32});
constexpr TileConfig streaming =
    with(wide, Threads{1, 64}, ThreadTile{8, 4}, MinBlocks{3}, Slices{1024}, Streamed::b);
// `width` wide and 64 long, eight on an SM.
constexpr TileConfig thin(int width, bool along_m) {
  const int wide_of_thread = width / 8;
  return with(small, Threads{8, 8},
              along_m ? ThreadTile{wide_of_thread, 8} : ThreadTile{8, wide_of_thread}, MinBlocks{8},
              ExactVariant{false});
}

tessera::detail::Candidates candidates(const Chip& chip, const GemmShape& shape) {
  tessera::detail::Candidates all{{{"pipelined", wide, &chip.pipelined},
                                   {"split_k_wide", medium, &chip.split_k_wide},
                                   {"split_k_tall", tall, &chip.split_k_tall},
                                   {"split_k", small, &chip.split_k},
                                   {"split_k_pipelined", large, &chip.split_k_pipelined, 0, 10.0}},
                                  5};
  const index_t narrow = std::min(shape.m, shape.n);
  if (narrow <= 8) {
    all.list[all.count++] = {"skinny", streaming, &chip.skinny, 4};
  } else if (narrow <= 48) {
    const auto number = static_cast<int>((narrow - 1) / 16);
    all.list[all.count++] = {"narrow", thin(16 * (number + 1), shape.m <= shape.n),
                             &chip.narrow[number]};
  }
  return all;
}

constexpr TileCost cost(double scale, int blocks, bool sliced) {
  TileCost c{.launch = 2.0,
             .guarded_k_tile = 0.05,
             .guarded_k_tiles = 0.5,
             .scalar_k_tile = 0.15,
             .scalar_k_tiles = 2.0,
             .store_byte = 1e-7};
  for (int j = 0; j < blocks; ++j) {
    c.block[j] = scale * (2.0 + j);
    c.k_tile[j] = scale * (0.5 + 0.4 * j);
  }
  if (sliced) {
    c.far_k_tile = scale * 0.8;
    c.scalar_cluster_k_tiles = 1.5;
    c.cluster = 1.5, c.workspace = 4.0, c.workspace_byte = 1e-6, c.workspace_wait = 0.5;
  }
  return c;
}

Chip chip_to_find() {
  Chip chip{.name = "NVIDIA Test 100", .sm_count = 132, .byte = 1e-9};
  chip.pipelined = cost(4.0, 1, false);
  chip.pipelined.guarded_k_tile = chip.pipelined.guarded_k_tiles = 0.0;
  chip.split_k_wide = cost(2.0, 2, true);
  chip.split_k_tall = cost(1.4, 4, true);
  chip.split_k = cost(1.0, 4, true);
  chip.split_k_pipelined = cost(4.0, 1, true);
  chip.split_k_pipelined.guarded_k_tile = chip.split_k_pipelined.guarded_k_tiles = 0.0;
  chip.split_k_pipelined.scalar_cluster_k_tiles = chip.split_k_pipelined.cluster = 0.0;
  chip.split_k_pipelined.far_k_tile = 0.0;
  chip.skinny = cost(1.2, 3, true);
  chip.skinny.guarded_k_tile = chip.skinny.guarded_k_tiles = 0.0;
  chip.skinny.scalar_k_tile = chip.skinny.scalar_k_tiles = 0.0;
  chip.skinny.scalar_cluster_k_tiles = 0.0;
  chip.skinny.far_k_tile = 0.0;  // its design lies in the L2
  for (TileCost& c : chip.narrow) {
    c = cost(0.4, 8, true);
    c.guarded_k_tile = c.guarded_k_tiles = 0.0;
    c.far_k_tile = 0.45;  // between those of two and of three blocks
  }
  return chip;
}

// What the program would measure on such a chip; `noise` is relative.
Samples samples_of(const Chip& chip, double noise) {
  Samples samples{"NVIDIA Test 100", "1.2.3", "2000-01-01", chip.sm_count, {}, chip.byte, {}};
  std::mt19937 random(7);
  std::uniform_real_distribution<double> factor(1.0 - noise, 1.0 + noise);
  const auto measure = [&](const char* set, int candidate, const Point& p) {
    const auto all = candidates(chip, p.shape);
    const auto& c = all.list[candidate];
    const bool vectorized = p.aligned && p.shape.k % 4 == 0 && p.shape.n % 4 == 0;
    const double us = tessera::detail::predicted_us(chip, *c.cost, c.config, p.shape, vectorized,
                                                    p.slices, p.workspace);
    samples.rows.push_back(
        {set, c.name, p.shape, p.slices, p.workspace, vectorized, us * factor(random)});
  };
  int number = 0;
  for (const TileConfig& config : {wide, medium, tall, small, large}) {
    for (const Point& p : points_of(config, chip.sm_count)) measure("fit", number, p);
    ++number;
  }
  for (const Point& p : skinny_points(8)) measure("fit", number, p);
  for (const int width : {16, 32, 48}) {
    for (const Point& p : narrow_points(width, 64, 8, chip.sm_count)) measure("fit", number, p);
  }
  for (const GemmShape& shape : judged_shapes(TESSERA_SHAPES_DIR)) {
    const auto all = candidates(chip, shape);
    for (int i = 0; i < all.count; ++i) {
      if (all.list[i].slices != 0) {
        measure("judge", i, {shape, all.list[i].slices});
        continue;
      }
      tessera::detail::for_each_cut(chip, all.list[i], shape, 1 << 30,
                                    [&](int slices, bool workspace) {
                                      measure("judge", i, {shape, slices, workspace});
                                    });
    }
  }
  return samples;
}

void expect_equal(const TileCost& got, const TileCost& expected, double tolerance) {
  const auto near = [&](double x, double y) { EXPECT_NEAR(x, y, tolerance * (y + 1e-9)); };
  near(got.launch, expected.launch);
  for (int j = 0; j < TileCost::most_blocks; ++j) {
    near(got.block[j], expected.block[j]);
    near(got.k_tile[j], expected.k_tile[j]);
  }
  near(got.far_k_tile, expected.far_k_tile);
  near(got.guarded_k_tile, expected.guarded_k_tile);
  near(got.guarded_k_tiles, expected.guarded_k_tiles);
  near(got.scalar_k_tile, expected.scalar_k_tile);
  near(got.scalar_k_tiles, expected.scalar_k_tiles);
  near(got.scalar_cluster_k_tiles, expected.scalar_cluster_k_tiles);
  near(got.store_byte, expected.store_byte);
  near(got.cluster, expected.cluster);
  near(got.workspace, expected.workspace);
  near(got.workspace_byte, expected.workspace_byte);
  near(got.workspace_wait, expected.workspace_wait);
}

TEST(LeastSquares, FindsAnExactSolution) {
  const std::vector<Row> rows{{1, 2}, {3, 1}, {1, 1}};
  const Row x = fit_nonnegative(rows, std::vector{8.0, 9.0, 5.0}, std::vector{1.0, 2.0, 3.0});
  EXPECT_NEAR(x[0], 2.0, 1e-6);
  EXPECT_NEAR(x[1], 3.0, 1e-6);
}

TEST(LeastSquares, NeverGoesBelowZero) {
  // Without the bound: 5 and -1.
  const std::vector<Row> rows{{1, 1}, {1, 2}};
  const Row x = fit_nonnegative(rows, std::vector{4.0, 3.0}, std::vector{4.0, 3.0});
  EXPECT_EQ(x[1], 0.0);
  EXPECT_NEAR(x[0], 3.36, 1e-6);  // minimises (x/4 - 1)^2 + (x/3 - 1)^2
}

// The first unknown alone lowers the sum most, and is let off zero first. Without the bound: -13, 5
// and 8.
TEST(LeastSquares, ReturnsToZeroWhatLaterOnesReplace) {
  const std::vector<Row> rows{{1, 3, 0}, {2, 1, 3}, {1, 2, 1}};
  const Row x = fit_nonnegative(rows, std::vector{2.0, 3.0, 5.0}, std::vector{1.0, 1.0, 1.0});
  EXPECT_EQ(x[0], 0.0);
  EXPECT_NEAR(x[1], 24.0 / 23.0, 1e-6);
  EXPECT_NEAR(x[2], 101.0 / 115.0, 1e-6);
}

TEST(LeastSquares, LeavesWhatNoRowHasAtZero) {
  const std::vector<Row> rows{{1, 0}};
  EXPECT_EQ(fit_nonnegative(rows, std::vector{4.0}, std::vector{1.0})[1], 0.0);
}

TEST(FitChip, GivesTheConstantsOfTheModelBack) {
  const Chip expected = chip_to_find();
  const Chip got = fit_chip(samples_of(expected, 0.0), &candidates);
  constexpr double tolerance = 5e-3;  // launch and block are nearly the same where waves are one
  EXPECT_EQ(got.sm_count, expected.sm_count);
  EXPECT_EQ(got.byte, expected.byte);
  expect_equal(got.pipelined, expected.pipelined, tolerance);
  expect_equal(got.split_k_wide, expected.split_k_wide, tolerance);
  expect_equal(got.split_k_tall, expected.split_k_tall, tolerance);
  expect_equal(got.split_k, expected.split_k, tolerance);
  expect_equal(got.split_k_pipelined, expected.split_k_pipelined, tolerance);
  expect_equal(got.skinny, expected.skinny, tolerance);
  for (int i = 0; i < 3; ++i) expect_equal(got.narrow[i], expected.narrow[i], tolerance);
}

TEST(FitChip, NoiseOfThreePercentLeavesGoodChoices) {
  const Chip truth = chip_to_find();
  const Samples samples = samples_of(truth, 0.03);
  const Judgement judgement = judge_unseen(samples, &candidates);
  EXPECT_EQ(judgement.unmeasured, 0);
  EXPECT_GT(judgement.verdicts.size(), 150u);
  EXPECT_GT(judgement.share_close(), 0.9);
  EXPECT_LT(judgement.verdicts.front().loss(), 1.2);
}

// A tenth of the samples take twice as long, by something that the model does not know.
TEST(FitChip, WildSamplesMoveLittle) {
  const Chip expected = chip_to_find();
  Samples samples = samples_of(expected, 0.0);
  for (std::size_t i = 0; i < samples.rows.size(); i += 10) samples.rows[i].us *= 2.0;
  const Chip got = fit_chip(samples, &candidates);
  for (const auto& [found, wanted] :
       {std::pair{&got.split_k, &expected.split_k}, {&got.split_k_tall, &expected.split_k_tall}}) {
    for (int j = 0; j < 4; ++j) EXPECT_NEAR(found->k_tile[j], wanted->k_tile[j], 0.03);
  }
}

TEST(JudgeUnseen, APredictionDoesNotKnowItsOwnMeasurements) {
  Samples samples = samples_of(chip_to_find(), 0.0);
  const auto predicted = [&] {
    for (const Verdict& v : judge_unseen(samples, &candidates).verdicts) {
      if (v.shape.m == 512 && v.shape.n == 512 && v.shape.k == 512) return v.predicted_us;
    }
    return 0.0;
  };
  const double before = predicted();
  EXPECT_GT(before, 0.0);
  for (Sample& s : samples.rows) {
    const bool is_it = s.shape.m == 512 && s.shape.n == 512 && s.shape.k == 512;
    if (s.set == "judge" && is_it) s.us *= 1.5;
  }
  EXPECT_EQ(predicted(), before);
  const Chip all_seen = fit_chip(samples, &candidates);
  EXPECT_NE(choose(&candidates, all_seen, {512, 512, 512}, true).us, before);
}

TEST(FitChip, MissingSamplesAreAnError) {
  Samples samples = samples_of(chip_to_find(), 0.0);
  std::erase_if(samples.rows, [](const Sample& s) { return s.policy == "split_k"; });
  EXPECT_THROW((void)fit_chip(samples, &candidates), std::runtime_error);
}

TEST(Judge, ComparesWithTheBestThatWasMeasured) {
  Samples samples{"NVIDIA Test", "", "", 1, {}, 1.0, {}};
  samples.rows = {{"judge", "a", {1, 1, 1}, 1, false, true, 10.0},
                  {"judge", "b", {1, 1, 1}, 2, true, true, 8.0},
                  {"judge", "a", {2, 2, 2}, 1, false, true, 10.0},
                  {"judge", "a", {2, 2, 2}, 1, true, true, 20.0},
                  {"fit", "b", {2, 2, 2}, 1, false, true, 1.0},
                  {"judge", "b", {3, 3, 3}, 1, false, true, 1.0}};
  const Judgement j = judge(samples, [](const GemmShape&, bool) {
    return Chosen{"a", 1, false, 9.0};
  });
  ASSERT_EQ(j.verdicts.size(), 2u);
  EXPECT_EQ(j.verdicts[0].best, "b / 2 in a workspace");
  EXPECT_DOUBLE_EQ(j.verdicts[0].loss(), 1.25);
  EXPECT_DOUBLE_EQ(j.verdicts[1].loss(), 1.0);
  EXPECT_DOUBLE_EQ(j.share_close(), 0.5);
  EXPECT_EQ(j.unmeasured, 1) << "the third problem has no measurement of a";
}

std::string written(const std::string& text) {
  const std::string path = testing::TempDir() + "tune_test.csv";
  std::ofstream(path) << text;
  return path;
}

TEST(SamplesFile, IsReadAsItWasWritten) {
  const Samples samples = samples_of(chip_to_find(), 0.03);
  const std::string path = testing::TempDir() + "tune_samples.csv";
  write_samples(samples, path);
  const Samples read = read_samples(path);
  EXPECT_EQ(read.gpu, samples.gpu);
  EXPECT_EQ(read.driver, samples.driver);
  EXPECT_EQ(read.date, samples.date);
  EXPECT_EQ(read.sm_count, samples.sm_count);
  EXPECT_DOUBLE_EQ(read.byte_us, samples.byte_us);
  ASSERT_EQ(read.rows.size(), samples.rows.size());
  for (std::size_t i = 0; i < read.rows.size(); ++i) {
    const Sample &x = read.rows[i], &y = samples.rows[i];
    EXPECT_EQ(std::tie(x.set, x.policy, x.shape.m, x.shape.n, x.shape.k, x.slices, x.workspace,
                       x.vectorized),
              std::tie(y.set, y.policy, y.shape.m, y.shape.n, y.shape.k, y.slices, y.workspace,
                       y.vectorized));
    EXPECT_NEAR(x.us, y.us, 1e-4 * y.us);
  }
  std::remove(path.c_str());
}

TEST(SamplesFile, SaysWhereItIsWrong) {
  const std::string facts = "# gpu: NVIDIA Test\n# sm_count: 2\n# byte_us: 1e-6\n";
  const std::string header = std::string(samples_header) + '\n';
  const std::string row = "fit,a,1,2,3,1,0,1,4.5\n";
  EXPECT_EQ(read_samples(written(facts + header + row)).rows.size(), 1u);
  for (const std::string& wrong :
       {header + row, facts + row, facts + header + "fit,a,1,2,3,1,1,4.5\n",
        facts + header + "fit,a,0,2,3,1,0,1,4.5\n", facts + header + "fit,a,1,2,3,1,0,2,4.5\n",
        facts + header + "fit,a,1,2,3,1,2,1,4.5\n", facts + header + "fit,a,1,2,3,1,0,1,-4.5\n",
        facts + header + "fit,a,1,2,3,1,0,1,nan\n", facts + header + "other,a,1,2,3,1,0,1,4.5\n"}) {
    EXPECT_THROW((void)read_samples(written(wrong)), std::runtime_error) << wrong;
  }
  EXPECT_THROW((void)read_samples("no such file"), std::runtime_error);
}

TEST(ChipHeader, NamesTheChipAndHoldsItsConstants) {
  EXPECT_EQ(identifier_of("NVIDIA H200"), "h200");
  EXPECT_EQ(identifier_of("NVIDIA A100-SXM4-80GB"), "a100_sxm4_80gb");
  const Samples samples = samples_of(chip_to_find(), 0.0);
  const std::string text = chip_header(chip_to_find(), samples);
  for (const char* part :
       {"generated by bench/tune", "GPU NVIDIA Test 100, driver 1.2.3, 2000-01-01",
        "inline constexpr Chip test_100{", ".sm_count = 132", ".k_tile = {0.5, 0.9, 1.3, 1.7}",
        ".workspace_byte = 1e-06", ".guarded_k_tile = 0.05", ".scalar_cluster_k_tiles = 1.5"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << '\n' << text;
  }
}

TEST(Design, HasEveryKindOfMeasurement) {
  for (const TileConfig& config : {wide, medium, tall, small, large}) {
    std::set<index_t> shares;
    bool ragged = false, scalar = false, sliced = false;
    for (const Point& p : points_of(config, 132)) {
      const index_t blocks = tessera::detail::tiles_of(config, p.shape) * p.slices;
      if (blocks <= 132 * config.min_blocks.per_sm) {
        shares.insert(tessera::detail::ceil_div(blocks, 132));
      }
      ragged = ragged || tessera::detail::is_ragged(config, p.shape);
      scalar = scalar || !p.aligned;
      sliced = sliced || p.slices > arch::max_cluster;
    }
    EXPECT_EQ(shares.size(), static_cast<std::size_t>(config.min_blocks.per_sm));
    EXPECT_TRUE(ragged);
    EXPECT_TRUE(scalar);
    EXPECT_EQ(sliced, config.slices.max > 1);
  }
}

}  // namespace
}  // namespace tessera::bench
