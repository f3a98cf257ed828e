// Mainloop `streamed`: all threads copy k-tiles to a ring of stages by cp.async and multiply the
// oldest, so that all stages but one are on their way. For products that gmem limits.
#pragma once

#include "../thread/thread_mma.cuh"
#include "../tile/line_copier.cuh"
#include "../tile/smem_tile.cuh"

namespace tessera::mainloop {

template <class Variant>
struct streamed {
  static constexpr TileConfig config = Variant::config;
  static constexpr int stages = config.stages.count, block_k = Variant::block_k;
  static constexpr int steps = 4;  // k-steps of one access to a k-major tile
  static_assert(config.streamed != Streamed::none,
                "mainloop streamed reads one operand once: Streamed must be a or b");
  static_assert(stages >= 2, "mainloop streamed needs Stages of at least 2");
  static_assert(block_k % steps == 0,
                "mainloop streamed takes 4 k at once: KTile must be whole 4s");

  using CopierA = tile::LineCopier<Variant::a_major, Variant::block_m, block_k, Variant::threads,
                                   Variant::width_a>;
  using CopierB = tile::LineCopier<Variant::b_major, Variant::block_n, block_k, Variant::threads,
                                   Variant::width_b>;

  struct SharedStorage {
    typename CopierA::Smem a[stages];  // block_m x block_k each
    typename CopierB::Smem b[stages];  // block_k x block_n each
  };

  // acc (thread_m x thread_n) += A (block_m x k) * B (k x block_n), the thread tile of it.
  __device__ static void run(const tile::GmemTile& a, const tile::GmemTile& b, int k_tiles,
                             SharedStorage& smem, const typename Variant::Map& map,
                             typename Variant::Accumulator& acc) {
    const int thread = static_cast<int>(threadIdx.x);
    CopierA copier_a(a, thread);
    CopierB copier_b(b, thread);

    const auto multiply = [&](int stage) {
      // In straight code, as many as make 512 FFMAs; of the largest thread tiles, for whose
      // fragments the registers are short, one.
      constexpr int accumulators = Variant::thread_m * Variant::thread_n;
      [[maybe_unused]] constexpr int groups = accumulators > 64 ? 1 : 512 / (accumulators * steps);
#pragma unroll groups
      for (int k = 0; k < block_k; k += steps) {
        float frag_a[steps][Variant::thread_m], frag_b[steps][Variant::thread_n];
        tile::load_fragment<Variant::Map::chunk_m>(frag_a, smem.a[stage], k,
                                                   [&](int i) { return map.row(i); });
        tile::load_fragment<Variant::Map::chunk_n>(frag_b, smem.b[stage], k,
                                                   [&](int j) { return map.col(j); });
#pragma unroll
        for (int s = 0; s < steps; ++s) thread::thread_mma(acc, frag_a[s], frag_b[s]);
      }
    };

    // Prologue and mainloop in one, so that there is one copy of the code: k-tile `tile` is copied
    // and the one that is stages - 1 before it multiplied, if there are such.
    int copied = 0, multiplied = 1;  // stages of the two
#pragma unroll 1
    for (int tile = 0; tile < k_tiles + stages - 1; ++tile) {
      arch::wait_for_copies_but<stages - 2>();
      __syncthreads();  // that k-tile is there for all, and all have read the one before it
      if (tile < k_tiles) {
        copier_a.copy(smem.a[copied], Variant::padding_a);
        copier_b.copy(smem.b[copied], Variant::padding_b);
      }
      arch::end_copy_group();
      if (tile >= stages - 1) multiply(multiplied);
      copied = copied + 1 == stages ? 0 : copied + 1;
      multiplied = multiplied + 1 == stages ? 0 : multiplied + 1;
    }
  }
};

}  // namespace tessera::mainloop
