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

// Neighbouring blocks are the slices of one tile. Without Splits: the whole K. FewDivisions: the
// same by 32-bit divisions, and none where there is one slice.
template <bool Splits, bool FewDivisions = false>
__device__ __forceinline__ Slice slice_of(int block, int slices, int k, int k_tiles, int block_k) {
  if constexpr (!Splits) {
    return {block, 0, 0, k, k_tiles};
  } else {
    if (FewDivisions && slices == 1) return {block, 0, 0, k, k_tiles};
    const int number = block % slices;
    int first = 0, last = 0;
    if constexpr (FewDivisions) {
      // s * T / S = s * (T / S) + s * (T % S) / S; at most 2^16 slices.
      const auto count = static_cast<unsigned>(slices), s = static_cast<unsigned>(number);
      const unsigned each = static_cast<unsigned>(k_tiles) / count;
      const unsigned rest = static_cast<unsigned>(k_tiles) % count;
      first = static_cast<int>(s * each + s * rest / count);
      last = static_cast<int>((s + 1) * each + (s + 1) * rest / count);
    } else {
      first = static_cast<int>(index_t{number} * k_tiles / slices);
      last = static_cast<int>((index_t{number} + 1) * k_tiles / slices);
    }
    const index_t begin = index_t{first} * block_k;
    index_t end = index_t{last} * block_k;
    if (end > k) end = k;
    return {block / slices, number, begin, static_cast<int>(end - begin), last - first};
  }
}

}  // namespace tessera::kernel
