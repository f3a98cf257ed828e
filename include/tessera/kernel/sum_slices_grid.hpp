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

// What a thread of sum_slices_kernel loads before it adds: a sum of many slices waits for loads,
// not for additions.
inline constexpr int sum_slices_floats = 32;

// How often it waits, by the floats of an access.
constexpr int waits_of_sum(int slices, int width) {
  const int at_once = sum_slices_floats / width;
  return (slices + at_once - 1) / at_once;
}

// Whether sum_many_slices_kernel adds them: 128 x 128 in 264 slices takes it 5.6 us, and
// sum_slices_kernel, of which few threads would each wait for many loads, 18.3; 256 x 256 in 33
// slices 5.4 and 3.6.
constexpr bool are_many_slices(index_t elements, int slices) {
  constexpr index_t elements_per_slice = 400;
  return slices > 12 && elements <= elements_per_slice * slices;
}

inline constexpr int many_slices_elements = 32;  // of C, in a block

constexpr index_t many_slices_grid(index_t elements) {
  return (elements + many_slices_elements - 1) / many_slices_elements;
}

}  // namespace kernel
}  // namespace tessera
