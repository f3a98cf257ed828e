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

// What a policy's `select` passes on with the policy it picks.
struct Choice {
  int slices = 0;          // slices of K; 0: as many as the picked policy wants
  bool workspace = false;  // they are added in one even where a cluster could
  const char* reason = "";
  // Microseconds by the cost model, and the best of the other policies; 0 where none was asked.
  double predicted_us = 0.0;
  const char* runner_up = "";
  double runner_up_us = 0.0;
};

namespace TESSERA_HIDDEN detail {
constexpr index_t ceil_div(index_t x, index_t y) { return x / y + (x % y != 0); }
}  // namespace detail

}  // namespace tessera
