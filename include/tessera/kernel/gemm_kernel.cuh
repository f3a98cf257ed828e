// The one kernel of the SIMT family: block number -> block tile -> mainloop -> epilogue.
#pragma once

#include "../arch/launch_bounds.cuh"
#include "../arch/launch_order.cuh"
#include "../arch/opaque.cuh"
#include "../arch/shared_memory.cuh"
#include "../arch/tensor_copy.cuh"
#include "../arch/visibility.hpp"
#include "../epilogue/linear_combination.cuh"
#include "../epilogue/slice_reduction.cuh"
#include "../tile/gmem_box.cuh"
#include "../tile/rasterisation.cuh"
#include "slice.cuh"
#include "tail.cuh"
#include "variant.cuh"

namespace tessera {
namespace TESSERA_HIDDEN kernel {

// C (m x n, row-major) = alpha * A (m x k) * B (k x n) + beta * C, with k > 0: without a product C
// is sum_slices_kernel's. Strides come from the views alone.
struct GemmArguments {
  const float* a;
  const float* b;
  float* c;
  index_t lda, ldb, ldc;
  int m, n, k;
  int m_tiles, n_tiles, k_tiles;
  epilogue::LinearCombination epilogue;
  int slices;              // of K; the grid holds so many blocks for each tile
  float* partials;         // slices x m x n, packed, for their sums; null: a cluster adds them
  Tail tail;               // the grid holds a block more for each of its short pieces
  TailMemory tail_memory;  // null where there is no tail
};

// Those of variants that may copy k-tiles of A and B as boxes: block_m x block_k, block_k x
// block_n.
struct BoxedArguments : GemmArguments {
  arch::TensorMap a_boxes, b_boxes;
};

template <bool has_boxes>
struct ArgumentsOf {
  using Type = GemmArguments;
};
template <>
struct ArgumentsOf<true> {
  using Type = BoxedArguments;
};
template <class V>
using Arguments = typename ArgumentsOf<V::has_boxes>::Type;

template <class Mainloop>
inline constexpr bool copies_boxes = false;
template <class Mainloop>
requires requires { Mainloop::boxed; }
inline constexpr bool copies_boxes<Mainloop> = Mainloop::boxed;

// Element (0, 0) of a block tile in C, and how much of C there is from there on.
struct TilePosition {
  index_t m, n;
  int m_left, n_left;
};

template <class V>
__device__ __forceinline__ TailTile<V> tail_tile_of(const GemmArguments& args, const Piece& piece) {
  return {args.tail_memory, piece.tile - (args.m_tiles * args.n_tiles - args.tail.tiles)};
}

template <class Policy, class LayoutA, class LayoutB, int VecWidth, bool Guarded,
          int VecWidthC = VecWidth>
__global__ void __launch_bounds__(Policy::config.block_threads(),
                                  arch::min_blocks(Policy::config.min_blocks.per_sm,
                                                   Policy::config.block_threads()))
    gemm_kernel(const __grid_constant__
                    Arguments<Variant<Policy, LayoutA, LayoutB, VecWidth, Guarded, VecWidthC>>
                        args) {
  using V = Variant<Policy, LayoutA, LayoutB, VecWidth, Guarded, VecWidthC>;
  using Mainloop = typename Policy::template mainloop<V>;
  using SharedStorage = typename Mainloop::SharedStorage;
  static_assert(V::config.stages.count == 0 || sizeof(SharedStorage) == V::shared_bytes,
                "the plan's shared memory must be what the mainloop lays out");

  constexpr bool splits = V::config.slices.max > 1;
  constexpr bool has_tail = V::config.even_tail.blocks > 0 && can_resume<Mainloop>;
  constexpr bool has_producers = V::config.producers.warps > 0;
  if constexpr (has_producers) arch::wait_for_launches_before();
  [[maybe_unused]] const int tiles = args.m_tiles * args.n_tiles;
  [[maybe_unused]] __shared__ int turn;
  if constexpr (has_tail) {
    if (args.tail.tiles > 0) take_turn(turn, args.tail_memory);
  } else if constexpr (V::config.even_tail.blocks > 0) {
    if (static_cast<int>(blockIdx.x) >= tiles) return;  // the others multiply whole tiles
  }
  const auto piece_of_block = [&](int block) {
    return args.tail.tiles > 0 ? piece_of(turn, args.tail, tiles, args.k_tiles)
                               : Piece{block, 0, args.k_tiles};
  };
  // A block finds its place before the first load and again after the last FFMA: 12544 x 64 x 147
  // takes 0.5 us less without the longest divisions. In other kernels the mainloop would get other
  // registers: exact ones take 8 % less (64 x 128) to 9 % more (128 x 64) for 1024^3.
  constexpr bool few_divisions =
      splits && V::config.slices.max <= (1 << 16) && Guarded && V::has_registers_left;
  const auto slice_of_block = [&](int block) {
    if constexpr (has_tail) {
      return slice_of(piece_of_block(block), args.k, args.k_tiles, V::block_k);
    } else {
      return slice_of<splits, few_divisions>(block, args.slices, args.k, args.k_tiles, V::block_k);
    }
  };
  const auto position_of = [&](const Slice& slice) {
    const bool one_column = few_divisions && args.n_tiles == 1;
    const tile::TileCoord tile = one_column
                                     ? tile::TileCoord{slice.tile, 0}
                                     : tile::rasterise(slice.tile, args.m_tiles, args.n_tiles);
    const index_t m = index_t{tile.m} * V::block_m, n = index_t{tile.n} * V::block_n;
    return TilePosition{m, n, static_cast<int>(args.m - m), static_cast<int>(args.n - n)};
  };
  typename V::Accumulator acc = {};
  {
    const Slice slice = slice_of_block(static_cast<int>(blockIdx.x));
    const auto [m, n, m_left, n_left] = position_of(slice);
    const tile::GmemTile a{args.a + m * (V::a_major == Major::k ? args.lda : 1) +
                               slice.k * (V::a_major == Major::k ? 1 : args.lda),
                           args.lda, m_left, slice.k_left};
    const tile::GmemTile b{args.b + n * (V::b_major == Major::k ? args.ldb : 1) +
                               slice.k * (V::b_major == Major::k ? 1 : args.ldb),
                           args.ldb, n_left, slice.k_left};
    auto& smem = *reinterpret_cast<SharedStorage*>(arch::dynamic_smem());
    if constexpr (!has_producers) arch::wait_for_launches_before();  // with its place known
    if constexpr (has_producers) {
      if (threadIdx.x >= V::threads) {  // holds nothing of C
        if constexpr (copies_boxes<Mainloop>) {
          // The first k-tile is the ragged one.
          const int k = static_cast<int>(slice.k) + slice.k_left - slice.k_tiles * V::block_k;
          Mainloop::produce(tile::GmemBox{&args.a_boxes, static_cast<int>(m), k},
                            tile::GmemBox{&args.b_boxes, static_cast<int>(n), k}, slice.k_tiles,
                            smem);
        } else {
          Mainloop::produce(a, b, slice.k_tiles, smem);
        }
        if (splits && args.partials != nullptr) arch::allow_next_launch();  // their sum
        return;
      }
    }
    const typename V::Map map(static_cast<int>(threadIdx.x));
    if constexpr (has_tail) {
      const Piece piece = piece_of_block(static_cast<int>(blockIdx.x));
      if (piece.first > 0) resume<V>(acc, map, tail_tile_of<V>(args, piece), piece.first);
    }
    Mainloop::run(a, b, slice.k_tiles, smem, map, acc);
  }

  // Where the block stands, found anew: kept over the mainloop it takes registers of it.
  const int block = arch::opaque(static_cast<int>(blockIdx.x));
  const Slice slice = slice_of_block(block);
  const TilePosition at = position_of(slice);
  const typename V::Map map(arch::opaque(static_cast<int>(threadIdx.x)));
  const epilogue::OutputTile c{args.c + at.m * args.ldc + at.n, args.ldc, at.m_left, at.n_left};

  // With producers one call of the epilogue for C and for what goes elsewhere: with two, the
  // mainloop loses 3 TFLOPS.
  if constexpr (has_tail) {
    const Piece piece = piece_of_block(block);
    const bool hands_on = piece.last < args.k_tiles;
    const TailTile<V> tail_tile = tail_tile_of<V>(args, piece);
    epilogue::LinearCombination f = args.epilogue;
    f.leave_unchanged_if(hands_on);
    f.template operator()<V::VecWidthC, Guarded>(acc, map, hands_on ? tail_tile.accumulators() : c);
    if (hands_on) arch::publish(tail_tile.k_tiles_done(), piece.last);
    return;
  }
  const auto partial_tile = [&] {
    const index_t first = (index_t{slice.number} * args.m + at.m) * args.n + at.n;
    return epilogue::OutputTile{args.partials + first, args.n, at.m_left, at.n_left};
  };
  if constexpr (splits && has_producers) {
    const bool is_partial = args.partials != nullptr;
    epilogue::LinearCombination f = args.epilogue;
    f.leave_unchanged_if(is_partial);
    f.template operator()<V::VecWidthC, Guarded>(acc, map, is_partial ? partial_tile() : c);
    return;
  }
  if constexpr (splits) {
    if (args.partials != nullptr) {
      arch::allow_next_launch();  // their sum
      const epilogue::OutputTile partial = partial_tile();
      constexpr epilogue::LinearCombination unchanged{1.0f, 0.0f};
      unchanged.template operator()<V::VecWidthC, Guarded>(acc, map, partial);
      return;
    }
    if constexpr (arch::has_clusters) {
      if (args.slices > 1) {
        using Tile = epilogue::SlicedTile<V::block_m * V::block_n>;
        epilogue::reduce_in_cluster<V::VecWidthC, Guarded, V::threads>(
            acc, map, slice.number, args.slices, *reinterpret_cast<Tile*>(arch::dynamic_smem()),
            args.epilogue, c);
        return;
      }
    }
  }
  // C may allow wider accesses than A and B, by which 12544 x 64 x 147 takes 0.4 us less.
  constexpr int width = V::Map::chunk_n;
  if constexpr (splits && V::has_registers_left && V::VecWidthC < width) {
    if (c.template allows<width>()) {
      args.epilogue.template operator()<width, Guarded>(acc, map, c);
      return;
    }
  }
  args.epilogue.template operator()<V::VecWidthC, Guarded>(acc, map, c);
}

}  // namespace kernel
}  // namespace tessera
