// The one kernel of the SIMT family: block number -> block tile -> mainloop -> epilogue.
#pragma once

#include "../arch/launch_bounds.cuh"
#include "../arch/shared_memory.cuh"
#include "../arch/visibility.hpp"
#include "../epilogue/linear_combination.cuh"
#include "../tile/rasterisation.cuh"
#include "variant.cuh"

namespace tessera {
namespace TESSERA_HIDDEN kernel {

// C (m x n, row-major) = alpha * A (m x k) * B (k x n) + beta * C. Strides come from the views
// alone.
struct GemmArguments {
  const float* a;
  const float* b;
  float* c;
  index_t lda, ldb, ldc;
  int m, n, k;
  int m_tiles, n_tiles, k_tiles;  // k_tiles is 0 where A and B are not to be read
  epilogue::LinearCombination epilogue;
};

template <class Policy, class LayoutA, class LayoutB, int VecWidth, bool Guarded>
__global__ void __launch_bounds__(Policy::config.thread_count(),
                                  arch::min_blocks(Policy::config.min_blocks.per_sm,
                                                   Policy::config.thread_count()))
    gemm_kernel(const GemmArguments args) {
  using V = Variant<Policy, LayoutA, LayoutB, VecWidth, Guarded>;
  using Mainloop = typename Policy::template mainloop<V>;
  using SharedStorage = typename Mainloop::SharedStorage;
  static_assert(V::config.stages.count == 0 || sizeof(SharedStorage) == V::shared_bytes,
                "the plan's shared memory must be what the mainloop lays out");

  const tile::TileCoord tile =
      tile::rasterise(static_cast<int>(blockIdx.x), args.m_tiles, args.n_tiles);
  const index_t m = index_t{tile.m} * V::block_m;
  const index_t n = index_t{tile.n} * V::block_n;
  const int m_left = static_cast<int>(args.m - m), n_left = static_cast<int>(args.n - n);
  const typename V::Map map(static_cast<int>(threadIdx.x));

  typename V::Accumulator acc = {};
  if (args.k_tiles > 0) {  // else A and B may be null
    const tile::GmemTile a{args.a + m * (V::a_major == Major::k ? args.lda : 1), args.lda, m_left,
                           args.k};
    const tile::GmemTile b{args.b + n * (V::b_major == Major::k ? args.ldb : 1), args.ldb, n_left,
                           args.k};
    auto& smem = *reinterpret_cast<SharedStorage*>(arch::dynamic_smem());
    Mainloop::run(a, b, args.k_tiles, smem, map, acc);
  }

  const epilogue::OutputTile c{args.c + m * args.ldc + n, args.ldc, m_left, n_left};
  args.epilogue.template operator()<VecWidth, Guarded>(acc, map, c);
}

}  // namespace kernel
}  // namespace tessera
