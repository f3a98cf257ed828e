// MatrixView: pointer, extents and leading dimension of a matrix in device memory. Owns nothing.
#pragma once

namespace tessera {

// Extents, leading dimensions and offsets between tiles. (Not std::int64_t: the kernel headers that
// include this file pull in no standard header.)
using index_t = long long;

// Element (row, col) lies at data[row * ld + col].
struct RowMajor {};
// Element (row, col) lies at data[row + col * ld].
struct ColMajor {};

template <class Layout>
struct TransposedLayout;
template <>
struct TransposedLayout<RowMajor> {
  using type = ColMajor;
};
template <>
struct TransposedLayout<ColMajor> {
  using type = RowMajor;
};

// A rows x cols matrix of Element. `ld`, in elements, is the distance between rows (RowMajor) or
// columns (ColMajor) and at least max(1, contiguous extent). Nothing is checked here: gemm() and
// plan() check.
template <class Element, class Layout>
struct MatrixView {
  Element* data;
  index_t rows;
  index_t cols;
  index_t ld;
};

template <class Element>
[[nodiscard]] constexpr MatrixView<Element, RowMajor> row_major(Element* data, index_t rows,
                                                                index_t cols, index_t ld) {
  return {data, rows, cols, ld};
}
// Packed: rows follow each other without padding.
template <class Element>
[[nodiscard]] constexpr MatrixView<Element, RowMajor> row_major(Element* data, index_t rows,
                                                                index_t cols) {
  return {data, rows, cols, cols > 1 ? cols : 1};
}

template <class Element>
[[nodiscard]] constexpr MatrixView<Element, ColMajor> col_major(Element* data, index_t rows,
                                                                index_t cols, index_t ld) {
  return {data, rows, cols, ld};
}
// Packed: columns follow each other without padding.
template <class Element>
[[nodiscard]] constexpr MatrixView<Element, ColMajor> col_major(Element* data, index_t rows,
                                                                index_t cols) {
  return {data, rows, cols, rows > 1 ? rows : 1};
}

// The same memory seen as the transposed matrix; moves no data.
template <class Element, class Layout>
[[nodiscard]] constexpr MatrixView<Element, typename TransposedLayout<Layout>::type> transposed(
    MatrixView<Element, Layout> view) {
  return {view.data, view.cols, view.rows, view.ld};
}

}  // namespace tessera
