// Variant: one compiled combination of policy, layouts of A and B, vector widths and guard. Names
// the types that kernel, mainloop and epilogue of that combination share.
#pragma once

#include "../arch/tensor_copy.cuh"
#include "../matrix_view.hpp"
#include "../thread/thread_map.cuh"
#include "../tile/smem_tile.cuh"
#include "../tile/tile_loader.cuh"

namespace tessera::kernel {

template <class Layout>
inline constexpr bool is_row_major = false;
template <>
inline constexpr bool is_row_major<RowMajor> = true;

template <class Policy, class LayoutA, class LayoutB, int VecWidth_, bool Guarded_,
          int VecWidthC_ = VecWidth_>
struct Variant {
  static constexpr TileConfig config = Policy::config;
  static constexpr int block_m = config.block_m(), block_n = config.block_n();
  static constexpr int block_k = config.block_k();
  static constexpr int thread_m = config.thread_tile.m, thread_n = config.thread_tile.n;
  static constexpr int threads = config.thread_count();
  static constexpr int shared_bytes = smem_bytes(config);
  static constexpr int VecWidth = VecWidth_;  // floats per gmem access of A and B
  static constexpr int VecWidthC = VecWidthC_;
  static constexpr bool Guarded = Guarded_;

  // The contiguous mode in gmem: A is m x k, B is k x n.
  static constexpr Major a_major = is_row_major<LayoutA> ? Major::k : Major::mn;
  static constexpr Major b_major = is_row_major<LayoutB> ? Major::mn : Major::k;

  // Whether the launch says how to copy k-tiles of A and B as boxes, whose sides are limited. Not
  // of slices of K: a box that exceeds one has what is the next one's.
  static constexpr bool both_along_mn = (a_major == Major::mn) && (b_major == Major::mn);
  static constexpr bool fits_boxes = (config.slices.max == 1) && (block_m <= arch::longest_box) &&
                                     (block_n <= arch::longest_box) &&
                                     (block_k <= arch::longest_box);
  static constexpr bool has_boxes = (config.producers.warps > 0) && (VecWidth == 4) &&
                                    (VecWidthC == 4) && both_along_mn && fits_boxes;

  using Map = thread::ThreadMap<Policy>;
  using SmemA = tile::SmemTile<block_m, block_k, config.a_smem.major>;
  using SmemB = tile::SmemTile<block_n, block_k, Major::mn>;
  using LoaderA = tile::TileLoader<a_major, SmemA, threads, VecWidth, Guarded>;
  using LoaderB = tile::TileLoader<b_major, SmemB, threads, VecWidth, Guarded>;
  using Accumulator = float[thread_m][thread_n];
  static constexpr bool has_registers_left = config.has_registers_left();

  // In the padding of the first k-tile A reads +0 and B -0: their product -0 leaves every
  // accumulator as it is, also a -0 that another block began, which adding +0 would turn into +0.
  static constexpr float padding_a = 0.0f, padding_b = -0.0f;
  __device__ static LoaderA loader_a(const tile::GmemTile& a, int thread) {
    return LoaderA(a, thread, padding_a);
  }
  __device__ static LoaderB loader_b(const tile::GmemTile& b, int thread) {
    return LoaderB(b, thread, padding_b);
  }
};

}  // namespace tessera::kernel
