// Macros that kernels in the wild define before they include a library.
#include "hostile_macros.hpp"
//
#include <tessera/gemm.cuh>

tessera::Status multiply(const float* a, const float* b, float* c) {
  return tessera::gemm(1.0f, tessera::row_major(a, 100, 70), tessera::row_major(b, 70, 90), 0.0f,
                       tessera::col_major(c, 100, 90));
}
