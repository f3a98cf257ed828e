// Contract 3: checks come first, in a fixed order and before any quick return; contract 2: where
// A, B or C may be null. No device.
#include <gtest/gtest.h>

#include <cstdint>
#include <tessera/host/validate.hpp>

namespace tessera {

void PrintTo(const Status& status, std::ostream* os) { *os << status.message(); }

namespace {

using detail::max_extent;
using detail::validate;

float data[64];
float* const none = nullptr;

Status refused(Reason reason, Operand operand) { return {reason, operand}; }

// A valid m x n x k problem of packed row-major views over `data` (validation reads no memory).
Status validate_packed(index_t m, index_t n, index_t k) {
  return validate(1.0f, row_major(data, m, k), row_major(data, k, n), row_major(data, m, n));
}

TEST(Validate, AcceptsAPackedProblem) { EXPECT_TRUE(validate_packed(2, 3, 4).ok()); }

// Case 26: M x N x K = 2 x 3 x 4, the minimum of every ld in three sets of layouts.
template <class MakeA, class MakeB, class MakeC>
void expect_minimum(index_t lda, index_t ldb, index_t ldc, MakeA a, MakeB b, MakeC c) {
  EXPECT_EQ(validate(1.0f, a(lda), b(ldb), c(ldc)), Status());
  EXPECT_EQ(validate(1.0f, a(lda - 1), b(ldb), c(ldc)), refused(Reason::invalid_ld, Operand::a));
  EXPECT_EQ(validate(1.0f, a(lda), b(ldb - 1), c(ldc)), refused(Reason::invalid_ld, Operand::b));
  EXPECT_EQ(validate(1.0f, a(lda), b(ldb), c(ldc - 1)), refused(Reason::invalid_ld, Operand::c));
  EXPECT_EQ(validate(1.0f, a(lda + 1), b(ldb + 1), c(ldc + 1)), Status());
}

auto rows_of(index_t rows, index_t cols) {
  return [=](index_t ld) { return row_major(data, rows, cols, ld); };
}
auto cols_of(index_t rows, index_t cols) {
  return [=](index_t ld) { return col_major(data, rows, cols, ld); };
}
auto transposed_rows_of(index_t rows, index_t cols) {
  return [=](index_t ld) { return transposed(row_major(data, rows, cols, ld)); };
}

TEST(Validate, MinimumLdRowMajor) {
  expect_minimum(4, 3, 3, rows_of(2, 4), rows_of(4, 3), rows_of(2, 3));
}
TEST(Validate, MinimumLdRowMajorBothTransposed) {
  expect_minimum(2, 4, 3, transposed_rows_of(4, 2), transposed_rows_of(3, 4), rows_of(2, 3));
}
TEST(Validate, MinimumLdColMajor) {
  expect_minimum(2, 4, 2, cols_of(2, 4), cols_of(4, 3), cols_of(2, 3));
}

TEST(Validate, LdIsAtLeastOneEvenOfEmptyMatrices) {
  EXPECT_EQ(validate(1.0f, row_major(data, 2, 0, 0), row_major(data, 0, 3), row_major(data, 2, 3)),
            refused(Reason::invalid_ld, Operand::a));
  EXPECT_EQ(
      validate(1.0f, row_major(data, 2, 0, 1), row_major(data, 0, 3, 3), row_major(data, 2, 3)),
      Status());
  EXPECT_EQ(validate(1.0f, row_major(data, 0, 4), row_major(data, 4, 0, 0), row_major(data, 0, 0)),
            refused(Reason::invalid_ld, Operand::b));
  EXPECT_EQ(validate(1.0f, row_major(data, 2, 4, -4), row_major(data, 4, 3), row_major(data, 2, 3)),
            refused(Reason::invalid_ld, Operand::a));
}

TEST(Validate, NegativeSizes) {
  const auto view = [](index_t rows, index_t cols) { return row_major(data, rows, cols, 8); };
  EXPECT_EQ(validate(1.0f, view(-1, 4), view(4, 3), view(-1, 3)),
            refused(Reason::negative_size, Operand::a));
  EXPECT_EQ(validate(1.0f, view(2, -1), view(-1, 3), view(2, 3)),
            refused(Reason::negative_size, Operand::a));
  EXPECT_EQ(validate(1.0f, view(2, 4), view(4, -1), view(2, -1)),
            refused(Reason::negative_size, Operand::b));
  EXPECT_EQ(validate(1.0f, view(2, 4), view(4, 3), view(2, -3)),
            refused(Reason::negative_size, Operand::c));
}

TEST(Validate, ExtentsMustAgree) {
  EXPECT_EQ(validate(1.0f, row_major(data, 2, 4), row_major(data, 5, 3), row_major(data, 2, 3)),
            refused(Reason::shape_mismatch, Operand::b));
  EXPECT_EQ(validate(1.0f, row_major(data, 2, 4), row_major(data, 4, 3), row_major(data, 3, 3)),
            refused(Reason::shape_mismatch, Operand::c));
  EXPECT_EQ(validate(1.0f, row_major(data, 2, 4), row_major(data, 4, 3), row_major(data, 2, 2)),
            refused(Reason::shape_mismatch, Operand::c));
}

TEST(Validate, OrderOfChecks) {
  // Each call has the fault named and every later one.
  const auto c = row_major(none, 3, 3, 3);
  EXPECT_EQ(validate(1.0f, row_major(none, 2, 4, 1), row_major(none, -5, 3), c),
            refused(Reason::negative_size, Operand::b));
  EXPECT_EQ(validate(1.0f, row_major(none, 2, 4), row_major(none, 5, 3, 2), c),
            refused(Reason::invalid_ld, Operand::b));
  EXPECT_EQ(validate(1.0f, row_major(none, 2, max_extent + 1), row_major(none, 5, 3), c),
            refused(Reason::shape_mismatch, Operand::b));
  EXPECT_EQ(
      validate(1.0f, row_major(none, 3, max_extent + 1), row_major(none, max_extent + 1, 3), c),
      refused(Reason::size_limit, Operand::a));
  EXPECT_EQ(validate(1.0f, row_major(none, 3, 4), row_major(none, 4, 3), c),
            refused(Reason::null_pointer, Operand::a));
}

TEST(Validate, ChecksComeBeforeQuickReturns) {
  // M = 0, N = 0, K = 0 and alpha = 0 would each return without work.
  EXPECT_EQ(validate(1.0f, row_major(none, 0, 4, 3), row_major(none, 4, 3), row_major(none, 0, 3)),
            refused(Reason::invalid_ld, Operand::a));
  EXPECT_EQ(validate(1.0f, row_major(none, 2, 4), row_major(none, 4, 0), row_major(none, 2, 0, 0)),
            refused(Reason::invalid_ld, Operand::c));
  EXPECT_EQ(validate(1.0f, row_major(none, 2, 0), row_major(none, 0, 3, 2), row_major(data, 2, 3)),
            refused(Reason::invalid_ld, Operand::b));
  EXPECT_EQ(validate(0.0f, row_major(none, 2, 4), row_major(none, 3, 3), row_major(data, 2, 3)),
            refused(Reason::shape_mismatch, Operand::b));
  EXPECT_EQ(validate(0.0f, row_major(none, 2, -4), row_major(none, -4, 3), row_major(data, 2, 3)),
            refused(Reason::negative_size, Operand::a));
}

TEST(Validate, NullWhereDataIsNeeded) {
  EXPECT_EQ(validate(1.0f, row_major(none, 2, 4), row_major(data, 4, 3), row_major(data, 2, 3)),
            refused(Reason::null_pointer, Operand::a));
  EXPECT_EQ(validate(1.0f, row_major(data, 2, 4), row_major(none, 4, 3), row_major(data, 2, 3)),
            refused(Reason::null_pointer, Operand::b));
  EXPECT_EQ(validate(1.0f, row_major(data, 2, 4), row_major(data, 4, 3), row_major(none, 2, 3)),
            refused(Reason::null_pointer, Operand::c));
  EXPECT_EQ(validate(0.0f, row_major(data, 2, 4), row_major(data, 4, 3), row_major(none, 2, 3)),
            refused(Reason::null_pointer, Operand::c));
  EXPECT_EQ(validate(1.0f, row_major(none, 2, 0), row_major(none, 0, 3), row_major(none, 2, 3)),
            refused(Reason::null_pointer, Operand::c));
}

TEST(Validate, NullWhereNoDataIsNeeded) {
  for (const float alpha : {0.0f, -0.0f}) {
    EXPECT_EQ(validate(alpha, row_major(none, 2, 4), row_major(none, 4, 3), row_major(data, 2, 3)),
              Status());
  }
  EXPECT_EQ(validate(1.0f, row_major(none, 2, 0), row_major(none, 0, 3), row_major(data, 2, 3)),
            Status());
  EXPECT_EQ(validate(1.0f, row_major(none, 0, 4), row_major(none, 4, 3), row_major(none, 0, 3)),
            Status());
  EXPECT_EQ(validate(1.0f, row_major(none, 2, 4), row_major(none, 4, 0), row_major(none, 2, 0)),
            Status());
}

TEST(Validate, PointerMustBeAMultipleOfAFloat) {
  auto* const odd = reinterpret_cast<float*>(reinterpret_cast<std::uintptr_t>(data) + 2);
  EXPECT_EQ(validate(1.0f, row_major(odd, 2, 4), row_major(data, 4, 3), row_major(data, 2, 3)),
            refused(Reason::misaligned_pointer, Operand::a));
  EXPECT_EQ(validate(1.0f, row_major(data, 2, 4), row_major(odd, 4, 3), row_major(data, 2, 3)),
            refused(Reason::misaligned_pointer, Operand::b));
  EXPECT_EQ(validate(1.0f, row_major(data, 2, 4), row_major(data, 4, 3), row_major(odd, 2, 3)),
            refused(Reason::misaligned_pointer, Operand::c));
  for (int offset = 0; offset < 4; ++offset) {
    EXPECT_EQ(validate(1.0f, row_major(data + offset, 2, 4), row_major(data, 4, 3),
                       row_major(data, 2, 3)),
              Status());
  }
}

TEST(Validate, ExtentsUpToTheLimit) {
  EXPECT_EQ(validate_packed(max_extent, 1, 1), Status());
  EXPECT_EQ(validate_packed(1, max_extent, 1), Status());
  EXPECT_EQ(validate_packed(1, 1, max_extent), Status());
  // Both at once make C span 2^64 bytes.
  EXPECT_EQ(validate_packed(max_extent, max_extent, 1), refused(Reason::size_limit, Operand::c));
  EXPECT_EQ(validate_packed(max_extent + 1, 1, 1), refused(Reason::size_limit, Operand::a));
  EXPECT_EQ(validate_packed(1, max_extent + 1, 1), refused(Reason::size_limit, Operand::b));
  EXPECT_EQ(validate_packed(1, 1, max_extent + 1), refused(Reason::size_limit, Operand::a));
}

TEST(Validate, AViewMustSpanLessThanTheAddressSpace) {
  // Three lines, the last of which would start at 2 * ld floats.
  const index_t fits = (detail::max_elements - 4) / 2;
  const auto b = row_major(data, 4, 3);
  const auto c = row_major(data, 3, 3);
  EXPECT_EQ(validate(1.0f, row_major(data, 3, 4, fits), b, c), Status());
  EXPECT_EQ(validate(1.0f, row_major(data, 3, 4, fits + 1), b, c),
            refused(Reason::size_limit, Operand::a));
  EXPECT_EQ(validate(1.0f, row_major(data, 3, 4, INT64_MAX), b, c),
            refused(Reason::size_limit, Operand::a));
  // A single line has no distance to the next.
  EXPECT_EQ(validate(1.0f, row_major(data, 1, 4, INT64_MAX), b, row_major(data, 1, 3)), Status());
}

}  // namespace
}  // namespace tessera
