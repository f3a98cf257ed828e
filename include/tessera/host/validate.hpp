// Checks of a call's arguments, in a fixed order and before any quick return. Pure; touches no
// device.
#pragma once

#include <cstdint>
#include <initializer_list>

#include "../arch/visibility.hpp"
#include "../matrix_view.hpp"
#include "../status.hpp"

namespace tessera {
namespace TESSERA_HIDDEN detail {

inline constexpr index_t max_extent = 2147483647;
// The last element of a view must start below 2^63 bytes.
inline constexpr index_t max_elements = 9223372036854775807LL / static_cast<index_t>(sizeof(float));

// A view as lines of contiguous elements, whatever its layout.
struct Lines {
  index_t count;   // lines
  index_t length;  // contiguous elements in each
  index_t ld;
};
template <class Element>
constexpr Lines lines_of(const MatrixView<Element, RowMajor>& v) {
  return {v.rows, v.cols, v.ld};
}
template <class Element>
constexpr Lines lines_of(const MatrixView<Element, ColMajor>& v) {
  return {v.cols, v.rows, v.ld};
}

constexpr Status check_sizes(Lines v, Operand operand) {
  if (v.count < 0 || v.length < 0) return {Reason::negative_size, operand};
  return {};
}

constexpr Status check_ld(Lines v, Operand operand) {
  if (v.ld < 1 || v.ld < v.length) return {Reason::invalid_ld, operand};
  return {};
}

constexpr Status check_limits(Lines v, Operand operand) {
  if (v.count > max_extent || v.length > max_extent) return {Reason::size_limit, operand};
  if (v.count > 1 && v.ld > (max_elements - v.length) / (v.count - 1)) {
    return {Reason::size_limit, operand};
  }
  return {};
}

inline Status check_pointer(const void* data, bool needed, Operand operand) {
  if (!needed) return {};
  if (data == nullptr) return {Reason::null_pointer, operand};
  if (reinterpret_cast<std::uintptr_t>(data) % sizeof(float) != 0) {
    return {Reason::misaligned_pointer, operand};
  }
  return {};
}

// True when A*B contributes to C; otherwise A and B are never read and may be null.
constexpr bool has_product(float alpha, index_t k) { return alpha != 0.0f && k != 0; }

// The first fault of C = alpha * A * B + beta * C, or success. A: m x k, B: k x n, C: m x n.
template <class ElementA, class LayoutA, class ElementB, class LayoutB, class ElementC,
          class LayoutC>
Status validate(float alpha, const MatrixView<ElementA, LayoutA>& a,
                const MatrixView<ElementB, LayoutB>& b, const MatrixView<ElementC, LayoutC>& c) {
  const Lines lines[] = {lines_of(a), lines_of(b), lines_of(c)};
  constexpr Operand operands[] = {Operand::a, Operand::b, Operand::c};
  for (const auto check : {check_sizes, check_ld}) {
    for (int i = 0; i < 3; ++i) {
      if (const Status status = check(lines[i], operands[i]); !status.ok()) return status;
    }
  }
  if (b.rows != a.cols) return {Reason::shape_mismatch, Operand::b};
  if (c.rows != a.rows || c.cols != b.cols) return {Reason::shape_mismatch, Operand::c};
  for (int i = 0; i < 3; ++i) {
    if (const Status status = check_limits(lines[i], operands[i]); !status.ok()) return status;
  }
  const bool writes = c.rows != 0 && c.cols != 0;
  const bool reads = writes && has_product(alpha, a.cols);
  if (const Status s = check_pointer(a.data, reads, Operand::a); !s.ok()) return s;
  if (const Status s = check_pointer(b.data, reads, Operand::b); !s.ok()) return s;
  return check_pointer(c.data, writes, Operand::c);
}

}  // namespace detail
}  // namespace tessera
