// policy::skinny where m or n is at most 8: either operand streamed, in either layout, any
// alignment, K in one slice, in a cluster and in a workspace. (The suites over the registry run it
// on all other shapes.)
#include <gtest/gtest.h>

#include <string>
#include <tessera/gemm.cuh>
#include <tuple>

#include "compare.hpp"
#include "problem.hpp"

namespace tessera::support {
namespace {

const PolicyEntry& skinny() { return *find_policy("skinny"); }

LaunchPlan plan_of(const Problem& problem) { return plan_of(skinny(), problem); }

void check(const Problem& problem) { EXPECT_TRUE(run_and_check_mirrored(skinny(), problem)); }

TEST(Skinny, EveryWidthTo9) {
  for (index_t m = 1; m <= 9; ++m) check({.m = m, .n = 67, .k = 35});
}

TEST(Skinny, EveryK) {
  for (const index_t k : {0, 1, 3, 7, 8, 15, 16, 17, 31, 32, 33, 47, 48, 49, 64, 1000}) {
    check({.m = 1, .n = 40, .k = k, .alpha = 0.75f, .beta = -1.5f});
    check({.m = 8, .n = 12, .k = k});
  }
}

// One tile, one element less and more, and several.
TEST(Skinny, AroundTheTile) {
  for (const index_t n : {127, 128, 129, 132, 255, 256, 257, 260, 700}) {
    for (const index_t m : {1, 8, 9}) check({.m = m, .n = n, .k = 20});
  }
}

TEST(Skinny, AnyAlignment) {
  for (const index_t ld_extra : {0, 1, 4, 5}) {
    for (const int offset : {0, 1, 2, 4}) {
      Problem problem{.m = 4, .n = 64, .k = 36, .beta = 2.0f};
      for (OperandSpec* o : {&problem.a, &problem.b, &problem.c}) {
        o->at.ld_extra = ld_extra;
        o->at.offset = offset;
      }
      check(problem);
      problem.a.at = {};  // only the streamed one, only the other one
      check(problem);
      std::swap(problem.a.at, problem.b.at);
      check(problem);
    }
  }
}

// Rows of the narrow operand that lie along n or m: accesses of 4, 2 and 1 floats, the last not
// whole where ld allows more than n does; and along k.
TEST(Skinny, AnyNarrowOperand) {
  for (const index_t m : {2, 3, 4, 5, 6, 8}) {
    for (const index_t ld_extra : {0, 1, 2, 3}) {
      for (const int offset : {0, 1, 2, 4}) {
        Problem problem{.m = m, .n = 20, .k = 71 + offset % 2};
        problem.a.at.ld_extra = ld_extra;
        problem.a.at.offset = offset;
        check(problem);
      }
    }
  }
}

// K among the threads of a block, the blocks of a cluster, and in a workspace; several of these,
// and slices of different lengths.
TEST(Skinny, SlicesOfK) {
  bool block = false, cluster = false;
  for (const auto& [m, n, k] :
       {std::tuple{1, 300, 250}, {1, 20, 2001}, {5, 40, 2001}, {11, 20, 2001}}) {
    const Problem problem{.m = m, .n = n, .k = k, .alpha = 0.5f, .beta = -1.0f};
    const LaunchPlan plan = plan_of(problem);
    block = block || plan.block_slices > 1;
    cluster = cluster || plan.cluster;
    check(problem);
  }
  EXPECT_TRUE(block);
  EXPECT_TRUE(cluster);
  for (const Problem& problem : {Problem{.m = 1, .n = 3, .k = 40001},
                                 {.m = 3, .n = 1, .k = 40000},
                                 {.m = 8, .n = 17, .k = 40002}}) {
    EXPECT_GT(plan_of(problem).workspace_bytes, 0);
    EXPECT_TRUE(run_and_check(skinny(), problem));
  }
}

// Every product underflows: all accumulators and the sums of all slices are -0, which neither the
// padding of k nor a sum may turn into +0.
TEST(Skinny, MinusZeroSurvives) {
  for (const index_t k : {1, 15, 33, 1000, 250}) {  // 250: clusters of fewer than eight
    for (const Layouts& layouts : every_layout()) {
      for (const auto& [m, n] : {std::pair{3, 70}, {70, 3}}) {
        const Problem problem = with_layouts({.m = m, .n = n, .k = k}, layouts);
        HostOperands operands(problem);
        for (float& a : operands.a.data) a = 1e-30f;
        for (float& b : operands.b.data) b = -1e-30f;
        const HostMatrix expected(m, n, std::vector<float>(static_cast<std::size_t>(m * n), -0.0f));
        ASSERT_TRUE(compare_bits(expected_c(problem, operands, plan_of(problem)), expected));
        EXPECT_TRUE(run_and_check(skinny(), problem, operands, expected));
      }
    }
  }
}

TEST(Skinny, NanAndInf) {
  Problem problem{.m = 5, .n = 33, .k = 19, .beta = 0.5f};
  problem.a.fill = problem.b.fill = problem.c.fill = Fill::specials;
  for (problem.seed = 1; problem.seed <= 3; ++problem.seed) check(problem);
  problem.n = 18;
  problem.k = 400;
  check(problem);
}

// ---- what is chosen

TEST(SkinnyChoice, TheLargerOperandIsStreamed) {
  for (const index_t width : {1, 2, 8}) {
    const int narrow = width == 1 ? 1 : 8;
    const LaunchPlan flat = plan_of({.m = width, .n = 5000, .k = 64});
    EXPECT_EQ(flat.config.streamed, Streamed::b);
    EXPECT_EQ(flat.config.block_m(), narrow);
    const LaunchPlan tall = plan_of({.m = 5000, .n = width, .k = 64});
    EXPECT_EQ(tall.config.streamed, Streamed::a);
    EXPECT_EQ(tall.config.block_n(), narrow);
    EXPECT_EQ(tall.config.block_m(), flat.config.block_n());
    EXPECT_EQ(tall.smem_bytes, flat.smem_bytes);
    EXPECT_EQ(std::string(flat.policy), "skinny");
  }
}

// A column-major C is the transposed problem: there m and n change places.
TEST(SkinnyChoice, ColumnMajorC) {
  Problem problem{.m = 3, .n = 5000, .k = 64};
  problem.c.at.layout = Layout::col;
  const LaunchPlan plan = plan_of(problem);
  EXPECT_TRUE(plan.transposed);
  EXPECT_EQ(plan.config.streamed, Streamed::a);
}

}  // namespace
}  // namespace tessera::support
