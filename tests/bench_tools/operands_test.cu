// The bench's own yardstick: the double-precision reference and the deviation from it, against a
// loop on the host. The checker is checked first: one wrong element must show.
#include "bench/operands.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace tessera::bench {
namespace {

using support::DeviceBuffer;
using support::Layout;
using support::Stream;

// Element (row, col) of a matrix of that layout and ld in `values`.
float& at(std::vector<float>& values, Layout layout, index_t ld, index_t row, index_t col) {
  return values[static_cast<std::size_t>(layout == Layout::row ? row * ld + col : col * ld + row)];
}

struct Setting {
  index_t m, n, k;
  Layout a, b, c;
};

class OperandsTest : public testing::TestWithParam<Setting> {
 protected:
  static constexpr index_t ld_extra = 3;

  static index_t ld(index_t rows, index_t cols, Layout layout) {
    return (layout == Layout::row ? cols : rows) + ld_extra;
  }
  static std::size_t size(index_t rows, index_t cols) {
    return static_cast<std::size_t>((rows + ld_extra) * (cols + ld_extra));
  }

  OperandsTest()
      : s_(GetParam()), a_(size(s_.m, s_.k)), b_(size(s_.k, s_.n)), c_(size(s_.m, s_.n)) {
    fill_uniform(a_.data(), a_.size(), 1, stream_);
    fill_uniform(b_.data(), b_.size(), 2, stream_);
    std::vector<float> a = a_.to_host(stream_), b = b_.to_host(stream_);
    for (index_t i = 0; i < s_.m; ++i) {
      for (index_t j = 0; j < s_.n; ++j) {
        double sum = 0.0, magnitude = 0.0;
        for (index_t step = 0; step < s_.k; ++step) {
          const double product = static_cast<double>(at(a, s_.a, ld(s_.m, s_.k, s_.a), i, step)) *
                                 static_cast<double>(at(b, s_.b, ld(s_.k, s_.n, s_.b), step, j));
          sum += product;
          magnitude += std::fabs(product);
        }
        sums_.push_back(sum);
        magnitudes_.push_back(magnitude);
      }
    }
    reference_.compute({a_.data(), s_.m, s_.k, ld(s_.m, s_.k, s_.a), s_.a},
                       {b_.data(), s_.k, s_.n, ld(s_.k, s_.n, s_.b), s_.b}, stream_);
  }

  // The sums rounded to float, with NaN between the rows.
  [[nodiscard]] std::vector<float> rounded() const {
    std::vector<float> c(c_.size(), std::numeric_limits<float>::quiet_NaN());
    for (index_t i = 0; i < s_.m; ++i) {
      for (index_t j = 0; j < s_.n; ++j) {
        at(c, s_.c, ld(s_.m, s_.n, s_.c), i, j) = static_cast<float>(sums_[number(i, j)]);
      }
    }
    return c;
  }
  [[nodiscard]] std::size_t number(index_t i, index_t j) const {
    return static_cast<std::size_t>(i * s_.n + j);
  }
  float& last(std::vector<float>& c) const {
    return at(c, s_.c, ld(s_.m, s_.n, s_.c), s_.m - 1, s_.n - 1);
  }
  Deviation compare(const std::vector<float>& c, const std::vector<float>& other) {
    DeviceBuffer<float> other_on_device(other.size());
    other_on_device.copy_from(other, stream_);
    c_.copy_from(c, stream_);
    const index_t c_ld = ld(s_.m, s_.n, s_.c);
    return reference_.compare({c_.data(), s_.m, s_.n, c_ld, s_.c},
                              {other_on_device.data(), s_.m, s_.n, c_ld, s_.c}, stream_);
  }

  Setting s_;
  Stream stream_;
  DeviceBuffer<float> a_, b_, c_;
  Reference reference_{static_cast<std::size_t>(s_.m * s_.n)};
  std::vector<double> sums_, magnitudes_;
};

TEST_P(OperandsTest, ARoundedProductDeviatesByItsRounding) {
  const std::vector<float> c = rounded();
  const Deviation deviation = compare(c, c);
  double squared_error = 0.0, squared_sum = 0.0, scaled = 0.0;
  for (std::size_t i = 0; i < sums_.size(); ++i) {
    const double error = std::fabs(static_cast<double>(static_cast<float>(sums_[i])) - sums_[i]);
    squared_error += error * error;
    squared_sum += sums_[i] * sums_[i];
    scaled = std::max(scaled, error / magnitudes_[i]);
  }
  EXPECT_EQ(deviation.outside_bound, 0u);
  EXPECT_EQ(deviation.different_bits, 0u);
  // Double precision in another order: the figures agree to about 2^-53 / 2^-24.
  EXPECT_NEAR(deviation.relative_frobenius, std::sqrt(squared_error / squared_sum), 1e-13);
  EXPECT_NEAR(deviation.max_scaled, scaled, 1e-13);
}

TEST_P(OperandsTest, OneElementOutsideTheBoundShows) {
  const std::vector<float> right = rounded();
  std::vector<float> wrong = right;
  const double ku = static_cast<double>(s_.k) * 0x1p-24;
  const double bound = ku / (1.0 - ku) * magnitudes_.back();
  last(wrong) = static_cast<float>(sums_.back() + 3.0 * bound);
  const Deviation deviation = compare(wrong, right);
  EXPECT_EQ(deviation.outside_bound, 1u);
  EXPECT_EQ(deviation.different_bits, 1u);
  EXPECT_GT(deviation.max_scaled, 2.0 * ku);
}

TEST_P(OperandsTest, OneNanShows) {
  const std::vector<float> right = rounded();
  std::vector<float> wrong = right;
  last(wrong) = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(compare(wrong, right).outside_bound, 1u);
}

TEST_P(OperandsTest, OneBitShows) {
  const std::vector<float> right = rounded();
  std::vector<float> other = right;
  last(other) = std::nextafter(last(other), std::numeric_limits<float>::infinity());
  EXPECT_EQ(compare(right, other).different_bits, 1u);
  EXPECT_EQ(compare(right, other).outside_bound, 0u);
}

INSTANTIATE_TEST_SUITE_P(Shapes, OperandsTest,
                         testing::Values(Setting{1, 1, 1, Layout::row, Layout::row, Layout::row},
                                         Setting{70, 9, 33, Layout::row, Layout::col, Layout::row},
                                         Setting{9, 70, 33, Layout::col, Layout::row, Layout::col},
                                         Setting{65, 66, 16, Layout::col, Layout::col,
                                                 Layout::row}));

TEST(FillUniform, IsInsideTheIntervalNeverZeroAndDependsOnTheSeed) {
  const Stream stream;
  DeviceBuffer<float> one(5000), two(5000);
  fill_uniform(one.data(), one.size(), 1, stream);
  fill_uniform(two.data(), two.size(), 2, stream);
  const std::vector<float> first = one.to_host(stream), second = two.to_host(stream);
  double mean = 0.0;
  int equal = 0;
  for (std::size_t i = 0; i < first.size(); ++i) {
    ASSERT_LT(std::fabs(first[i]), 1.0f);
    ASSERT_NE(first[i], 0.0f);
    mean += static_cast<double>(first[i]) / 5000.0;
    equal += first[i] == second[i];
  }
  EXPECT_LT(std::fabs(mean), 0.05);  // six standard deviations of the mean
  EXPECT_LT(equal, 10);
}

}  // namespace
}  // namespace tessera::bench
