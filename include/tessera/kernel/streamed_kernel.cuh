// The kernel of products with few rows or columns, whose time is that of one operand's bytes: one
// thread for each row of that operand in each slice of K.
#pragma once

#include "../arch/launch_bounds.cuh"
#include "../arch/launch_order.cuh"
#include "../arch/shared_memory.cuh"
#include "../arch/visibility.hpp"
#include "../epilogue/block_reduction.cuh"
#include "../epilogue/linear_combination.cuh"
#include "../tile/stream_copier.cuh"
#include "slice.cuh"

namespace tessera {
namespace TESSERA_HIDDEN kernel {

// Elements of C and of the slices' sums: (row along the wide mode, j along the narrow one).
struct StreamedOutput {
  float* data;
  index_t wide_step, narrow_step;
};

// C = alpha * A * B + beta * C, with k > 0. The wide operand is A (its rows are those of C) or B
// (its columns are those of C), the narrow one the other.
struct StreamedArguments {
  const float* wide;
  index_t ld;
  // The wide operand is twice as large as L2. Along k its copies then fetch 256 bytes at once: 4 %
  // less time at 8192 x 1 x 8192 on an H200, and 3 % more where L2 keeps much of it.
  bool far;
  tile::NarrowTile narrow;
  StreamedOutput c;
  int wide_extent, k;
  int narrow_tiles, k_tiles;  // more than one narrow tile only where C is wider than the policy's
  epilogue::LinearCombination epilogue;
  int log2_rows, log2_block_slices;  // their product is the block's threads
  int slices;                        // of K; the grid holds so many blocks for each tile of C
  // The slices' sums, packed as C is, slice_floats a slice; null: a cluster adds them.
  StreamedOutput partials;
  index_t slice_floats;
};

// One compiled combination, for the mainloop. along: the wide operand's contiguous mode in gmem.
template <class Policy, Major along_, int Width>
struct StreamedVariant {
  static constexpr TileConfig config = Policy::config;
  static constexpr int threads = config.thread_count(), block_k = config.block_k();
  static constexpr int shared_bytes = smem_bytes(config);
  static constexpr int narrow =
      config.streamed == Streamed::a ? config.thread_tile.n : config.thread_tile.m;
  static constexpr Major along = along_;
  static constexpr int width = Width;
};

template <class Policy, Major along, int Width>
__global__ void __launch_bounds__(Policy::config.thread_count(),
                                  arch::min_blocks(Policy::config.min_blocks.per_sm,
                                                   Policy::config.thread_count()))
    streamed_kernel(const StreamedArguments args) {
  using V = StreamedVariant<Policy, along, Width>;
  using Mainloop = typename Policy::template mainloop<V>;
  using SharedStorage = typename Mainloop::SharedStorage;
  constexpr int threads = V::threads, block_k = V::block_k;
  static_assert(sizeof(SharedStorage) <= V::shared_bytes,
                "the plan's shared memory must be what the mainloop lays out");

  const int block = static_cast<int>(blockIdx.x);
  const Slice slice = args.slices > 1  // else without its divisions
                          ? slice_of<true>(block, args.slices, args.k, args.k_tiles, block_k)
                          : slice_of<false>(block, 1, args.k, args.k_tiles, block_k);
  const tile::StreamMap map{args.log2_rows};
  tile::NarrowTile narrow = args.narrow;
  int wide_tile = slice.tile, first_column = 0;
  if (args.narrow_tiles > 1) {
    wide_tile = slice.tile / args.narrow_tiles;
    first_column = (slice.tile - wide_tile * args.narrow_tiles) * V::narrow;
    narrow.data += first_column * narrow.mn_step;
    narrow.mn_count -= first_column;
  }
  narrow.data += slice.k * narrow.k_step;
  const index_t first = index_t{wide_tile} << map.log2_rows;
  const index_t rows_left = args.wide_extent - first;
  const tile::GmemTile wide{
      args.wide + (along == Major::k ? first * args.ld + slice.k : first + slice.k * args.ld),
      args.ld, static_cast<int>(rows_left), slice.k_left};
  const tile::SlicedK slices{slice.k_left, slice.k_tiles, block_k, args.log2_block_slices};

  auto& smem = *reinterpret_cast<SharedStorage*>(arch::dynamic_smem());
  float acc[V::narrow][1] = {};
  arch::wait_for_launches_before();
  Mainloop::run(wide, narrow, slices, map, args.far, smem, acc);

  StreamedOutput out = args.c;
  epilogue::LinearCombination epilogue = args.epilogue;
  if (args.partials.data != nullptr) {
    arch::allow_next_launch();  // their sum
    out = args.partials;
    out.data += slice.number * args.slice_floats;
    epilogue = {1.0f, 0.0f};
  }
  out.data += first * out.wide_step + first_column * out.narrow_step;
  const auto write = [&](int row, int j, float sum) {
    if (row >= rows_left || j >= narrow.mn_count) return;
    epilogue.template apply<1>(out.data + row * out.wide_step + j * out.narrow_step, &sum);
  };
  if constexpr (arch::has_clusters) {
    if (args.slices > 1 && args.partials.data == nullptr) {
      epilogue::reduce_in_block<V::narrow, threads>(
          acc, map, smem.sums,
          [&](int row, int j, float sum) { smem.sums[(j << map.log2_rows) + row] = sum; });
      epilogue::reduce_over_cluster<threads>(
          smem.sums, V::narrow << map.log2_rows, slice.number, args.slices,
          [&](int at, float sum) { write(map.row(at), map.slice(at), sum); });
      return;
    }
  }
  epilogue::reduce_in_block<V::narrow, threads>(acc, map, smem.sums, write);
}

}  // namespace kernel
}  // namespace tessera
