// GemmShape: the extents of a problem, by which `automatic` chooses. (Apart from plan.hpp, whose
// standard headers NVRTC does not have.)
#pragma once

#include "../arch/visibility.hpp"
#include "../matrix_view.hpp"

namespace tessera {

// Extents of C = A * B as the caller states them: A is m x k, B is k x n, C is m x n.
struct GemmShape {
  index_t m, n, k;
};

namespace TESSERA_HIDDEN detail {
constexpr index_t ceil_div(index_t x, index_t y) { return x / y + (x % y != 0); }
}  // namespace detail

}  // namespace tessera
