// LineCopier: brings the k-tiles of one operand from gmem to smem by cp.async, by all threads of a
// block, and leaves them as they lie in gmem: no transposition, so that copies are wide either way.
#pragma once

#include "../arch/async_copy.cuh"
#include "smem_tile.cuh"
#include "tile_loader.cuh"

namespace tessera::tile {

// along: the contiguous mode in gmem and in smem. Width: floats per copy. Elements beyond mn_left
// are not copied: what is multiplied with them is never stored.
template <Major along, int MnExtent, int KExtent, int Threads, int Width>
class LineCopier {
  static constexpr int line_length = along == Major::k ? KExtent : MnExtent;
  static constexpr int line_count = along == Major::k ? MnExtent : KExtent;
  static_assert(line_length % Width == 0, "a line of the tile must be whole accesses");
  static constexpr int line_accesses = line_length / Width;
  static constexpr int run = line_accesses < Threads ? line_accesses : Threads;  // along a line
  static constexpr int place_step = run * Width, line_step = Threads / run;
  static_assert(Threads % run == 0 && line_length % place_step == 0,
                "the threads must divide a line of the tile, or lines the threads, evenly");
  // Accesses of a thread in straight code: at most 16.
  static constexpr int straight_lines =
      line_length / place_step < 16 ? 16 * place_step / line_length : 1;
  static constexpr bool ragged = line_count % line_step != 0;  // some threads idle at the end

 public:
  using Smem = SmemTile<MnExtent, KExtent, along>;

  __device__ __forceinline__ LineCopier(const GmemTile& tile, int thread)
      : ld_(tile.ld),
        mn_left_(tile.mn_left),
        k_left_(tile.k_left),
        line_(thread / run),
        place_(thread % run * Width) {
    data_ = tile.data + line_ * ld_ + place_;
  }

  // Copies the current k-tile, `padding` beyond the end of k, and steps to the next.
  __device__ __forceinline__ void copy(Smem& smem, float padding) {
    // The residue of k apart and in a rolled loop: it comes once.
    if (k_left_ >= KExtent) {
      copy_lines<straight_lines>(
          smem, [](int) { return true; }, padding);
    } else {
      copy_lines<1>(
          smem, [this](int k) { return k < k_left_; }, padding);
    }
    data_ += along == Major::k ? index_t{KExtent} : KExtent * ld_;
    k_left_ -= KExtent;
  }

 private:
  // Unroll: lines of this thread in straight code.
  template <int Unroll, class Inside>
  __device__ __forceinline__ void copy_lines(Smem& smem, Inside inside, float padding) const {
    const float* source = data_;
#pragma unroll Unroll
    for (int i = 0; i < line_count; i += line_step) {
      const int line = line_ + i;
      if (ragged && line >= line_count) break;
#pragma unroll
      for (int j = 0; j < line_length; j += place_step) {
        const int place = place_ + j;
        const int mn = along == Major::k ? line : place, k = along == Major::k ? place : line;
        float* target = &smem.data[Smem::index(mn, k)];
        // The contiguous extent is whole accesses (the plan sees to it): inside or not.
        if (!inside(k)) {
#pragma unroll
          for (int v = 0; v < Width; ++v) target[v] = padding;
        } else if (mn < mn_left_) {
          copy_access(target, source + j);
        }
      }
      source += line_step * ld_;
    }
  }

  __device__ __forceinline__ static void copy_access(float* target, const float* source) {
    if constexpr (arch::has_async_copy) {
      arch::copy_async<Width, along == Major::k>(target, source);
    } else {
      float reg[Width];
      arch::gmem_to_reg<Width>(reg, source);
      arch::reg_to_mem<Width>(target, reg);
    }
  }

  const float* data_;  // of this thread's first access
  index_t ld_;
  int mn_left_, k_left_;
  int line_, place_;  // of this thread's first access
};

}  // namespace tessera::tile
