// Contract 2, BLAS meaning of alpha and beta: beta = 0 does not read C; alpha = 0 or K = 0 reads
// neither A nor B; -0.0 counts as zero; everything else is arithmetic.
#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <limits>

#include "problem.hpp"

namespace tessera::support {
namespace {

using limits = std::numeric_limits<float>;

class Scalars : public PolicyTest {
 protected:
  void check(const Problem& problem) { EXPECT_TRUE(run_and_check(GetParam(), problem)); }
};

constexpr float values[] = {0.0f,
                            1.0f,
                            -1.0f,
                            0.5f,
                            -0.0f,
                            2.0f,
                            limits::quiet_NaN(),
                            limits::infinity(),
                            -limits::infinity(),
                            limits::denorm_min()};

TEST_P(Scalars, EveryPair) {
  const TileConfig config = config_of(GetParam());
  for (const float alpha : values) {
    for (const float beta : values) {
      check({.m = 17, .n = 19, .k = 9, .alpha = alpha, .beta = beta});
      check({.m = config.block_m(),
             .n = config.block_n(),
             .k = config.block_k(),
             .alpha = alpha,
             .beta = beta});
    }
  }
}

TEST_P(Scalars, EveryPairWithColMajorC) {
  for (const float alpha : values) {
    for (const float beta : values) {
      check(with_layouts({.m = 20, .n = 28, .k = 8, .alpha = alpha, .beta = beta},
                         {Layout::row, Layout::col, Layout::col}));
    }
  }
}

TEST_P(Scalars, BetaZeroDoesNotReadC) {
  for (const Fill fill : {Fill::all_nan, Fill::all_inf, Fill::specials}) {
    for (const float beta : {0.0f, -0.0f}) {
      check({.m = 129, .n = 129, .k = 17, .beta = beta, .c = {.fill = fill}});
      check({.m = 128, .n = 128, .k = 32, .alpha = -1.5f, .beta = beta, .c = {.fill = fill}});
      check({.m = 7, .n = 5, .k = 0, .beta = beta, .c = {.fill = fill}});
    }
  }
}

TEST_P(Scalars, AlphaZeroReadsNeitherANorB) {
  for (const float alpha : {0.0f, -0.0f}) {
    for (const float beta : {0.0f, 1.0f, 2.0f, -0.0f, -1.0f, limits::quiet_NaN()}) {
      for (const bool null : {false, true}) {
        const OperandSpec input{.fill = Fill::all_nan, .null = null};
        check({.m = 5, .n = 7, .k = 9, .alpha = alpha, .beta = beta, .a = input, .b = input});
        check({.m = 128, .n = 128, .k = 64, .alpha = alpha, .beta = beta, .a = input, .b = input});
        check(with_layouts(
            {.m = 130, .n = 33, .k = 9, .alpha = alpha, .beta = beta, .a = input, .b = input},
            {Layout::col, Layout::row, Layout::col}));
      }
    }
  }
}

TEST_P(Scalars, KZeroReadsNeitherANorB) {
  const OperandSpec null{.null = true};
  for (const float beta : {0.0f, 1.0f, 2.0f, -0.0f, -1.0f, limits::quiet_NaN()}) {
    for (const float alpha : {1.0f, -1.0f, 0.0f, limits::infinity()}) {
      check({.m = 3, .n = 3, .k = 0, .alpha = alpha, .beta = beta, .a = null, .b = null});
      check({.m = 128, .n = 256, .k = 0, .alpha = alpha, .beta = beta, .a = null, .b = null});
    }
  }
}

TEST_P(Scalars, EmptyCNeedsNoPointers) {
  const OperandSpec null{.null = true};
  check({.m = 0, .n = 3, .k = 4, .a = null, .b = null});
  check({.m = 3, .n = 0, .k = 4, .beta = 2.0f, .a = null, .b = null});
}

// C = beta * C to the bit: signs of zero, NaN payloads where nothing is to be written, subnormals.
TEST_P(Scalars, WithoutAProductCIsScaledToTheBit) {
  const float payload = std::bit_cast<float>(std::uint32_t{0x7fc12345});
  const HostMatrix c(2, 4,
                     {0.0f, -0.0f, payload, limits::denorm_min(), -limits::infinity(),
                      limits::max(), -limits::min(), 3.0f});
  for (const float beta : {1.0f, 2.0f, -1.0f, 0.5f, 0.0f}) {
    for (const index_t k : {0, 3}) {
      Problem problem{.m = 2, .n = 4, .k = k, .alpha = k == 0 ? 1.0f : 0.0f, .beta = beta};
      HostOperands operands(problem);
      operands.c = c;
      EXPECT_TRUE(run_and_check(GetParam(), problem, operands, expected_c(problem, operands)));
    }
  }
}

// alpha * acc and beta * c are rounded as the contract says: with large cancelling terms, any other
// association gives other bits.
TEST_P(Scalars, RoundingOfTheEpilogue) {
  for (const float alpha : {1.0f / 3.0f, -1.7f, 1e-30f, 1e30f}) {
    for (const float beta : {-1.0f / 3.0f, 1.9f, 1e-38f, -1e30f}) {
      check({.m = 30, .n = 31, .k = 8, .alpha = alpha, .beta = beta});
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Policies, Scalars, testing::ValuesIn(every_policy()), policy_name);

}  // namespace
}  // namespace tessera::support
