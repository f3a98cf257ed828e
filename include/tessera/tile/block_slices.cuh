// SlicedK: how the threads of a block share its K, for mainloop streamed.
#pragma once

#include "../arch/compiler.cuh"
#include "../matrix_view.hpp"

namespace tessera::tile {

// Slice s of S, a power of two, covers the k-tiles [s * T / S, (s + 1) * T / S) of the block's T,
// rounded down. Each is an ascending fma chain from 0; the block's sum is that of its slices,
// ascending: ((s0 + s1) + s2) + ... Where several blocks share a tile of C, each of their slices of
// K (kernel/slice.cuh) is such a sum.
struct SlicedK {
  int k, k_tiles, block_k;  // elements and k-tiles of the block, elements of a k-tile
  int log2_count;

  // In 32 bits: with T = q * S + r, s * T / S is s * q + s * r / S, and S is small.
  [[nodiscard]] __device__ __forceinline__ int first_k(int s) const {
    const int per_slice = k_tiles >> log2_count, rest = k_tiles - (per_slice << log2_count);
    const int first = s * per_slice + (s * rest >> log2_count);
    const unsigned at = static_cast<unsigned>(first) * static_cast<unsigned>(block_k);
    return at < static_cast<unsigned>(k) ? static_cast<int>(at) : k;
  }
  [[nodiscard]] __device__ __forceinline__ int length(int s) const {
    return first_k(s + 1) - first_k(s);
  }
  // Of the longest slice.
  [[nodiscard]] __device__ __forceinline__ int most_k_tiles() const {
    return (k_tiles + (1 << log2_count) - 1) >> log2_count;
  }
};

// Stream i of a block is the elements of one row of its tile (a line along the other mode than k)
// in one slice: the rows of slice 0 come first, then those of slice 1.
struct StreamMap {
  int log2_rows;

  [[nodiscard]] __device__ __forceinline__ int row(int stream) const {
    return stream & ((1 << log2_rows) - 1);
  }
  [[nodiscard]] __device__ __forceinline__ int slice(int stream) const {
    return stream >> log2_rows;
  }
};

}  // namespace tessera::tile
