// The grid of the kernel that sums slices of K: see sum_slices_kernel.cuh.
#pragma once

#include "../arch/visibility.hpp"
#include "../matrix_view.hpp"

namespace tessera {
namespace TESSERA_HIDDEN kernel {

inline constexpr int sum_slices_threads = 256;

// Blocks for so many accesses of C, one a thread as far as the limit goes; then they loop.
constexpr index_t sum_slices_grid(index_t accesses) {
  constexpr index_t limit = 65536;
  const index_t blocks = (accesses + sum_slices_threads - 1) / sum_slices_threads;
  return blocks < limit ? blocks : limit;
}

}  // namespace kernel
}  // namespace tessera
