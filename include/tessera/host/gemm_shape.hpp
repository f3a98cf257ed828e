// GemmShape: the extents of a problem, by which `automatic` chooses, and its Choice. (Apart from
// plan.hpp, whose standard headers NVRTC does not have.)
#pragma once

#include "../arch/visibility.hpp"
#include "../matrix_view.hpp"

namespace tessera {

// Extents of C = A * B as the caller states them: A is m x k, B is k x n, C is m x n.
struct GemmShape {
  index_t m, n, k;
};

// Whether 16-byte accesses fit: those of A and B, and those of C as well.
struct Vectorized {
  bool operands, all;

  constexpr explicit(false) Vectorized(bool all_of_them)
      : operands(all_of_them), all(all_of_them) {}
  constexpr Vectorized(bool of_operands, bool of_c)
      : operands(of_operands), all(of_operands && of_c) {}
};

// The last rows and columns of C, where they are products of their own: see host/rim.hpp. The
// columns are those of the other rows.
struct Rim {
  index_t rows = 0, cols = 0;

  [[nodiscard]] constexpr bool empty() const { return rows == 0 && cols == 0; }
};

// What a policy's `select` passes on with the policy it picks.
struct Choice {
  int slices = 0;          // slices of K; 0: as many as the picked policy wants
  bool workspace = false;  // they are added in one even where a cluster could
  Rim rim{};               // left to the rim_policy of the policy that chooses
  int rim_slices = 0;      // of its K; 0: as many as the rim_policy wants
  const char* reason = "";
  // Microseconds by the cost model, and the best of the other policies; 0 where none was asked.
  double predicted_us = 0.0;
  const char* runner_up = "";
  double runner_up_us = 0.0;
};

namespace TESSERA_HIDDEN detail {
constexpr index_t ceil_div(index_t x, index_t y) { return x / y + (x % y != 0); }

// Without its rim.
constexpr GemmShape inner_shape(const GemmShape& shape, const Rim& rim) {
  return {shape.m - rim.rows, shape.n - rim.cols, shape.k};
}
}  // namespace detail

}  // namespace tessera
