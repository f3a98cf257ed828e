// Comparison of a result with a reference: equality of bits, or a bound per element. Both report
// the first differences with their coordinates.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <iomanip>
#include <sstream>
#include <string>

#include "reference.hpp"

namespace tessera::support {

// Contract 1: NaN equals NaN whatever its payload. `exact` is for elements that must be untouched.
enum class NanPayload { any, exact };

struct Comparison {
  bool equal = true;
  std::string message;  // empty when equal
  explicit operator bool() const { return equal; }
};

namespace detail {

// Collects differences; keeps the first few.
class Differences {
 public:
  // The next difference's stream, or nullptr when there are enough.
  std::ostream* add(index_t row, index_t col) {
    if (++count_ > 5) return nullptr;
    os_ << "\n  (" << row << ", " << col << "): ";
    return &os_;
  }
  [[nodiscard]] Comparison result(index_t rows, index_t cols) const {
    if (count_ == 0) return {};
    std::ostringstream os;
    os << count_ << " of " << rows << " x " << cols << " elements differ" << os_.str();
    return {false, os.str()};
  }

 private:
  std::ostringstream os_;
  index_t count_ = 0;
};

inline void print_float(std::ostream& os, float value) {
  os << std::setprecision(9) << value << " [" << std::hex << std::showbase
     << std::bit_cast<std::uint32_t>(value) << std::dec << ']';
}

inline Comparison shapes_differ(index_t rows, index_t cols, index_t expected_rows,
                                index_t expected_cols) {
  std::ostringstream os;
  os << "got " << rows << " x " << cols << ", expected " << expected_rows << " x " << expected_cols;
  return {false, os.str()};
}

}  // namespace detail

[[nodiscard]] inline bool same_bits(float x, float y, NanPayload payload = NanPayload::any) {
  if (payload == NanPayload::any && std::isnan(x) && std::isnan(y)) return true;
  return std::bit_cast<std::uint32_t>(x) == std::bit_cast<std::uint32_t>(y);
}

[[nodiscard]] inline Comparison compare_bits(const HostMatrix& got, const HostMatrix& expected,
                                             NanPayload payload = NanPayload::any) {
  if (got.rows != expected.rows || got.cols != expected.cols) {
    return detail::shapes_differ(got.rows, got.cols, expected.rows, expected.cols);
  }
  detail::Differences differences;
  for (index_t i = 0; i < got.rows; ++i) {
    for (index_t j = 0; j < got.cols; ++j) {
      if (same_bits(got.at(i, j), expected.at(i, j), payload)) continue;
      if (std::ostream* os = differences.add(i, j)) {
        *os << "got ";
        detail::print_float(*os, got.at(i, j));
        *os << ", expected ";
        detail::print_float(*os, expected.at(i, j));
      }
    }
  }
  return differences.result(got.rows, got.cols);
}

// |got - value| <= bound for every element. Written so that a NaN anywhere fails.
[[nodiscard]] inline Comparison compare_within(const HostMatrix& got,
                                               const BoundedReference& expected) {
  if (got.rows != expected.rows || got.cols != expected.cols) {
    return detail::shapes_differ(got.rows, got.cols, expected.rows, expected.cols);
  }
  detail::Differences differences;
  for (index_t i = 0; i < got.rows; ++i) {
    for (index_t j = 0; j < got.cols; ++j) {
      const auto at = static_cast<std::size_t>(i * got.cols + j);
      const double error = std::fabs(static_cast<double>(got.data[at]) - expected.value[at]);
      if (error <= expected.bound[at]) continue;
      if (std::ostream* os = differences.add(i, j)) {
        *os << "got ";
        detail::print_float(*os, got.data[at]);
        *os << ", expected " << std::setprecision(17) << expected.value[at] << " within "
            << expected.bound[at];
      }
    }
  }
  return differences.result(got.rows, got.cols);
}

}  // namespace tessera::support
