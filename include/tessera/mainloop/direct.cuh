// Mainloop `direct`: every thread reads its operands from gmem for each k-step. No smem, no
// barrier.
#pragma once

#include "../thread/thread_mma.cuh"
#include "../tile/tile_loader.cuh"

namespace tessera::mainloop {

template <class Variant>
struct direct {
  static constexpr TileConfig config = Variant::config;
  static_assert(config.stages.count == 0, "mainloop direct stages nothing: Stages must be 0");

  struct SharedStorage {};

  // acc (thread_m x thread_n) += A (block_m x k) * B (k x block_n), the thread tile of it.
  __device__ static void run(const tile::GmemTile& a, const tile::GmemTile& b, int, SharedStorage&,
                             const typename Variant::Map& map, typename Variant::Accumulator& acc) {
    constexpr int thread_m = Variant::thread_m, thread_n = Variant::thread_n;
    const index_t a_step_m = Variant::a_major == Major::k ? a.ld : 1;
    const index_t a_step_k = Variant::a_major == Major::k ? 1 : a.ld;
    const index_t b_step_n = Variant::b_major == Major::k ? b.ld : 1;
    const index_t b_step_k = Variant::b_major == Major::k ? 1 : b.ld;

    // Rows and columns beyond the edge read the block's first one: their results are never stored.
    const auto inside = [](int mn, int left) { return Variant::Guarded && mn >= left ? 0 : mn; };
    const float* source_a[thread_m];
    const float* source_b[thread_n];
#pragma unroll
    for (int i = 0; i < thread_m; ++i)
      source_a[i] = a.data + inside(map.row(i), a.mn_left) * a_step_m;
#pragma unroll
    for (int j = 0; j < thread_n; ++j)
      source_b[j] = b.data + inside(map.col(j), b.mn_left) * b_step_n;

    for (int k = 0; k < a.k_left; ++k) {
      float frag_a[thread_m], frag_b[thread_n];
#pragma unroll
      for (int i = 0; i < thread_m; ++i) frag_a[i] = __ldg(source_a[i]), source_a[i] += a_step_k;
#pragma unroll
      for (int j = 0; j < thread_n; ++j) frag_b[j] = __ldg(source_b[j]), source_b[j] += b_step_k;
      thread::thread_mma(acc, frag_a, frag_b);
    }
  }
};

}  // namespace tessera::mainloop
