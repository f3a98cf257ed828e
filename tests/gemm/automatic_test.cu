// policy::automatic and policy::automatic_unsplit: the choice is a pure function of shape and
// alignment, among true-FP32 policies (contract 9), and the plan says why. What they choose on an
// H200 is in its constants: here only what any constants of that chip must give.
#include <gtest/gtest.h>

#include <set>
#include <sstream>
#include <string>
#include <tessera/gemm.cuh>

namespace tessera {
namespace {

alignas(16) float data[4];  // a plan reads no memory: it can stand for any matrix

template <class Policy = policy::automatic>
LaunchPlan planned(index_t m, index_t n, index_t k, int offset = 0) {
  return plan<Policy>(1.0f, row_major<const float>(data + offset, m, k),
                      row_major<const float>(data, k, n), 0.0f, row_major(data, m, n));
}
template <class Policy = policy::automatic>
std::string chosen(index_t m, index_t n, index_t k) {
  return planned<Policy>(m, n, k).policy;
}

std::string printed(const LaunchPlan& p) {
  std::ostringstream os;
  os << p;
  return os.str();
}

TEST(Automatic, LargeMatricesGetTheLargestTiles) {
  EXPECT_EQ(chosen(4096, 4096, 4096), "pipelined");
  EXPECT_EQ(chosen(8192, 8192, 8192), "pipelined");
  EXPECT_EQ(planned(8192, 8192, 8192).slices, 1);
}

TEST(Automatic, NarrowMatricesAreStreamed) {
  EXPECT_EQ(chosen(1, 8192, 8192), "skinny");
  EXPECT_EQ(chosen(8192, 8, 8192), "skinny");
}

TEST(Automatic, UpTo48WideMayRunNarrow) {
  for (const index_t width : {9, 16, 17, 32, 33, 48}) {
    EXPECT_EQ(chosen(8192, width, 8192), "narrow") << width;
    EXPECT_EQ(chosen(width, 8192, 8192), "narrow") << width;
    const LaunchPlan p = planned(width, 8192, 8192);
    EXPECT_EQ(p.m_tiles, 1) << p;
    EXPECT_GT(p.slices, 1) << p;
  }
  EXPECT_NE(chosen(8192, 49, 8192), "narrow");
}

TEST(Automatic, SmallTilesOfCAndALongKAreSliced) {
  for (const index_t extent : {64, 128, 256}) {
    const LaunchPlan p = planned(extent, extent, 65536);
    EXPECT_GT(p.slices, 8) << p;
    EXPECT_EQ(p.reason, std::string("few tiles: K in slices fills the SMs"));
    EXPECT_GE(p.k_tiles, p.slices);
  }
}

TEST(Automatic, ShortKIsNeverSlicedBeyondItsTiles) {
  for (index_t k = 1; k <= 64; ++k) {
    for (const index_t extent : {index_t{1}, index_t{33}, index_t{64}, index_t{500}}) {
      const LaunchPlan p = planned(extent, extent, k);
      EXPECT_LE(p.slices, p.k_tiles) << p;
    }
  }
}

TEST(Automatic, LargestExtentsDoNotOverflow) {
  constexpr index_t largest = 2147483647;
  const LaunchPlan tall = planned(largest, 1024, 1024);
  EXPECT_EQ(tall.policy, std::string("pipelined"));
  // Between 25 and 67 TFLOPS, the peak of an H200.
  const double flops = 2.0 * 1024.0 * 1024.0 * static_cast<double>(largest);
  EXPECT_GT(tall.predicted_us, flops / 67e6);
  EXPECT_LT(tall.predicted_us, flops / 25e6);
  EXPECT_TRUE(planned(largest, 1024, 1).launches);
  EXPECT_EQ(chosen(largest, 1, 1), "skinny");
  EXPECT_TRUE(planned(1, 1, largest).launches);
  EXPECT_TRUE(planned(1000, 1000, largest).launches);
  EXPECT_EQ(planned(largest, largest, 1).status, Status(Reason::size_limit, Operand::c));
}

TEST(Automatic, EmptyShapesAndNoProductGiveNoReason) {
  for (const auto& [m, n, k] : {GemmShape{0, 5, 5},
                                {5, 0, 5},
                                {0, 0, 0},
                                {5, 5, 0},
                                {1, 5, 0},
                                {4096, 4096, 0},
                                {0, 66, 41},
                                {66, 0, 41},
                                {66, 66, 0}}) {
    for (const LaunchPlan& p :
         {planned<policy::automatic>(m, n, k), planned<policy::automatic_unsplit>(m, n, k)}) {
      EXPECT_TRUE(p.status.ok());
      EXPECT_EQ(p.slices, 1);
      EXPECT_EQ(p.reason, std::string());
      EXPECT_EQ(p.predicted_us, 0.0);
    }
  }
}

TEST(Automatic, PlanIsThatOfTheChosenPolicy) {
  const LaunchPlan automatic = planned(4096, 4096, 4096);
  const LaunchPlan named = planned<policy::pipelined>(4096, 4096, 4096);
  EXPECT_EQ(automatic.grid, named.grid);
  EXPECT_EQ(automatic.smem_bytes, named.smem_bytes);
  EXPECT_EQ(std::string(automatic.policy), named.policy);
}

TEST(Automatic, PlanSaysWhyAndByWhichTimes) {
  for (const auto& [m, n, k] : {GemmShape{4096, 4096, 4096}, {256, 256, 256}, {1, 8192, 8192}}) {
    const LaunchPlan p = planned(m, n, k);
    EXPECT_NE(p.reason, std::string());
    EXPECT_GT(p.predicted_us, 0.0);
    EXPECT_GE(p.runner_up_us, p.predicted_us);
    EXPECT_NE(std::string(p.runner_up), p.policy);
    std::ostringstream times;
    times << " (" << p.reason << "; predicted " << p.predicted_us << " us, " << p.runner_up << ' '
          << p.runner_up_us << " us)";
    EXPECT_NE(printed(p).find(times.str()), std::string::npos) << p;
  }
  EXPECT_EQ(printed(planned<policy::pipelined>(4096, 4096, 4096)).find("predicted"),
            std::string::npos);
}

TEST(Automatic, ScalarAccessesTakeLonger) {
  const LaunchPlan whole = planned(1024, 1024, 1024), scalar = planned(1024, 1024, 1024, 1);
  EXPECT_EQ(scalar.vec_width_a, 1);
  EXPECT_GT(scalar.predicted_us, whole.predicted_us);
}

// A column-major C is the transposed problem: n and m change places before the choice.
TEST(Automatic, ChoosesForTheProblemAsComputed) {
  const LaunchPlan p = plan(1.0f, col_major<const float>(data, 8192, 512),
                            col_major<const float>(data, 512, 8), 0.0f, col_major(data, 8192, 8));
  const LaunchPlan q = planned(8, 8192, 512);
  EXPECT_EQ(std::string(p.policy), q.policy);
  EXPECT_EQ(p.slices, q.slices);
  EXPECT_EQ(p.predicted_us, q.predicted_us);
}

// 33 x 17 tiles of 128 x 256 would have 9 % of their area beyond C.
TEST(Automatic, FewRowsAndColumnsBeyondWholeTilesAreARim) {
  for (const index_t beyond : {1, 4, 8}) {
    const index_t extent = 4096 + beyond;
    const LaunchPlan p = planned(extent, extent, 4096);
    EXPECT_EQ(p.rim_rows.extent, beyond) << p;
    EXPECT_EQ(p.rim_cols.extent, beyond) << p;
    EXPECT_TRUE(p.splits_k()) << p;
    EXPECT_EQ(p.slices, 1) << p;
    EXPECT_EQ(p.shape.m, 4096);
    EXPECT_EQ(p.shape.n, 4096);
    EXPECT_LT(p.predicted_us, planned(4096 + 9, 4096 + 9, 4096).predicted_us);
    const LaunchPlan unsplit = planned<policy::automatic_unsplit>(4100, 4100, 4096);
    EXPECT_EQ(unsplit.rim_rows.extent, 4) << unsplit;
    EXPECT_FALSE(unsplit.splits_k()) << unsplit;
  }
  EXPECT_EQ(planned(4096 + 9, 4096, 4096).rim_rows.extent, 0);
  EXPECT_EQ(planned(4096, 4096, 4096).rim_cols.extent, 0);
  EXPECT_EQ(planned(257, 257, 257).rim_rows.extent, 0) << "launches would take longer";
  EXPECT_NE(printed(planned(4100, 4100, 4096)).find(", 4 rows more by skinny, slices"),
            std::string::npos)
      << planned(4100, 4100, 4096);
}

// Where A and B are not read, all of C is scaled at once.
TEST(Automatic, NoRimWithoutAProduct) {
  const auto c = row_major(data, 4100, 4100);
  const LaunchPlan p = plan(0.0f, row_major<const float>(nullptr, 4100, 4096),
                            row_major<const float>(nullptr, 4096, 4100), 2.0f, c);
  EXPECT_EQ(p.rim_rows.extent, 0);
  EXPECT_EQ(p.shape.m, 4100);
}

struct rim_of_all {
  using rim_policy = policy::skinny;
  template <class Function>
  static constexpr auto select(const GemmShape& shape, Function&& f) {
    return f(policy::naive{}, Choice{.rim = {shape.m, 1}});
  }
};
struct rim_of_nobody {
  template <class Function>
  static constexpr auto select(const GemmShape&, Function&& f) {
    return f(policy::naive{}, Choice{.rim = {1, 1}});
  }
};

// Nothing of C is left out.
TEST(RimOfAPolicy, IgnoredWhereItIsAllOfCOrNobodys) {
  for (const LaunchPlan& p : {planned<rim_of_all>(40, 40, 8), planned<rim_of_nobody>(40, 40, 8)}) {
    EXPECT_EQ(p.rim_rows.extent, 0);
    EXPECT_EQ(p.rim_cols.extent, 0);
    EXPECT_EQ(p.shape.m, 40);
    EXPECT_EQ(p.shape.n, 40);
  }
}

TEST(AutomaticUnsplit, NeverSlicesAndIsNeverPredictedFaster) {
  std::set<std::string> policies;
  for (index_t m = 1; m < 20000; m = m * 3 / 2 + 1) {
    for (index_t n = 1; n < 20000; n = n * 3 / 2 + 1) {
      for (const index_t k : {index_t{1}, index_t{100}, index_t{4096}, index_t{500000}}) {
        const LaunchPlan split = planned(m, n, k);
        const LaunchPlan unsplit = planned<policy::automatic_unsplit>(m, n, k);
        EXPECT_FALSE(unsplit.splits_k()) << unsplit;
        EXPECT_EQ(unsplit.workspace_bytes > 0, unsplit.tail.tiles > 0) << unsplit;
        EXPECT_EQ(std::string(unsplit.reason).find("slices"), std::string::npos) << unsplit;
        policies.insert(unsplit.policy);
        // Where slices save little, both leave them: that is the same choice.
        constexpr double rounding = 1.0 + 1e-12;
        EXPECT_LE(split.predicted_us, unsplit.predicted_us * rounding) << split << '\n' << unsplit;
        if (split.slices == 1 && split.rim_rows.extent == unsplit.rim_rows.extent &&
            split.rim_cols.extent == unsplit.rim_cols.extent) {
          EXPECT_EQ(std::string(split.policy), unsplit.policy);
        }
      }
    }
  }
  EXPECT_TRUE(policies.contains("pipelined"));
  EXPECT_TRUE(policies.contains("skinny"));
  EXPECT_TRUE(policies.contains("narrow"));
}

// Both can be evaluated by the compiler.
constexpr int slices_by_the_compiler(const GemmShape& shape, bool split) {
  const auto f = [](auto, const Choice& choice) { return choice.slices; };
  return split ? policy::automatic::select(shape, true, f)
               : policy::automatic_unsplit::select(shape, true, f);
}
static_assert(slices_by_the_compiler({128, 128, 65536}, true) > 1);
static_assert(slices_by_the_compiler({128, 128, 65536}, false) == 1);

}  // namespace
}  // namespace tessera
