// Mainloop `single_stage`: the block stages one k-tile of A and B in smem, multiplies it, stages
// the next.
#pragma once

#include "../thread/thread_mma.cuh"
#include "../tile/smem_tile.cuh"
#include "../tile/tile_loader.cuh"

namespace tessera::mainloop {

template <class Variant>
struct single_stage {
  static constexpr TileConfig config = Variant::config;
  static_assert(config.stages.count == 1, "mainloop single_stage has one stage: Stages must be 1");

  struct SharedStorage {
    typename Variant::SmemA a;  // block_m x block_k
    typename Variant::SmemB b;  // block_k x block_n
  };

  // acc (thread_m x thread_n) += A (block_m x k) * B (k x block_n), the thread tile of it.
  __device__ static void run(const tile::GmemTile& a, const tile::GmemTile& b, int k_tiles,
                             SharedStorage& smem, const typename Variant::Map& map,
                             typename Variant::Accumulator& acc) {
    constexpr int thread_m = Variant::thread_m, thread_n = Variant::thread_n;
    // A k-major tile of A is read vec_width k-steps at a time, one access per row.
    constexpr int steps = config.a_smem.major == Major::k ? config.vec_width.floats : 1;
    const int thread = static_cast<int>(threadIdx.x);
    auto loader_a = Variant::loader_a(a, thread);
    auto loader_b = Variant::loader_b(b, thread);

    for (int tile = 0; tile < k_tiles; ++tile) {
      loader_a.gmem_to_reg();
      loader_b.gmem_to_reg();
      loader_a.next();
      loader_b.next();
      __syncthreads();  // every thread has read the previous tile
      loader_a.reg_to_smem(smem.a);
      loader_b.reg_to_smem(smem.b);
      __syncthreads();  // every thread has written its part of this one

#pragma unroll
      for (int k = 0; k < Variant::block_k; k += steps) {
        float frag_a[steps][thread_m];
        tile::load_fragment<Variant::Map::chunk_m>(frag_a, smem.a, k,
                                                   [&](int i) { return map.row(i); });
        float frag_b[steps][thread_n];
        tile::load_fragment<Variant::Map::chunk_n>(frag_b, smem.b, k,
                                                   [&](int j) { return map.col(j); });
#pragma unroll
        for (int s = 0; s < steps; ++s) {
          thread::thread_mma(acc, frag_a[s], frag_b[s]);
        }
      }
    }
  }
};

}  // namespace tessera::mainloop
