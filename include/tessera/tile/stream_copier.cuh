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

// An access that is `inside` the operand; nothing is read or written for another.
template <int Width, arch::CopyHint hint>
__device__ __forceinline__ void copy_access(bool inside, float* target, const float* source) {
  if constexpr (arch::has_async_copy) {
    arch::copy_async_if<Width, hint>(inside, target, source);
  } else if (inside) {
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

  // `tile` is the block's; `warp` its number in the block; `far`: the operand is far larger than
  // L2. All lanes of a warp together.
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
      if (far_) {
        copy_along_k<arch::CopyHint::prefetch_far>(tile);
      } else {
        copy_along_k<arch::CopyHint::prefetch>(tile);
      }
    } else {
#pragma unroll
      for (int i = 0; i < KExtent; i += line_step) {
        float* const target = tile + Smem::index(place_, line_ + i);
        copy_access<Width, arch::CopyHint::none>(i < own_.k_left - k_, target, own_.data);
        own_.data += line_step * ld_;
      }
    }
  }

 private:
  // Of a lane, to a line.
  struct Access {
    const float* data;  // in the next k-tile, if it is kept, else in the first one
    int k_left;  // from the first k-tile to the end of the slice; 0 for a row outside the operand
  };
  // Those of 4 floats: scalar ones are too many for the registers.
  static constexpr bool keeps_accesses = accesses <= 8;

  template <arch::CopyHint hint>
  __device__ __forceinline__ void copy_along_k(float* tile) {
#pragma unroll
    for (int i = 0; i < accesses; ++i) {
      const int line = line_ + i * line_step;
      float* const target = tile + Smem::index(line, place_);
      if constexpr (keeps_accesses) {
        copy_access<Width, hint>(k_ < access_[i].k_left, target, access_[i].data);
        access_[i].data += KExtent;
      } else {
        const Access access = access_of(line);
        copy_access<Width, hint>(k_ < access.k_left, target, access.data + k_);
      }
    }
  }

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
  // Floats of an access, which is aligned: 1 or 4 along k if that is contiguous, else 1, 2 or 4
  // along mn. The extent of that mode is whole ones.
  int width;
};

// For each of the slices that a warp has a part of, a tile of `narrow` x KExtent: k-major, or where
// the operand is contiguous along mn, mn-major.
template <int narrow, int KExtent, int SlicesOfWarp>
class NarrowCopier {
  static constexpr int lanes = 32;
  static_assert(narrow == 1 || narrow % 4 == 0,
                "mainloop streamed takes the narrow operand's elements 1 or 4 at once");

 public:
  using Smem = SmemTile<narrow, KExtent, Major::k>;

  // Where an mn-major tile has an element. Its lines need no padding: all threads of a slice read
  // the same one.
  __device__ static constexpr int index_along_mn(int mn, int k) { return k * narrow + mn; }

  // Fragments of Steps k-steps: frag[s][j] = tile(j, k + s), of a tile contiguous along `along`.
  template <Major along, int Steps>
  __device__ __forceinline__ static void load_fragment(float (&frag)[Steps][narrow],
                                                       const Smem& tile, int k) {
    if constexpr (along == Major::k || narrow == 1) {
      tile::load_fragment<1>(frag, tile, k, [](int j) { return j; });
    } else {
#pragma unroll
      for (int s = 0; s < Steps; ++s) {
#pragma unroll
        for (int j = 0; j < narrow; j += 4) {
          arch::mem_to_reg<4>(&frag[s][j], &tile.data[index_along_mn(j, k + s)]);
        }
      }
    }
  }

  __device__ __forceinline__ NarrowCopier(const NarrowTile& tile, const SlicedK& slices,
                                          const StreamMap& map, int warp, int lane)
      : tile_(tile),
        slices_(slices),
        first_slice_(map.slice(warp * lanes)),
        count_(SlicesOfWarp == 1 ? 1 : map.slice(warp * lanes + lanes - 1) - first_slice_ + 1),
        lane_(lane) {
    if (along_mn()) {
      const int width = tile.mn_count < narrow ? tile.mn_count : narrow;
      int log2_run = 0;  // lanes along mn: so many, a power of two, as the operand is wide
      while (tile.width << log2_run < width) ++log2_run;
      first_mn_ = (lane & ((1 << log2_run) - 1)) * tile.width;
      first_k_ = lane >> log2_run;
      k_step_ = lanes >> log2_run;
    }
    if constexpr (SlicesOfWarp == 1) only_ = find_slice(0);
  }

  [[nodiscard]] __device__ __forceinline__ bool along_mn() const {
    return narrow > 1 && tile_.k_step != 1;
  }

  // Copies the next k-tile.
  __device__ __forceinline__ void copy(Smem (&smem)[SlicesOfWarp]) {
    k_ += KExtent;
    if (along_mn()) {
      if (tile_.width == 4) {
        copy_along_mn<4>(smem);
      } else if (tile_.width == 2) {
        copy_along_mn<2>(smem);
      } else {
        copy_along_mn<1>(smem);
      }
    } else if (tile_.k_step == 1 && tile_.width == 4) {
      copy_along_k<4>(smem);
    } else {
      copy_along_k<1>(smem);
    }
  }

 private:
  // Where the next k-tile of a slice begins, for a lane's first access along mn; what is left of k.
  struct SliceOfWarp {
    const float* data;
    int k_left;
  };
  __device__ __forceinline__ SliceOfWarp find_slice(int s) const {
    const int first = slices_.first_k(first_slice_ + s), k = k_ < 0 ? 0 : k_;
    const int left = slices_.first_k(first_slice_ + s + 1) - first - k;
    return {tile_.data + (index_t{first} + k + first_k_) * tile_.k_step + first_mn_,
            first_mn_ < tile_.mn_count ? left : 0};
  }
  __device__ __forceinline__ SliceOfWarp slice(int s) {
    if constexpr (SlicesOfWarp > 1) return find_slice(s);
    const SliceOfWarp now = only_;
    only_ = {now.data + KExtent * tile_.k_step, now.k_left - KExtent};
    return now;
  }

  // Neighbouring lanes copy neighbours along mn.
  template <int Width>
  __device__ __forceinline__ void copy_along_mn(Smem (&smem)[SlicesOfWarp]) {
    constexpr int most = (narrow / Width * KExtent + lanes - 1) / lanes;  // accesses of a lane
    const index_t step = k_step_ * tile_.k_step;
#pragma unroll 1
    for (int s = 0; s < count_; ++s) {
      const SliceOfWarp of = slice(s);
      const int end = of.k_left < KExtent ? of.k_left : KExtent;
      const float* from = of.data;
      float* to = arch::opaque(smem[s].data) + index_along_mn(first_mn_, first_k_);
#pragma unroll
      for (int i = 0; i < most; ++i) {
        copy_access<Width, arch::CopyHint::keep>(first_k_ + i * k_step_ < end, to, from);
        from += step;
        // An int counts what a tile holds. NOLINTNEXTLINE(bugprone-implicit-widening*)
        to += k_step_ * narrow;
      }
    }
  }

  // Neighbouring lanes copy neighbours along k; lanes that a slice's tile leaves over, the tiles of
  // the next slices.
  template <int Width>
  __device__ __forceinline__ void copy_along_k(Smem (&smem)[SlicesOfWarp]) {
    constexpr int run = KExtent / Width, accesses = narrow * run;
    constexpr int at_once = accesses < lanes ? lanes / accesses : 1;
    const int own = at_once > 1 ? lane_ % accesses : lane_;
    if (at_once > 1 && lane_ >= at_once * accesses) return;
#pragma unroll 1
    for (int s = at_once > 1 ? lane_ / accesses : 0; s < count_; s += at_once) {
      const SliceOfWarp of = slice(s);
      float* const target = arch::opaque(smem[s].data);
      // A lane's accesses are equally far apart, where the lanes divide evenly.
      constexpr bool even = accesses <= lanes || lanes % run == 0;
      constexpr int mn_step = even ? lanes / run : 0;
      // An int counts what a tile holds. NOLINTNEXTLINE(bugprone-implicit-widening*)
      const float* from = of.data + own / run * tile_.mn_step + own % run * Width * tile_.k_step;
#pragma unroll
      for (int i = 0; i < accesses; i += lanes) {
        const int at = own + i, mn = even ? own / run + i / lanes * mn_step : at / run;
        const int k = (even ? own : at) % run * Width;
        if constexpr (!even) {
          from = of.data + mn * tile_.mn_step + k * tile_.k_step;
        }
        const bool inside = at < accesses && mn < tile_.mn_count && k < of.k_left;
        copy_access<Width, arch::CopyHint::keep>(inside, target + Smem::index(mn, k), from);
        from += mn_step * tile_.mn_step;
      }
    }
  }

  NarrowTile tile_;
  SlicedK slices_;
  int first_slice_, count_;  // of the warp
  int lane_;
  int first_mn_ = 0, first_k_ = 0, k_step_ = 0;  // of the lane's accesses along mn
  int k_ = -KExtent;                             // first of the k-tile copied last
  SliceOfWarp only_{};                           // where a warp has no second one
};

}  // namespace tessera::tile
