// MatrixView: layout and transposition are one thing (contract 2 and DESIGN.md section 1).
#include <gtest/gtest.h>

#include <tessera/matrix_view.hpp>
#include <type_traits>

namespace tessera {
namespace {

float data[64];

TEST(MatrixView, PackedRowMajorHasColsAsLd) {
  const auto v = row_major(data, 3, 5);
  static_assert(std::is_same_v<decltype(v), const MatrixView<float, RowMajor>>);
  EXPECT_EQ(v.data, data);
  EXPECT_EQ(v.rows, 3);
  EXPECT_EQ(v.cols, 5);
  EXPECT_EQ(v.ld, 5);
}

TEST(MatrixView, PackedColMajorHasRowsAsLd) {
  const auto v = col_major(data, 3, 5);
  static_assert(std::is_same_v<decltype(v), const MatrixView<float, ColMajor>>);
  EXPECT_EQ(v.rows, 3);
  EXPECT_EQ(v.cols, 5);
  EXPECT_EQ(v.ld, 3);
}

TEST(MatrixView, GivenLdIsKept) {
  EXPECT_EQ(row_major(data, 3, 5, 8).ld, 8);
  EXPECT_EQ(col_major(data, 3, 5, 8).ld, 8);
  // Also one that gemm() will refuse: a view checks nothing.
  EXPECT_EQ(row_major(data, 3, 5, 1).ld, 1);
}

TEST(MatrixView, PackedEmptyMatricesHaveAnAcceptableLd) {
  EXPECT_EQ(row_major(data, 0, 0).ld, 1);
  EXPECT_EQ(row_major(data, 3, 0).ld, 1);
  EXPECT_EQ(col_major(data, 0, 5).ld, 1);
}

TEST(MatrixView, TransposedSwapsExtentsAndLayoutAndKeepsMemory) {
  const auto t = transposed(row_major(data, 3, 5, 8));
  static_assert(std::is_same_v<decltype(t), const MatrixView<float, ColMajor>>);
  EXPECT_EQ(t.data, data);
  EXPECT_EQ(t.rows, 5);
  EXPECT_EQ(t.cols, 3);
  EXPECT_EQ(t.ld, 8);
}

TEST(MatrixView, TransposedTwiceIsTheSame) {
  const auto v = col_major(data, 3, 5, 8);
  const auto t = transposed(transposed(v));
  static_assert(std::is_same_v<decltype(t), const MatrixView<float, ColMajor>>);
  EXPECT_EQ(t.data, v.data);
  EXPECT_EQ(t.rows, v.rows);
  EXPECT_EQ(t.cols, v.cols);
  EXPECT_EQ(t.ld, v.ld);
}

TEST(MatrixView, ConstElementsStayConst) {
  const float* input = data;
  static_assert(
      std::is_same_v<decltype(row_major(input, 2, 2)), MatrixView<const float, RowMajor>>);
  static_assert(std::is_same_v<decltype(transposed(row_major(input, 2, 2))),
                               MatrixView<const float, ColMajor>>);
}

TEST(MatrixView, WorksInConstantExpressions) {
  constexpr auto v = transposed(row_major(static_cast<float*>(nullptr), 3, 5, 8));
  static_assert(v.rows == 5 && v.cols == 3 && v.ld == 8 && v.data == nullptr);
}

}  // namespace
}  // namespace tessera
