// What a policy must satisfy, each with a sentence at compile time.
#pragma once

#include "../arch/visibility.hpp"
#include "../tile/tile_config.hpp"

namespace tessera {
namespace TESSERA_HIDDEN detail {

// The policy's TileConfig, once it is known to describe a kernel that can exist.
template <class Policy>
constexpr TileConfig check_policy() {
  constexpr TileConfig c = Policy::config;
  static_assert(c.threads.m > 0 && c.threads.n > 0 && c.thread_tile.m > 0 && c.thread_tile.n > 0 &&
                    c.k_tile.k > 0,
                "a policy's Threads, ThreadTile and KTile must be positive");
  static_assert(c.lanes_m() * c.lanes_n() == 32,
                "a policy's Lanes must multiply to 32, the lanes of a warp");
  static_assert(c.threads.m % c.lanes_m() == 0 && c.threads.n % c.lanes_n() == 0,
                "a policy's Threads must be whole warps: multiples of its Lanes in m and n");
  static_assert(c.block_threads() <= 1024, "a block has at most 1024 threads");
  static_assert(c.vec_width.floats == 1 || c.vec_width.floats == 2 || c.vec_width.floats == 4,
                "a policy's VecWidth must be 1, 2 or 4 floats");
  constexpr bool streams = c.streamed != Streamed::none;
  static_assert(streams || c.thread_tile.n % c.vec_width.floats == 0,
                "a policy's ThreadTile must be whole accesses along n: a multiple of VecWidth");
  static_assert(streams || c.a_smem.major == Major::k || c.thread_tile.m % c.vec_width.floats == 0,
                "with A m-major in smem, ThreadTile must be a multiple of VecWidth along m");
  static_assert(!streams || (c.streamed == Streamed::a ? c.threads.n == 1 && c.thread_tile.m == 1
                                                       : c.threads.m == 1 && c.thread_tile.n == 1),
                "a policy with Streamed has Threads along that operand only, of one element each");
  static_assert(!streams || c.producers.warps == 0, "a policy with Streamed has no Producers");
  static_assert(c.block_slices.max == 1 || streams,
                "a policy with BlockSlices must have Streamed: only its mainloop knows them");
  static_assert((c.thread_count() & (c.thread_count() - 1)) == 0 || !streams,
                "a policy with Streamed has a power of two of Threads");
  static_assert(c.block_slices.max >= 1 && (c.block_slices.max & (c.block_slices.max - 1)) == 0 &&
                    c.block_slices.max * c.vec_width.floats <= c.thread_count(),
                "BlockSlices must be a power of two and leave a slice VecWidth of the Threads");
  static_assert(
      c.k_tile.k % c.vec_width.floats == 0 && (streams || c.block_m() % c.vec_width.floats == 0),
      "a policy's KTile and block tile must be whole accesses: multiples of VecWidth");
  static_assert(c.thread_tile.m * c.thread_tile.n <= 224,
                "a policy's ThreadTile does not fit the 255 registers of a thread");
  static_assert(c.min_blocks.per_sm >= 1 && c.min_blocks.per_sm * c.block_threads() <= 2048,
                "a policy's MinBlocks need more threads than an SM holds");
  static_assert(c.stages.count >= 0, "a policy's Stages cannot be negative");
  // With EvenTail the kernel needs 16 bytes more, for its turn.
  static_assert(smem_bytes(c) + (c.even_tail.blocks > 0 ? 16 : 0) <= 227 * 1024,
                "a policy's smem tiles exceed the 227 KB that a block can have");
  static_assert(c.slices.max >= 1, "a policy's Slices must be positive");
  static_assert(c.even_tail.blocks >= 0 && c.even_tail.blocks <= 65536,
                "a policy's EvenTail must be 0 to 65536 blocks");
  static_assert(c.even_tail.blocks == 0 || c.producers.warps > 0,
                "a policy with EvenTail needs Producers");
  static_assert(c.even_tail.blocks == 0 || c.slices.max == 1,
                "a policy with EvenTail cannot have Slices");
  static_assert(!c.adds_in_clusters() || reduction_bytes(c) <= 227 * 1024,
                "a policy with Slices needs smem for its block tile of C: at most 227 KB");
  return c;
}

}  // namespace detail
}  // namespace tessera
