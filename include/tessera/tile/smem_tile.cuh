// SmemTile: one k-tile of an operand in shared memory, either mode contiguous.
#pragma once

#include "../arch/vector_access.cuh"
#include "tile_config.hpp"

namespace tessera::tile {

// MnExtent x KExtent floats; lines along the contiguous mode, `gap` floats apart. There is always
// room for gaps of smem_padding.
template <int MnExtent, int KExtent, Major major_, int gap = smem_padding>
struct SmemTile {
  static constexpr Major major = major_;
  static constexpr int mn_extent = MnExtent, k_extent = KExtent;
  static constexpr int floats = smem_tile_floats(MnExtent, KExtent, major);

  alignas(16) float data[floats];

  __device__ static constexpr int index(int mn, int k) {
    return major == Major::k ? mn * (KExtent + gap) + k : k * (MnExtent + gap) + mn;
  }

  // Writes Width elements that follow each other along `along`, first at (mn, k). One access if
  // that is the contiguous mode here, else Width scalar ones: a transposition.
  template <Major along, int Width>
  __device__ __forceinline__ void store(int mn, int k, const float (&reg)[Width]) {
    if constexpr (along == major) {
      arch::reg_to_mem<Width>(&data[index(mn, k)], reg);
    } else {
#pragma unroll
      for (int i = 0; i < Width; ++i) {
        data[index(along == Major::mn ? mn + i : mn, along == Major::k ? k + i : k)] = reg[i];
      }
    }
  }
};

// Fragments of Steps k-steps (from k on) of one operand: frag[s][i] = tile(position(i), k + s).
// Reads `Chunk` floats at a time along mn (position(i) .. position(i + Chunk - 1) are neighbours)
// from an mn-major tile, Steps floats at a time along k from a k-major one.
template <int Chunk, int Steps, int Extent, class Tile, class Position>
__device__ __forceinline__ void load_fragment(float (&frag)[Steps][Extent], const Tile& tile, int k,
                                              Position position) {
  if constexpr (Tile::major == Major::mn) {
#pragma unroll
    for (int s = 0; s < Steps; ++s) {
#pragma unroll
      for (int i = 0; i < Extent; i += Chunk) {
        arch::mem_to_reg<Chunk>(&frag[s][i], &tile.data[Tile::index(position(i), k + s)]);
      }
    }
  } else {
#pragma unroll
    for (int i = 0; i < Extent; ++i) {
      float line[Steps];
      arch::mem_to_reg<Steps>(line, &tile.data[Tile::index(position(i), k)]);
#pragma unroll
      for (int s = 0; s < Steps; ++s) frag[s][i] = line[s];
    }
  }
}

}  // namespace tessera::tile
