// TileLoader: brings the k-tiles of one operand from gmem through registers to smem, by all threads
// of a block. Verbs: gmem_to_reg, reg_to_smem, next.
#pragma once

#include "../arch/opaque.cuh"
#include "../arch/vector_access.cuh"
#include "../matrix_view.hpp"
#include "smem_tile.cuh"
#include "tile_config.hpp"

namespace tessera::tile {

// One operand of one block tile in gmem: `mn` lines or columns from the block's first one on.
struct GmemTile {
  const float* data;  // element (0, 0) of the block's strip of the operand
  index_t ld;
  int mn_left;  // elements of the operand along mn from there on; guards compare against it
  int k_left;   // elements along k
};

// along: the contiguous mode in gmem. Width: floats per access. Guarded: elements beyond mn_left or
// k_left are not read and become `padding`.
template <Major along, int MnExtent, int KExtent, int Threads, int Width, bool Guarded>
class TileLoader {
  static constexpr int line_length = along == Major::k ? KExtent : MnExtent;
  static constexpr int line_count = along == Major::k ? MnExtent : KExtent;
  static_assert(line_length % Width == 0, "a line of the tile must be whole accesses");
  static constexpr int accesses_per_line = line_length / Width;
  static constexpr int accesses = line_count * accesses_per_line;
  static constexpr int accesses_per_thread = (accesses + Threads - 1) / Threads;
  static constexpr bool ragged = accesses % Threads != 0;  // some threads idle in the last round
  // Every access of a thread stands at the same place in its line, whole lines further on.
  static constexpr bool strided = Threads % accesses_per_line == 0;
  // A line takes whole rounds of all threads: which line is known at compile time.
  static constexpr bool in_rounds = accesses_per_line % Threads == 0;

 public:
  __device__ __forceinline__ TileLoader(const GmemTile& tile, int thread, float padding)
      : tile_(tile), thread_(thread), padding_(padding) {
    if constexpr (strided) tile_.data += line(0) * tile.ld + place(0);
  }

  // Requests the current k-tile.
  __device__ __forceinline__ void gmem_to_reg() {
    if constexpr (!Guarded) {
      for_each_access([&](int i) { arch::gmem_to_reg<Width>(reg_[i], source(i)); });
    } else {
      load_inside();
    }
  }

  __device__ __forceinline__ void reg_to_smem(SmemTile<MnExtent, KExtent, Major::k>& smem) const {
    store(smem);
  }
  __device__ __forceinline__ void reg_to_smem(SmemTile<MnExtent, KExtent, Major::mn>& smem) const {
    store(smem);
  }

  // Steps to the next k-tile.
  __device__ __forceinline__ void next() {
    tile_.data += along == Major::k ? index_t{KExtent} : KExtent * tile_.ld;
    if constexpr (Guarded) tile_.k_left -= KExtent;
  }

 private:
  // Line and place in it of this thread's i-th access. Adjacent threads read adjacent addresses.
  __device__ __forceinline__ int line(int i) const {
    if constexpr (in_rounds) return i / (accesses_per_line / Threads);
    return strided ? thread_ / accesses_per_line + i * (Threads / accesses_per_line)
                   : (thread_ + i * Threads) / accesses_per_line;
  }
  __device__ __forceinline__ int place(int i) const {
    if constexpr (in_rounds) return (thread_ + i % (accesses_per_line / Threads) * Threads) * Width;
    return (strided ? thread_ : thread_ + i * Threads) % accesses_per_line * Width;
  }

  __device__ __forceinline__ const float* source(int i) const {
    // An int counts the lines of a tile. NOLINTNEXTLINE(bugprone-implicit-widening*)
    if constexpr (strided) return tile_.data + i * (Threads / accesses_per_line) * tile_.ld;
    // Opaque, so that the lines' addresses are made anew for each k-tile: kept, they spill.
    const index_t ld = in_rounds ? arch::opaque(tile_.ld) : tile_.ld;
    return tile_.data + line(i) * ld + place(i);
  }

  template <class Function>
  __device__ __forceinline__ void for_each_access(Function f) const {
#pragma unroll
    for (int i = 0; i < accesses_per_thread; ++i) {
      if (ragged && thread_ + i * Threads >= accesses) break;
      f(i);
    }
  }

  __device__ __forceinline__ void load_inside() {
    const int lines_left = along == Major::k ? tile_.mn_left : tile_.k_left;
    const int length_left = along == Major::k ? tile_.k_left : tile_.mn_left;
    for_each_access([&](int i) {
#pragma unroll
      for (int v = 0; v < Width; ++v) reg_[i][v] = padding_;
      // The contiguous extent is whole accesses (the plan sees to it): an access is inside or not.
      if (line(i) < lines_left && place(i) < length_left) {
        arch::gmem_to_reg<Width>(reg_[i], source(i));
      }
    });
  }

  template <class Smem>
  __device__ __forceinline__ void store(Smem& smem) const {
    for_each_access([&](int i) {
      smem.template store<along>(along == Major::k ? line(i) : place(i),
                                 along == Major::k ? place(i) : line(i), reg_[i]);
    });
  }

  GmemTile tile_;
  int thread_;
  float padding_;
  float reg_[accesses_per_thread][Width] = {};
};

}  // namespace tessera::tile
