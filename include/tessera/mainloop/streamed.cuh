// Mainloop `streamed`: each thread has one row of the wide operand in one slice of the block's K.
// The lanes of a warp copy its 32 streams to a ring of stages in smem by cp.async and multiply the
// oldest, so that all stages but one are on their way; no warp waits for another. For products that
// gmem limits.
#pragma once

#include "../thread/thread_mma.cuh"
#include "../tile/stream_copier.cuh"

namespace tessera::mainloop {

template <class Variant>
struct streamed {
  static constexpr TileConfig config = Variant::config;
  static constexpr int narrow = Variant::narrow, warps = Variant::threads / 32;
  // Two stages, where the wide operand lies along mn and there is more than one column: 3 % faster
  // than three on an H200 (8192 x 8 x 8192; along k 3 % slower). And where there is no cp.async:
  // the smem of such chips holds no more.
  static constexpr bool two_are_enough =
      (Variant::along == Major::mn && narrow > 1) || !arch::has_async_copy;
  static constexpr int stages = two_are_enough ? 2 : config.stages.count;
  static constexpr int block_k = Variant::block_k;
  static constexpr int slices_of_warp = streamed_slices_of_warp(config);
  static constexpr int steps = 4;  // k-steps of one access to a k-major tile
  static_assert(config.streamed != Streamed::none,
                "mainloop streamed reads one operand once: Streamed must be a or b");
  static_assert(config.stages.count >= 2, "mainloop streamed needs Stages of at least 2");
  static_assert(block_k % steps == 0,
                "mainloop streamed takes 4 k at once: KTile must be whole 4s");

  using Copier = tile::StreamCopier<Variant::along, block_k, Variant::width>;
  using Narrow = tile::NarrowCopier<narrow, block_k, slices_of_warp>;

  struct Stage {
    typename Copier::Smem wide;                    // 32 streams x block_k
    typename Narrow::Smem narrow[slices_of_warp];  // narrow x block_k each
  };
  struct SharedStorage {
    Stage stages[warps][streamed::stages];
    float sums[Variant::threads * streamed::narrow];  // for the epilogue
  };

  // acc += the product of the k-tile in `stage`, of which k_left are the slice's. narrow_along: the
  // contiguous mode of the narrow operand's tile.
  template <Major narrow_along>
  __device__ __forceinline__ static void multiply(const Stage& stage, int own_slice, int k_left,
                                                  float (&acc)[narrow][1]) {
    const int lane = static_cast<int>(threadIdx.x) % 32;
    float frag_wide[steps][1], frag_narrow[steps][narrow];
    const auto load = [&](int k) {
      tile::load_fragment<1>(frag_wide, stage.wide, k, [&](int) { return lane; });
      Narrow::template load_fragment<narrow_along>(frag_narrow, stage.narrow[own_slice], k);
    };
    if (k_left >= block_k) {
#pragma unroll
      for (int k = 0; k < block_k; k += steps) {
        load(k);
#pragma unroll
        for (int s = 0; s < steps; ++s) thread::thread_mma(acc, frag_narrow[s], frag_wide[s]);
      }
    } else {  // what lies beyond the end of the slice was not copied
#pragma unroll 1
      for (int k = 0; k < k_left; k += steps) {
        load(k);
#pragma unroll
        for (int s = 0; s < steps; ++s) {
          if (k + s < k_left) thread::thread_mma(acc, frag_narrow[s], frag_wide[s]);
        }
      }
    }
  }

  // acc (narrow x 1) += the product of this thread's stream and the narrow operand.
  __device__ static void run(const tile::GmemTile& wide, const tile::NarrowTile& narrow_tile,
                             const tile::SlicedK& slices, const tile::StreamMap& map, bool far,
                             SharedStorage& smem, float (&acc)[narrow][1]) {
    const int thread = static_cast<int>(threadIdx.x), warp = thread / 32, lane = thread % 32;
    Copier copier(wide, slices, map, far, warp, lane);
    Narrow narrow_copier(narrow_tile, slices, map, warp, lane);
    Stage(&ring)[stages] = smem.stages[warp];
    const int own_slice = map.slice(thread) - map.slice(warp * 32);
    int k_left = slices.length(map.slice(thread));

    // Prologue and mainloop in one, so that there is one copy of the code: k-tile `tile` is copied
    // and the one that is stages - 1 before it multiplied, if there are such.
    const int k_tiles = slices.most_k_tiles();
    int copied = 0, multiplied = 1;  // stages of the two
#pragma unroll 1
    for (int tile = 0; tile < k_tiles + stages - 1; ++tile) {
      arch::wait_for_copies_but<stages - 2>();
      __syncwarp();  // that k-tile is there for all lanes, and all have read the one before it
      if (tile < k_tiles) {
        copier.copy(ring[copied].wide);
        narrow_copier.copy(ring[copied].narrow);
      }
      arch::end_copy_group();
      if (tile >= stages - 1) {
        if (narrow_copier.along_mn()) {
          multiply<Major::mn>(ring[multiplied], own_slice, k_left, acc);
        } else {
          multiply<Major::k>(ring[multiplied], own_slice, k_left, acc);
        }
        k_left -= block_k;
      }
      copied = copied + 1 == stages ? 0 : copied + 1;
      multiplied = multiplied + 1 == stages ? 0 : multiplied + 1;
    }
  }
};

}  // namespace tessera::mainloop
