// Mainloop `double_buffered`: while one k-tile is multiplied, the next one travels gmem -> reg ->
// the other smem stage, or gmem -> smem; while one k-step is multiplied, the next one's fragments
// travel smem -> reg.
#pragma once

#include "../arch/async_copy.cuh"
#include "../thread/thread_mma.cuh"
#include "../tile/smem_tile.cuh"
#include "../tile/tile_loader.cuh"

namespace tessera::mainloop {

template <class Variant>
struct double_buffered {
  static constexpr TileConfig config = Variant::config;
  static_assert(config.stages.count == 2 || config.producers.warps > 0,
                "mainloop double_buffered has two: Stages must be 2");
  static_assert(config.a_smem.major == Major::mn,
                "mainloop double_buffered reads A along m: ASmem must be Major::mn");
  static_assert(Variant::block_k % 2 == 0,
                "mainloop double_buffered alternates two fragments: KTile must be even");

  struct SharedStorage {
    typename Variant::SmemA a[2];  // block_m x block_k each
    typename Variant::SmemB b[2];  // block_k x block_n each
  };

  // acc (thread_m x thread_n) += A (block_m x k) * B (k x block_n), the thread tile of it. k_tiles
  // > 0.
  __device__ static void run(const tile::GmemTile& a, const tile::GmemTile& b, int k_tiles,
                             SharedStorage& smem, const typename Variant::Map& map,
                             typename Variant::Accumulator& acc) {
    constexpr int thread_m = Variant::thread_m, thread_n = Variant::thread_n,
                  block_k = Variant::block_k;
    const int thread = static_cast<int>(threadIdx.x);
    auto loader_a = Variant::loader_a(a, thread);
    auto loader_b = Variant::loader_b(b, thread);

    // A thread tile of 8 x 8 leaves scalar accesses no registers to wait in: split_k_wide takes 56
    // us for 1023^3, not 64. With 8 x 4 they cost less than the smem cycles of copies: split_k
    // takes 13.0 us for 511^3, not 13.4.
    constexpr bool copies =
        arch::has_async_copy && Variant::VecWidth == 1 && !Variant::has_registers_left;
    const auto request_tile = [&](int stage) {
      if constexpr (copies) {
        loader_a.gmem_to_smem(smem.a[stage]);
        loader_b.gmem_to_smem(smem.b[stage]);
      } else {
        loader_a.gmem_to_reg();
        loader_b.gmem_to_reg();
      }
      loader_a.next();
      loader_b.next();
    };
    const auto store_tile = [&](int stage) {
      if constexpr (copies) {
        arch::wait_for_copies();
      } else {
        loader_a.reg_to_smem(smem.a[stage]);
        loader_b.reg_to_smem(smem.b[stage]);
      }
    };
    float frag_a[2][1][thread_m], frag_b[2][1][thread_n];
    const auto load_fragments = [&](int stage, int k, int to) {
      tile::load_fragment<Variant::Map::chunk_m>(frag_a[to], smem.a[stage], k,
                                                 [&](int i) { return map.row(i); });
      tile::load_fragment<Variant::Map::chunk_n>(frag_b[to], smem.b[stage], k,
                                                 [&](int j) { return map.col(j); });
    };

    // Multiplies the k-tile in `stage`; unless it is the last one, brings in the next meanwhile.
    int stage = 0;
    const auto multiply_tile = [&]<bool is_last>() {
      if constexpr (!is_last) request_tile(stage ^ 1);
#pragma unroll
      for (int k = 0; k < block_k; ++k) {
        if (k + 1 < block_k) {
          load_fragments(stage, k + 1, (k + 1) % 2);
        } else if constexpr (!is_last) {
          stage ^= 1;  // nobody reads that stage: its last fragments were loaded a barrier ago
          store_tile(stage);
          __syncthreads();
          load_fragments(stage, 0, 0);
        }
        thread::thread_mma(acc, frag_a[k % 2][0], frag_b[k % 2][0]);
      }
    };

    const int padding = Variant::Guarded && Variant::has_registers_left ? loader_a.k_padding() : 0;
    if (padding > 0) {
      // The first k-tile goes to stage 1, the second to stage 0; of the first, only the k-steps
      // that are the operands' are multiplied (257^3 takes 7 % less), by code that is short.
      auto first_a = loader_a;
      auto first_b = loader_b;
      first_a.gmem_to_reg_behind_padding();
      first_b.gmem_to_reg_behind_padding();
      loader_a.next();
      loader_b.next();
      --k_tiles;
      if (k_tiles > 0) request_tile(0);
      first_a.reg_to_smem(smem.a[1]);
      first_b.reg_to_smem(smem.b[1]);
      if (k_tiles > 0) store_tile(0);
      __syncthreads();
#pragma unroll 1
      for (int k = padding; k < block_k; ++k) {
        load_fragments(1, k, 0);
        thread::thread_mma(acc, frag_a[0][0], frag_b[0][0]);
      }
      if (k_tiles == 0) return;
      __syncthreads();  // every thread has read stage 1
    } else {
      request_tile(0);
      store_tile(0);
      __syncthreads();
    }
    load_fragments(0, 0, 0);
    for (int tile = 1; tile < k_tiles; ++tile) multiply_tile.template operator()<false>();
    multiply_tile.template operator()<true>();
  }
};

}  // namespace tessera::mainloop
