// Copiers of mainloop streamed: a warp brings the k-tiles of its 32 streams, and of the narrow
// operand what they are multiplied with, from gmem to smem by cp.async. Nothing is transposed, so
// that copies are wide either way.
#pragma once

#include "../arch/async_copy.cuh"
#include "../arch/opaque.cuh"
#include "block_slices.cuh"
#include "smem_tile.cuh"
#include "tile_loader.cuh"

namespace tessera::tile {

template <int Width, arch::CopyHint hint>
__device__ __forceinline__ void copy_access(float* target, const float* source) {
  if constexpr (arch::has_async_copy) {
    arch::copy_async<Width, hint>(target, source);
  } else {
    float reg[Width];
    arch::gmem_to_reg<Width>(reg, source);
    arch::reg_to_mem<Width>(target, reg);
  }
}

// along: the contiguous mode in gmem and in smem. Width: floats per copy. What lies outside the
// operand, or beyond the end of a stream's slice, is not copied.
template <Major along, int KExtent, int Width>
class StreamCopier {
  static constexpr int lanes = 32;  // and streams
  static constexpr int line_length = along == Major::k ? KExtent : lanes;
  static constexpr int line_count = along == Major::k ? lanes : KExtent;
  static_assert(line_length % Width == 0, "a line of the tile must be whole accesses");
  static constexpr int run = line_length / Width;  // lanes along a line
  static_assert(run <= lanes && lanes % run == 0 && line_count % (lanes / run) == 0,
                "the lanes of a warp must divide a line of the tile, or lines the lanes, evenly");
  static constexpr int line_step = lanes / run, accesses = line_count / line_step;

 public:
  using Smem = SmemTile<lanes, KExtent, along>;

  // `tile` is the block's; `warp` its number in the block; `far`: the operand is larger than L2.
  // All lanes of a warp together.
  __device__ __forceinline__ StreamCopier(const GmemTile& tile, const SlicedK& slices,
                                          const StreamMap& map, bool far, int warp, int lane)
      : far_(far), ld_(tile.ld), line_(lane / run), place_(lane % run * Width) {
    const int stream = warp * lanes + (along == Major::k ? lane : place_);
    const int row = map.row(stream), slice = map.slice(stream), first = slices.first_k(slice);
    own_.k_left = row < tile.mn_left ? slices.first_k(slice + 1) - first : 0;
    if constexpr (along == Major::k) {
      own_.data = tile.data + row * ld_ + first;
      if constexpr (keeps_accesses) {
#pragma unroll
        for (int i = 0; i < accesses; ++i) access_[i] = access_of(line_ + i * line_step);
      }
    } else {
      const index_t k = index_t{first} + line_;
      own_.data = tile.data + row + k * ld_;
      own_.k_left -= line_;
    }
  }

  // Copies the next k-tile of every stream. All lanes of a warp together.
  __device__ __forceinline__ void copy(Smem& smem) {
    k_ += KExtent;
    float* const tile = arch::opaque(smem.data);
    if constexpr (along == Major::k) {
#pragma unroll
      for (int i = 0; i < accesses; ++i) {
        const int line = line_ + i * line_step;
        const Access access = keeps_accesses ? access_[i] : access_of(line);
        float* const target = tile + Smem::index(line, place_);
        if (k_ >= access.k_left) continue;
        if (far_) {
          copy_access<Width, arch::CopyHint::prefetch_far>(target, access.data + k_);
        } else {
          copy_access<Width, arch::CopyHint::prefetch>(target, access.data + k_);
        }
      }
    } else {
#pragma unroll
      for (int i = 0; i < KExtent; i += line_step) {
        float* const target = tile + Smem::index(place_, line_ + i);
        if (i < own_.k_left - k_) copy_access<Width, arch::CopyHint::none>(target, own_.data);
        own_.data += line_step * ld_;
      }
    }
  }

 private:
  // Of a lane, to a line of the first k-tile.
  struct Access {
    const float* data;
    int k_left;  // from there to the end of the slice; 0 for a row outside the operand
  };
  // Those of 4 floats: scalar ones are too many for the registers.
  static constexpr bool keeps_accesses = accesses <= 8;

  // To the line of stream `line`, which its lane knows: finding each anew takes 300 instructions.
  __device__ __forceinline__ Access access_of(int line) const {
    const auto data = reinterpret_cast<unsigned long long>(own_.data);
    // A shuffle takes integers. NOLINTNEXTLINE(performance-no-int-to-ptr)
    return {reinterpret_cast<const float*>(__shfl_sync(0xffffffffu, data, line)) + place_,
            __shfl_sync(0xffffffffu, own_.k_left, line) - place_};
  }

  bool far_;
  index_t ld_;
  int line_, place_;  // of this lane's first access
  int k_ = -KExtent;  // first of the k-tile copied last
  Access own_{};      // along k: to the start of this lane's stream
  Access access_[along == Major::k && keeps_accesses ? accesses : 1] = {};
};

// The narrow operand: element (mn, k) at data[mn * mn_step + k * k_step].
struct NarrowTile {
  const float* data;
  index_t mn_step, k_step;
  int mn_count;
  bool vectorized;  // four neighbours along k are an aligned access, and k is whole ones
};

// For each of the slices that a warp has a part of, a tile of `narrow` x KExtent, k-major whatever
// the operand is.
template <int narrow, int KExtent, int SlicesOfWarp>
class NarrowCopier {
  static constexpr int lanes = 32;

 public:
  using Smem = SmemTile<narrow, KExtent, Major::k>;

  __device__ __forceinline__ NarrowCopier(const NarrowTile& tile, const SlicedK& slices,
                                          const StreamMap& map, int warp, int lane)
      : tile_(tile),
        slices_(slices),
        first_(map.slice(warp * lanes)),
        count_(map.slice(warp * lanes + lanes - 1) - first_ + 1),
        lane_(lane) {}

  // Copies the next k-tile.
  __device__ __forceinline__ void copy(Smem (&smem)[SlicesOfWarp]) {
    k_ += KExtent;
    if (tile_.vectorized) {
      copy_accesses<4, Major::k>(smem);
    } else if (tile_.mn_step < tile_.k_step) {
      copy_accesses<1, Major::mn>(smem);
    } else {
      copy_accesses<1, Major::k>(smem);
    }
  }

 private:
  // Neighbouring lanes copy neighbours along `along`; lanes that a slice's tile leaves over, the
  // tiles of the next slices.
  template <int Width, Major along>
  __device__ __forceinline__ void copy_accesses(Smem (&smem)[SlicesOfWarp]) {
    constexpr int of_k = KExtent / Width, accesses = narrow * of_k;
    constexpr int at_once = accesses < lanes ? lanes / accesses : 1;
    const int own = at_once > 1 ? lane_ % accesses : lane_;
    if (at_once > 1 && lane_ >= at_once * accesses) return;
#pragma unroll 1
    for (int s = at_once > 1 ? lane_ / accesses : 0; s < count_; s += at_once) {
      const int first = slices_.first_k(first_ + s);
      const int left = slices_.first_k(first_ + s + 1) - first - k_;
      const index_t first_of_tile = index_t{first} + k_;
      const float* const source = tile_.data + first_of_tile * tile_.k_step;
      float* const target = arch::opaque(smem[s].data);
      // A lane's accesses are equally far apart, where the lanes divide evenly.
      constexpr int mn_step = along == Major::k ? lanes / of_k : 0;
      constexpr int k_step = along == Major::k ? 0 : lanes / narrow;
      constexpr bool even =
          accesses <= lanes || (along == Major::k ? lanes % of_k == 0 : lanes % narrow == 0);
      const int mn_of_first = along == Major::k ? own / of_k : own % narrow;
      const int k_of_first = along == Major::k ? own % of_k * Width : own / narrow;
      const float* from = source + mn_of_first * tile_.mn_step + k_of_first * tile_.k_step;
      const index_t step = mn_step * tile_.mn_step + k_step * tile_.k_step;
#pragma unroll
      for (int i = 0; i < accesses; i += lanes) {
        const int at = own + i;
        int mn = mn_of_first + i / lanes * mn_step, k = k_of_first + i / lanes * k_step;
        if constexpr (!even) {
          mn = along == Major::k ? at / of_k : at % narrow;
          k = along == Major::k ? at % of_k * Width : at / narrow;
          from = source + mn * tile_.mn_step + k * tile_.k_step;
        }
        const bool inside = at < accesses && mn < tile_.mn_count && k < left;
        float* const to = target + Smem::index(mn, k);
        if (inside) copy_access<Width, arch::CopyHint::keep>(to, from);
        from += step;
      }
    }
  }

  NarrowTile tile_;
  SlicedK slices_;
  int first_, count_;  // slices of the warp
  int lane_;
  int k_ = -KExtent;  // first of the k-tile copied last
};

}  // namespace tessera::tile
