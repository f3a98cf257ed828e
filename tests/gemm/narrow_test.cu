// policy::narrow where m or n is 9 to 48: each of its tiles, under all layouts, any alignment, K in
// one slice and in many. (The suites over the registry run it on all other shapes.)
#include <gtest/gtest.h>

#include <string>
#include <tessera/gemm.cuh>

#include "compare.hpp"
#include "problem.hpp"

namespace tessera::support {
namespace {

const PolicyEntry& narrow() { return *find_policy("narrow"); }

LaunchPlan plan_of(const Problem& problem) { return plan_of(narrow(), problem); }

void check(const Problem& problem) { EXPECT_TRUE(run_and_check_mirrored(narrow(), problem)); }

TEST(Narrow, AroundEachWidth) {
  for (const index_t m : {9, 15, 16, 17, 31, 32, 33, 47, 48, 49}) check({.m = m, .n = 67, .k = 35});
}

// The whole tile, a float and an access less along its length, one more.
TEST(Narrow, AroundTheTile) {
  for (const auto& [m, length] : {std::pair{16, 128}, {32, 64}, {48, 96}}) {
    for (const index_t n : {length - 4, length - 1, length, length + 1}) {
      check({.m = m, .n = n, .k = 32, .beta = 0.5f});
    }
  }
}

TEST(Narrow, AnyAlignment) {
  for (const index_t m : {12, 20, 40}) {
    for (const index_t ld_extra : {0, 1, 4}) {
      for (const int offset : {0, 1, 2}) {
        Problem problem{.m = m, .n = 100, .k = 36, .beta = 2.0f};
        for (OperandSpec* o : {&problem.a, &problem.b, &problem.c}) {
          o->at.ld_extra = ld_extra;
          o->at.offset = offset;
        }
        check(problem);
      }
    }
  }
}

TEST(Narrow, ManySlicesOfK) {
  for (const index_t m : {11, 27, 35}) {
    const Problem many{.m = m, .n = 20, .k = 4001, .alpha = 0.5f, .beta = -1.0f};
    EXPECT_GT(plan_of(many).slices, 8);
    EXPECT_GT(plan_of(many).workspace_bytes, 0);
    check(many);
  }
}

// ---- what is chosen

TEST(NarrowChoice, TheTileIsAsWideAsC) {
  const auto expect = [](index_t m, index_t n, int block_m, int block_n) {
    const LaunchPlan plan = plan_of({.m = m, .n = n, .k = 64});
    EXPECT_EQ(plan.config.block_m(), block_m) << plan;
    EXPECT_EQ(plan.config.block_n(), block_n) << plan;
    EXPECT_EQ(std::string(plan.policy), "narrow");
  };
  for (const auto& [first, last, width, length] :
       {std::tuple{9, 16, 16, 128}, {17, 32, 32, 64}, {33, 48, 48, 96}}) {
    for (const index_t extent : {first, last}) {
      expect(extent, 5000, width, length);
      expect(5000, extent, length, width);
    }
  }
}

// A column-major C is the transposed problem: there m and n change places.
TEST(NarrowChoice, ColumnMajorC) {
  Problem problem{.m = 20, .n = 5000, .k = 64};
  problem.c.at.layout = Layout::col;
  const LaunchPlan plan = plan_of(problem);
  EXPECT_TRUE(plan.transposed);
  EXPECT_EQ(plan.config.block_n(), 32);
}

}  // namespace
}  // namespace tessera::support
