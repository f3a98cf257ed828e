// The reference itself, against numbers worked out by hand and against a loop without its blocking.
#include "reference.hpp"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "compare.hpp"
#include "fill.hpp"

namespace tessera::support {
namespace {

constexpr float nan = std::numeric_limits<float>::quiet_NaN();

HostMatrix one(float value) { return HostMatrix(1, 1, {value}); }

TEST(Reference, TwoByThreeByTwo) {
  const HostMatrix a(2, 3, {1, 2, 3, 4, 5, 6}), b(3, 2, {7, 8, 9, 10, 11, 12});
  const HostMatrix expected(2, 2, {58, 64, 139, 154});
  EXPECT_TRUE(compare_bits(reference_gemm(1.0f, a, b, 0.0f, HostMatrix(2, 2)), expected));
}

TEST(Reference, EqualsThePlainLoop) {
  for (const auto& [m, n, k] :
       {std::array<index_t, 3>{1, 1, 1}, {3, 64, 5}, {2, 65, 9}, {7, 129, 33}}) {
    const HostMatrix a = filled(m, k, Fill::uniform, 1), b = filled(k, n, Fill::uniform, 2),
                     c = filled(m, n, Fill::uniform, 3);
    HostMatrix expected(m, n);
    for (index_t i = 0; i < m; ++i) {
      for (index_t j = 0; j < n; ++j) {
        float acc = 0.0f;
        for (index_t p = 0; p < k; ++p) acc = std::fmaf(a.at(i, p), b.at(p, j), acc);
        expected.at(i, j) = std::fmaf(0.3f, acc, 0.7f * c.at(i, j));
      }
    }
    const Comparison same = compare_bits(reference_gemm(0.3f, a, b, 0.7f, c), expected);
    EXPECT_TRUE(same) << same.message;
  }
}

TEST(Reference, LargeProductsOnSeveralThreadsHaveTheSameBits) {
  // The first and last rows of a product large enough for several threads.
  const HostMatrix a = filled(240, 800, Fill::uniform, 1), b = filled(800, 640, Fill::uniform, 2);
  const HostMatrix c = reference_gemm(1.0f, a, b, 0.0f, HostMatrix(240, 640));
  for (const index_t i : {0, 119, 120, 239}) {
    float acc = 0.0f;
    for (index_t p = 0; p < 800; ++p) acc = std::fmaf(a.at(i, p), b.at(p, 639), acc);
    EXPECT_TRUE(same_bits(c.at(i, 639), acc)) << i;
  }
}

TEST(Reference, UsesFmaNotProductAndSum) {
  // (1 + 2^-12)^2 = 1 + 2^-11 + 2^-24: the product alone loses the last term.
  const float x = 1.0f + 0x1p-12f;
  const HostMatrix c = reference_gemm(1.0f, HostMatrix(1, 2, {-1.0f, x}),
                                      HostMatrix(2, 1, {1.0f + 0x1p-11f, x}), 0.0f, one(nan));
  EXPECT_EQ(c.at(0, 0), 0x1p-24f);
}

TEST(Reference, AccumulatorStartsAtPlusZeroAndUnderflowMayMakeItMinusZero) {
  EXPECT_TRUE(
      same_bits(reference_gemm(1.0f, one(-0.0f), one(1.0f), 0.0f, one(nan)).at(0, 0), 0.0f));
  EXPECT_TRUE(
      same_bits(reference_gemm(1.0f, one(1e-30f), one(-1e-30f), 0.0f, one(nan)).at(0, 0), -0.0f));
}

TEST(Reference, WithoutAProduct) {
  const HostMatrix a(1, 0), b(0, 1);
  const float payload = std::bit_cast<float>(std::uint32_t{0x7fc12345});
  const auto c_of = [&](float beta, float c) {
    return reference_gemm(1.0f, a, b, beta, one(c)).at(0, 0);
  };
  EXPECT_TRUE(same_bits(c_of(0.0f, nan), 0.0f));
  EXPECT_TRUE(same_bits(c_of(-0.0f, -1.0f), 0.0f));
  EXPECT_TRUE(same_bits(c_of(1.0f, payload), payload, NanPayload::exact));
  EXPECT_TRUE(same_bits(c_of(1.0f, -0.0f), -0.0f));
  EXPECT_TRUE(same_bits(c_of(2.0f, -0.0f), -0.0f));
  EXPECT_TRUE(same_bits(c_of(2.0f, 3.0f), 6.0f));
  EXPECT_TRUE(same_bits(reference_gemm(0.0f, one(nan), one(nan), 2.0f, one(3.0f)).at(0, 0), 6.0f));
  EXPECT_TRUE(same_bits(reference_gemm(-0.0f, one(nan), one(nan), 0.0f, one(nan)).at(0, 0), 0.0f));
}

TEST(Reference, DoubleBoundHoldsForTheFmaLoopAndIsNotLoose) {
  const HostMatrix a = filled(9, 300, Fill::uniform, 1), b = filled(300, 8, Fill::uniform, 2),
                   c = filled(9, 8, Fill::uniform, 3);
  const BoundedReference reference = reference_gemm_double(0.5f, a, b, -2.0f, c);
  HostMatrix got = reference_gemm(0.5f, a, b, -2.0f, c);
  const Comparison within = compare_within(got, reference);
  EXPECT_TRUE(within) << within.message;
  // An error of a thousandth of the magnitude is far outside.
  got.at(4, 4) += 0.05f;
  EXPECT_FALSE(compare_within(got, reference));
}

TEST(Reference, DoubleFollowsTheMeaningOfZeroScalars) {
  const BoundedReference zero = reference_gemm_double(0.0f, one(nan), one(nan), 0.0f, one(nan));
  EXPECT_EQ(zero.value[0], 0.0);
  const BoundedReference scaled = reference_gemm_double(0.0f, one(nan), one(nan), 2.0f, one(3.0f));
  EXPECT_EQ(scaled.value[0], 6.0);
}

}  // namespace
}  // namespace tessera::support
