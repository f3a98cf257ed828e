// Contract 2: Inf, NaN and subnormals follow IEEE, no zero is skipped, nothing is flushed; and
// contract 9: no operand is rounded on its way. Held to the bits of contract 1.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "compare.hpp"
#include "problem.hpp"

namespace tessera::support {
namespace {

class SpecialValues : public PolicyTest {
 protected:
  void check(const Problem& problem) { EXPECT_TRUE(run_and_check(GetParam(), problem)); }
  void check(const Problem& problem, const HostOperands& operands) {
    EXPECT_TRUE(run_and_check(GetParam(), problem, operands, expected_c(problem, operands)));
  }
};

TEST_P(SpecialValues, NanInfAndZerosAnywhere) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    for (const Layouts& layouts : every_layout()) {
      Problem problem = with_layouts({.m = 33, .n = 37, .k = 5, .seed = seed}, layouts);
      problem.a.fill = problem.b.fill = Fill::specials;
      check(problem);
      problem.beta = 0.5f;
      problem.c.fill = Fill::specials;
      check(problem);
    }
  }
}

TEST_P(SpecialValues, NanInfAndZerosInWholeTiles) {
  const TileConfig config = config_of(GetParam());
  Problem problem{.m = config.block_m(), .n = config.block_n(), .k = config.block_k()};
  problem.a.fill = problem.b.fill = Fill::specials;
  check(problem);
  problem.beta = -1.0f;
  problem.c.fill = Fill::specials;
  check(problem);
}

TEST_P(SpecialValues, SubnormalProductsAndSums) {
  for (const Layouts& layouts : every_layout()) {
    Problem problem = with_layouts({.m = 34, .n = 21, .k = 13}, layouts);
    problem.a.fill = problem.b.fill = Fill::tiny;
    check(problem);
    problem.alpha = 0x1p60f;
    problem.beta = 1.0f;
    problem.c.fill = Fill::tiny;
    check(problem);
  }
}

// 0 * NaN and 0 * Inf are NaN: a kernel that skips zeros of A loses them.
TEST_P(SpecialValues, ZerosAreNotSkipped) {
  const float values[] = {std::numeric_limits<float>::quiet_NaN(),
                          std::numeric_limits<float>::infinity()};
  for (const float value : values) {
    const Problem problem{.m = 9, .n = 9, .k = 10};
    HostOperands operands(problem);
    for (float& a : operands.a.data) a = 0.0f;
    operands.b.at(4, 4) = value;
    const HostMatrix expected = expected_c(problem, operands);
    ASSERT_TRUE(std::isnan(expected.at(0, 4)));
    ASSERT_FALSE(std::isnan(expected.at(0, 3)));
    check(problem, operands);
  }
}

// One special element poisons its row or column of C and nothing else, wherever it lies.
TEST_P(SpecialValues, ANanStaysInItsRow) {
  const TileConfig config = config_of(GetParam());
  const index_t m = config.block_m() + 3, n = config.block_n() + 3, k = 2 * config.block_k() + 1;
  for (const index_t row : {index_t{0}, m / 2, m - 1}) {
    for (const index_t p : {index_t{0}, k - 1}) {
      const Problem problem{.m = m, .n = n, .k = k};
      HostOperands operands(problem);
      operands.a.at(row, p) = std::numeric_limits<float>::quiet_NaN();
      check(problem, operands);
    }
  }
}

// Underflow makes every accumulator -0: fma(1e-30, -1e-30, 0) rounds to -0. The padding of a ragged
// last k-tile must add nothing, not even +0, which would turn -0 into +0.
TEST_P(SpecialValues, MinusZeroSurvivesTheRaggedKTile) {
  const index_t bk = config_of(GetParam()).block_k();
  for (const index_t k : {index_t{1}, bk, bk + 1, 2 * bk - 1, 2 * bk + 1, 3 * bk - 1}) {
    for (const Layouts& layouts : every_layout()) {
      const Problem problem = with_layouts({.m = 18, .n = 21, .k = k}, layouts);
      HostOperands operands(problem);
      for (float& a : operands.a.data) a = 1e-30f;
      for (float& b : operands.b.data) b = -1e-30f;
      const HostMatrix expected = expected_c(problem, operands);
      ASSERT_TRUE(same_bits(expected.at(0, 0), -0.0f));
      EXPECT_TRUE(run_and_check(GetParam(), problem, operands, expected));
    }
  }
}

// The same with the signs the other way round, and with Inf and NaN next to the padding.
TEST_P(SpecialValues, PaddingMeetsNoOperand) {
  const index_t bk = config_of(GetParam()).block_k();
  for (const float a :
       {-1e-30f, std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()}) {
    for (const index_t k : {index_t{1}, bk + 1}) {
      const Problem problem{.m = 10, .n = 11, .k = k};
      HostOperands operands(problem);
      for (float& value : operands.a.data) value = a;
      for (float& value : operands.b.data) value = 1e-30f;
      check(problem, operands);
    }
  }
}

TEST_P(SpecialValues, OverflowInTheMiddleOfK) {
  const Problem problem{.m = 12, .n = 12, .k = 40};
  HostOperands operands(problem);
  for (float& a : operands.a.data) a *= 1e20f;
  for (float& b : operands.b.data) b *= 1e20f;
  check(problem, operands);
}

// TF32 keeps 10 bits of fraction: 1024.5 would become 1024.
TEST_P(SpecialValues, NoOperandIsRounded) {
  const Problem one{.m = 1, .n = 1, .k = 1};
  HostOperands operands(one);
  operands.a.at(0, 0) = 1024.5f;
  operands.b.at(0, 0) = 1.0f;
  EXPECT_TRUE(run_and_check(GetParam(), one, operands, HostMatrix(1, 1, {1024.5f})));

  const Problem identity{.m = 45, .n = 33, .k = 33};
  HostOperands with_identity(identity);
  float next = 0.0f;
  for (float& a : with_identity.a.data) a = next++;
  for (index_t i = 0; i < 33; ++i) {
    for (index_t j = 0; j < 33; ++j) with_identity.b.at(i, j) = i == j ? 1.0f : 0.0f;
  }
  EXPECT_TRUE(run_and_check(GetParam(), identity, with_identity, with_identity.a));
}

INSTANTIATE_TEST_SUITE_P(Policies, SpecialValues, testing::ValuesIn(every_policy()), policy_name);

}  // namespace
}  // namespace tessera::support
