// HostMatrix: a matrix in host memory as tests think of it, whatever its layout on the device.
#pragma once

#include <cstddef>
#include <tessera/matrix_view.hpp>
#include <utility>
#include <vector>

namespace tessera::support {

// rows x cols floats, row-major, packed.
struct HostMatrix {
  index_t rows = 0, cols = 0;
  std::vector<float> data;

  HostMatrix() = default;
  HostMatrix(index_t row_count, index_t col_count)
      : rows(row_count), cols(col_count), data(static_cast<std::size_t>(rows * cols)) {}
  HostMatrix(index_t row_count, index_t col_count, std::vector<float> values)
      : rows(row_count), cols(col_count), data(std::move(values)) {}

  [[nodiscard]] float& at(index_t row, index_t col) {
    return data[static_cast<std::size_t>(row * cols + col)];
  }
  [[nodiscard]] float at(index_t row, index_t col) const {
    return data[static_cast<std::size_t>(row * cols + col)];
  }
};

// The elements from (row, col) on, so many rows and columns.
[[nodiscard]] inline HostMatrix part_of(const HostMatrix& matrix, index_t row, index_t col,
                                        index_t rows, index_t cols) {
  HostMatrix part(rows, cols);
  for (index_t i = 0; i < rows; ++i) {
    for (index_t j = 0; j < cols; ++j) part.at(i, j) = matrix.at(row + i, col + j);
  }
  return part;
}

// A matrix that lies in host memory in either layout.
[[nodiscard]] inline HostMatrix gather(const float* data, index_t rows, index_t cols, index_t ld,
                                       bool is_row_major) {
  HostMatrix matrix(rows, cols);
  for (index_t i = 0; i < rows; ++i) {
    for (index_t j = 0; j < cols; ++j) {
      matrix.at(i, j) = is_row_major ? data[i * ld + j] : data[i + j * ld];
    }
  }
  return matrix;
}

}  // namespace tessera::support
