// Slices of K: which k-tiles a block multiplies where several blocks share one tile of C.
#pragma once

#include "../arch/compiler.cuh"
#include "../matrix_view.hpp"

namespace tessera::kernel {

// Slice s of S covers the k-tiles [s * T / S, (s + 1) * T / S) of T, rounded down. Its sum is the
// ascending fma chain from 0 over its own k; an element of C is the sum of its slices, ascending:
// ((s0 + s1) + s2) + ...
struct Slice {
  int tile;    // number of the block tile
  int number;  // s
  index_t k;   // first k
  int k_left;  // elements along k
  int k_tiles;
};

// Neighbouring blocks are the slices of one tile. Without Splits: the whole K.
template <bool Splits>
__device__ __forceinline__ Slice slice_of(int block, int slices, int k, int k_tiles, int block_k) {
  if constexpr (!Splits) {
    return {block, 0, 0, k, k_tiles};
  } else {
    const int number = block % slices;
    const int first = static_cast<int>(index_t{number} * k_tiles / slices);
    const int last = static_cast<int>((index_t{number} + 1) * k_tiles / slices);
    const index_t begin = index_t{first} * block_k;
    index_t end = index_t{last} * block_k;
    if (end > k) end = k;
    return {block / slices, number, begin, static_cast<int>(end - begin), last - first};
  }
}

}  // namespace tessera::kernel
