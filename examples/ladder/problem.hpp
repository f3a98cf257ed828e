// One product with its operands on the device and the bits that every rung must return.
#pragma once

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "bench/shapes.hpp"
#include "tests/support/compare.hpp"
#include "tests/support/cuda_resources.hpp"
#include "tests/support/fill.hpp"
#include "tests/support/reference.hpp"
#include "tests/support/registry.hpp"

namespace tessera::ladder {

struct Verification {
  bool verified = false;
  std::string text;
};

class Problem {
 public:
  // `sampled_rows` rows of C are compared with the host, the last row among them.
  Problem(const bench::Product& product, long long sampled_rows)
      : Problem(product, sampled_rows,
                support::filled(product.m, product.k, support::Fill::uniform, 1),
                support::filled(product.k, product.n, support::Fill::uniform, 2)) {}

  [[nodiscard]] support::AnyView<const float> a() const {
    return view<const float>(d_a_, product_.m, product_.k, product_.layout_a);
  }
  [[nodiscard]] support::AnyView<const float> b() const {
    return view<const float>(d_b_, product_.k, product_.n, product_.layout_b);
  }
  [[nodiscard]] support::AnyView<float> c() const {
    return view<float>(d_c_, product_.m, product_.n, 'R');
  }
  [[nodiscard]] const bench::Product& product() const { return product_; }

  // Runs a rung once and compares with the host's fmaf loop.
  [[nodiscard]] Verification verify(const support::PolicyEntry& rung) const {
    const auto row_floats = static_cast<std::size_t>(product_.n);
    support::check(cudaMemset(d_c_.data(), 0xff, d_c_.size() * sizeof(float)), "cudaMemset");
    if (const Status status = rung.gemm(1.0f, a(), b(), 0.0f, c(), nullptr); !status.ok()) {
      return {false, status.message()};
    }
    std::vector<float> row(row_floats);
    std::size_t different = 0;
    for (std::size_t r = 0; r < rows_.size(); ++r) {
      support::check(cudaMemcpy(row.data(), d_c_.data() + rows_[r] * product_.n,
                                row_floats * sizeof(float), cudaMemcpyDeviceToHost),
                     "copying C");
      for (std::size_t j = 0; j < row_floats; ++j) {
        const float expected = expected_.at(static_cast<index_t>(r), static_cast<index_t>(j));
        if (!support::same_bits(row[j], expected)) ++different;
      }
    }
    const std::string elements = std::to_string(rows_.size() * row_floats);
    if (different == 0) return {true, "yes, " + elements + " elements"};
    return {false, std::to_string(different) + " of " + elements + " elements differ"};
  }

 private:
  Problem(const bench::Product& product, long long sampled_rows, const support::HostMatrix& a,
          const support::HostMatrix& b)
      : product_(product),
        rows_(choose_rows(product.m, sampled_rows)),
        expected_(support::reference_gemm(1.0f, rows_of(a, rows_), b, 0.0f, {})),
        d_a_(stored(a, product.layout_a)),
        d_b_(stored(b, product.layout_b)),
        d_c_(static_cast<std::size_t>(product.m * product.n)) {}

  template <class T>
  static support::AnyView<T> view(const support::DeviceBuffer<float>& buffer, index_t rows,
                                  index_t cols, char letter) {
    if (letter == 'R') return {buffer.data(), rows, cols, cols, support::Layout::row};
    return {buffer.data(), rows, cols, rows, support::Layout::col};
  }

  // The elements as they lie in memory under a layout.
  static std::vector<float> stored(const support::HostMatrix& matrix, char letter) {
    if (letter == 'R') return matrix.data;
    std::vector<float> columns;
    columns.reserve(matrix.data.size());
    for (index_t col = 0; col < matrix.cols; ++col) {
      for (index_t row = 0; row < matrix.rows; ++row) columns.push_back(matrix.at(row, col));
    }
    return columns;
  }

  // Ascending: the last row, and others at random.
  static std::vector<index_t> choose_rows(index_t m, index_t count) {
    std::vector<index_t> rows{m - 1}, others;
    for (index_t row = 0; row + 1 < m; ++row) others.push_back(row);
    std::mt19937 random(static_cast<std::uint32_t>(m));
    std::sample(others.begin(), others.end(), std::back_inserter(rows), count - 1, random);
    std::sort(rows.begin(), rows.end());
    return rows;
  }

  static support::HostMatrix rows_of(const support::HostMatrix& matrix,
                                     const std::vector<index_t>& rows) {
    support::HostMatrix part(0, matrix.cols);
    for (const index_t row : rows) {
      const auto first = matrix.data.begin() + row * matrix.cols;
      part.data.insert(part.data.end(), first, first + matrix.cols);
      ++part.rows;
    }
    return part;
  }

  bench::Product product_;
  std::vector<index_t> rows_;
  support::HostMatrix expected_;  // those rows of C
  support::DeviceBuffer<float> d_a_, d_b_, d_c_;
};

}  // namespace tessera::ladder
