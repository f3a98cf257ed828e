// TileCopier: brings the k-tiles of one operand from gmem to smem, by the producer threads of a
// block. Verbs: copy, copy_first, next.
#pragma once

#include "../arch/async_copy.cuh"
#include "../arch/opaque.cuh"
#include "smem_tile.cuh"
#include "tile_config.hpp"
#include "tile_loader.cuh"

namespace tessera::tile {

// along: the contiguous mode in gmem; in smem it is always mn, so an operand that is contiguous
// along k is transposed: float by float by cp.async, or through registers, which takes less than
// half the smem cycles but the latency of gmem is then the thread's. Width: floats per access to
// gmem. Guarded: accesses beyond mn_left repeat the last line inside, whose products are never
// stored, so that only the first k-tile, which takes the residue of k, needs a guard.
template <Major along, int MnExtent, int KExtent, int Threads, int Width, bool Guarded,
          bool ThroughRegisters>
class TileCopier {
  // Along k, neighbours take 8 k of one line and their neighbours the next lines: whole 32-byte
  // sectors from gmem, and 32 different banks in smem.
  static constexpr int width_mn = along == Major::k ? 1 : Width;
  static constexpr int line_accesses = along == Major::k ? 8 / Width : MnExtent / Width;
  static constexpr int run = line_accesses < Threads ? line_accesses : Threads;  // along a line
  static constexpr int mn_step = along == Major::k ? Threads / run : run * Width;
  static constexpr int k_step = along == Major::k ? run * Width : Threads / run;
  static_assert(Threads % run == 0 && MnExtent % mn_step == 0 && KExtent % k_step == 0,
                "the producers must divide a tile of A and of B evenly");

 public:
  using Smem = SmemTile<MnExtent, KExtent, Major::mn>;
  static constexpr bool through_registers = ThroughRegisters;

  __device__ __forceinline__ TileCopier(const GmemTile& tile, int thread)
      : ld_(tile.ld),
        last_(tile.mn_left - width_mn),
        mn_(along == Major::k ? thread / run : thread % run * Width),
        k_(along == Major::k ? thread % run * Width : thread / run) {
    data_ =
        tile.data + (along == Major::k ? inside(mn_) * ld_ + k_ : k_ * ld_ + index_t{inside(mn_)});
  }

  // Copies the current k-tile.
  __device__ __forceinline__ void copy(Smem& smem) const {
    for_each([&](int mn, int k, const float* source) { copy(smem, mn, k, source); });
  }

  // Copies the first k-tile: k_extent elements along k, and `padding` beyond them.
  __device__ __forceinline__ void copy_first(Smem& smem, int k_extent, float padding) const {
    for_each([&](int mn, int k, const float* source) {
      if (k < k_extent) {
        copy(smem, mn, k, source);
      } else {
        float reg[Width];
#pragma unroll
        for (int i = 0; i < Width; ++i) reg[i] = padding;
        smem.template store<along>(mn, k, reg);
      }
    });
  }

  // Steps k_extent elements along k.
  __device__ __forceinline__ void next(int k_extent = KExtent) {
    data_ += along == Major::k ? index_t{k_extent} : k_extent * ld_;
  }

 private:
  __device__ __forceinline__ static void copy(Smem& smem, int mn, int k, const float* source) {
    if constexpr (through_registers) {
      float reg[Width];
      arch::gmem_to_reg<Width>(reg, source);
      smem.template store<along>(mn, k, reg);
    } else {
      arch::copy_async<Width>(&smem.data[Smem::index(mn, k)], source);
    }
  }

  __device__ __forceinline__ int inside(int mn) const { return Guarded && mn > last_ ? last_ : mn; }

  // f(mn, k, source) for each copy of this thread.
  template <class Function>
  __device__ __forceinline__ void for_each(Function f) const {
    // Opaque, so that each address is the one before plus a step, made anew for each tile: all
    // kept, they take more than the 40 registers of a producer, and the compiler then also places
    // the accumulators of the consumers worse (12 % slower).
    const index_t step = arch::opaque((along == Major::k ? mn_step : k_step) * ld_);
    const float* source = data_;
    if constexpr (along == Major::k) {
#pragma unroll
      for (int i = 0; i < MnExtent; i += mn_step) {
#pragma unroll
        for (int j = 0; j < KExtent; j += k_step) f(mn_ + i, k_ + j, source + j);
        if (!Guarded || mn_ + i + mn_step <= last_) source += step;
      }
    } else {
#pragma unroll 8
      for (int j = 0; j < KExtent; j += k_step) {
#pragma unroll
        for (int i = 0; i < MnExtent; i += mn_step) {
          f(mn_ + i, k_ + j, source + (inside(mn_ + i) - inside(mn_)));
        }
        source += step;
      }
    }
  }

  const float* data_;  // of this thread's first copy
  index_t ld_;
  int last_;    // the last place along mn at which a copy is inside
  int mn_, k_;  // of this thread's first copy
};

}  // namespace tessera::tile
