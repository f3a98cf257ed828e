// The checker is checked first: a comparison that cannot fail proves nothing.
#include "compare.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "fill.hpp"

namespace tessera::support {
namespace {

constexpr float nan = std::numeric_limits<float>::quiet_NaN();

float from_bits(std::uint32_t bits) { return std::bit_cast<float>(bits); }

HostMatrix all(index_t rows, index_t cols, float value) {
  HostMatrix m(rows, cols);
  for (float& x : m.data) x = value;
  return m;
}

TEST(CompareBits, EqualMatricesAreEqual) {
  const HostMatrix m = filled(5, 7, Fill::specials, 1);
  EXPECT_TRUE(compare_bits(m, m));
  EXPECT_TRUE(compare_bits(m, m, NanPayload::exact));
}

TEST(CompareBits, AllNanFailsAgainstNumbers) {
  const HostMatrix numbers = filled(4, 4, Fill::uniform, 1);
  EXPECT_FALSE(compare_bits(all(4, 4, nan), numbers));
  EXPECT_FALSE(compare_bits(numbers, all(4, 4, nan)));
}

TEST(CompareBits, FlippedLastBitFails) {
  const HostMatrix expected = filled(4, 4, Fill::uniform, 1);
  for (std::size_t i = 0; i < expected.data.size(); ++i) {
    HostMatrix got = expected;
    got.data[i] = from_bits(std::bit_cast<std::uint32_t>(got.data[i]) ^ 1u);
    EXPECT_FALSE(compare_bits(got, expected)) << i;
  }
}

TEST(CompareBits, SignsOfZeroDiffer) {
  EXPECT_FALSE(compare_bits(all(1, 1, 0.0f), all(1, 1, -0.0f)));
  EXPECT_FALSE(compare_bits(all(1, 1, -0.0f), all(1, 1, 0.0f)));
}

TEST(CompareBits, InfinitiesDifferBySignAndFromNan) {
  EXPECT_FALSE(compare_bits(all(1, 1, INFINITY), all(1, 1, -INFINITY)));
  EXPECT_FALSE(compare_bits(all(1, 1, INFINITY), all(1, 1, nan)));
  EXPECT_FALSE(compare_bits(all(1, 1, INFINITY), all(1, 1, std::numeric_limits<float>::max())));
}

TEST(CompareBits, NanPayloadCountsOnlyWhenAsked) {
  const HostMatrix x = all(1, 1, from_bits(0x7fc00001)), y = all(1, 1, from_bits(0xffc00002));
  EXPECT_TRUE(compare_bits(x, y));
  EXPECT_FALSE(compare_bits(x, y, NanPayload::exact));
  EXPECT_TRUE(compare_bits(x, x, NanPayload::exact));
}

TEST(CompareBits, SizeZeroIsEqualAndShapesMustAgree) {
  EXPECT_TRUE(compare_bits(HostMatrix(0, 3), HostMatrix(0, 3)));
  EXPECT_FALSE(compare_bits(HostMatrix(0, 3), HostMatrix(3, 0)));
  EXPECT_FALSE(compare_bits(all(2, 3, 1.0f), all(3, 2, 1.0f)));
  EXPECT_FALSE(compare_bits(HostMatrix(), all(1, 1, 1.0f)));
}

TEST(CompareBits, ReportsCoordinatesAndCount) {
  const HostMatrix expected = all(3, 4, 1.0f);
  HostMatrix got = expected;
  got.at(1, 2) = 2.0f;
  got.at(2, 3) = nan;
  const Comparison result = compare_bits(got, expected);
  EXPECT_NE(result.message.find("2 of 3 x 4"), std::string::npos) << result.message;
  EXPECT_NE(result.message.find("(1, 2)"), std::string::npos) << result.message;
  EXPECT_NE(result.message.find("(2, 3)"), std::string::npos) << result.message;
  EXPECT_NE(result.message.find("0x40000000"), std::string::npos) << result.message;
}

BoundedReference bounded(index_t rows, index_t cols, double value, double bound) {
  const auto count = static_cast<std::size_t>(rows * cols);
  return {rows, cols, std::vector<double>(count, value), std::vector<double>(count, bound)};
}

TEST(CompareWithin, HoldsUpToTheBoundAndNotBeyond) {
  EXPECT_TRUE(compare_within(all(2, 2, 1.0f), bounded(2, 2, 1.25, 0.25)));
  EXPECT_FALSE(compare_within(all(2, 2, 1.0f), bounded(2, 2, 1.25, 0.2499)));
}

TEST(CompareWithin, NanFailsWhereverItIs) {
  EXPECT_FALSE(compare_within(all(2, 2, nan), bounded(2, 2, 1.0, 1e30)));
  EXPECT_FALSE(compare_within(all(2, 2, 1.0f), bounded(2, 2, nan, 1.0)));
  EXPECT_FALSE(compare_within(all(2, 2, 1.0f), bounded(2, 2, 1.0, nan)));
  EXPECT_FALSE(compare_within(all(2, 2, INFINITY), bounded(2, 2, 1.0, 1e30)));
}

TEST(CompareWithin, SizeZeroAndShapes) {
  EXPECT_TRUE(compare_within(HostMatrix(0, 2), bounded(0, 2, 0.0, 0.0)));
  EXPECT_FALSE(compare_within(HostMatrix(1, 2), bounded(2, 1, 0.0, 0.0)));
}

}  // namespace
}  // namespace tessera::support
