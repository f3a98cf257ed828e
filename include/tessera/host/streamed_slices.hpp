// Into how many slices a policy that streams an operand cuts K, and among how many threads of a
// block.
#pragma once

#include "../arch/cluster_limit.hpp"
#include "../arch/visibility.hpp"
#include "../tile/tile_config.hpp"
#include "gemm_shape.hpp"

namespace tessera {

// Slices of K, and into how many the threads of a block cut each.
struct StreamCut {
  int slices = 1, block_slices = 1;
};

namespace TESSERA_HIDDEN detail {

// The blocks that an H200 holds at once: their shared memory is the limit.
inline constexpr index_t streamed_sm_count = 132;
constexpr index_t streamed_slots(const TileConfig& config) {
  constexpr index_t sm_bytes = index_t{228} * 1024, reserved_bytes = 1024;
  return streamed_sm_count * (sm_bytes / (smem_bytes(config) + reserved_bytes));
}

// Microseconds on an H200 for a cut, beside those that all cuts take. Another chip's would move the
// optimum, not the results.
constexpr double streamed_us(const TileConfig& config, const GemmShape& shape, Major along,
                             const StreamCut& cut) {
  const bool of_b = config.streamed == Streamed::b;
  const index_t wide = of_b ? shape.n : shape.m, narrow = of_b ? shape.m : shape.n;
  const int rows = config.thread_count() / cut.block_slices;
  const index_t narrow_tiles = ceil_div(narrow, of_b ? config.block_m() : config.block_n());
  const index_t blocks = ceil_div(wide, rows) * narrow_tiles * cut.slices;

  // The streamed bytes, from L2 or from beyond, and what a block's own copies in flight can bring.
  constexpr double l2_bytes = 55e6, l2_bytes_per_us = 5.3e6, bytes_per_us = 4.1e6;
  const index_t slots = streamed_slots(config), whole_waves = blocks / slots;
  const double bytes =
      sizeof(float) * static_cast<double>(wide) * static_cast<double>(shape.k * narrow_tiles);
  const bool in_l2 = bytes < l2_bytes;
  const double block_bytes = sizeof(float) * static_cast<double>(rows) *
                             static_cast<double>(ceil_div(shape.k, cut.slices));
  double memory = bytes / (in_l2 ? l2_bytes_per_us : bytes_per_us);
  const auto at_least = [&memory](double us) { memory = memory < us ? us : memory; };
  const bool one = (of_b ? config.block_m() : config.block_n()) == 1;
  if (one) {
    // In a wave that is not full each block has more of the bandwidth.
    constexpr double least_wave = 0.4;
    const double block_bytes_per_us = in_l2 ? 13.5e3 : along == Major::mn ? 18e3 : 14e3;
    const double waves = static_cast<double>(blocks) / static_cast<double>(slots);
    const double whole = static_cast<double>(whole_waves), rest = waves - whole;
    const double tail = rest == 0.0 ? 0.0 : rest < least_wave ? least_wave : rest;
    if (whole_waves > 0) {
      memory *= (whole + tail) / waves;
    } else {
      at_least(block_bytes / block_bytes_per_us);
    }
  } else {
    // With more columns an SM multiplies hardly faster than its part of the bandwidth brings, so
    // that it is as late as it has blocks. The first wave is spread over the SMs; the others fill
    // those that are ready first.
    constexpr double sm_bytes_per_us = 33e3, block_bytes_per_us = 20.4e3, wave = 2.5;
    const index_t waves = ceil_div(blocks, slots);
    const index_t of_sm =
        waves > 1 ? waves * (slots / streamed_sm_count) : ceil_div(blocks, streamed_sm_count);
    at_least(static_cast<double>(of_sm) * block_bytes / sm_bytes_per_us);
    at_least(static_cast<double>(waves) * block_bytes / block_bytes_per_us);
    memory += wave * static_cast<double>(waves - 1);
  }
  // Lines shorter than the 128 bytes of a cache line come several times.
  if (along == Major::mn && rows < 32) memory *= 1.0 + 0.2 * (32.0 / rows - 1.0);
  // Two blocks that read far apart in the same rows: 4096 x 8 x 32768 takes 152 us in clusters of
  // two, 141 in 12 slices.
  if (!one && along == Major::k && !in_l2 && cut.slices == 2) memory *= 1.06;
  // Large clusters reach fewer SMs, and start and end together.
  if (cut.slices == 4) memory *= 1.15;
  if (cut.slices > 4 && cut.slices <= arch::max_cluster) memory *= 1.25;

  // Where that is little, each k-tile of a slice; and the sums.
  constexpr double k_tile = 0.28, block_slice = 0.015, workspace = 2.5;
  const double cluster = one ? 0.9 : cut.slices <= 2 ? 1.4 : 2.0;
  const index_t k_tiles = ceil_div(shape.k, config.block_k());
  const double chain =
      k_tile * static_cast<double>(ceil_div(k_tiles, index_t{cut.slices} * cut.block_slices));
  const double sums = cut.slices == 1 ? 0.0
                      : cut.slices <= arch::max_cluster
                          ? cluster
                          : workspace + 2.0 * sizeof(float) * cut.slices *
                                            static_cast<double>(wide * narrow) / bytes_per_us;
  return (memory > chain ? memory : chain) + block_slice * cut.block_slices + sums;
}

// The best of: one block for each tile, clusters of 2, 4 and 8, and one to three waves; with every
// number of block slices. No slice is shorter than a k-tile.
constexpr StreamCut streamed_cut(const TileConfig& config, const GemmShape& shape, Major along) {
  const bool of_b = config.streamed == Streamed::b;
  const index_t wide = of_b ? shape.n : shape.m, narrow = of_b ? shape.m : shape.n;
  const index_t k_tiles = ceil_div(shape.k, config.block_k());
  const index_t narrow_tiles = ceil_div(narrow, of_b ? config.block_m() : config.block_n());
  const index_t slots = streamed_slots(config);
  // Less is within the error of these times.
  const double worth = (of_b ? config.block_m() : config.block_n()) == 1 ? 0.99 : 0.995;
  StreamCut best;
  double best_us = streamed_us(config, shape, along, best);
  for (int s = 1; s <= config.block_slices.max && s <= k_tiles; s *= 2) {
    const index_t tiles = ceil_div(wide, config.thread_count() / s) * narrow_tiles;
    const index_t worth_trying[] = {
        1, 2, 4, 8, slots / tiles, 2 * slots / tiles, 3 * slots / tiles};
    for (const index_t slices : worth_trying) {
      if (slices < 1 || slices > config.slices.max || slices * s > k_tiles) continue;
      // Clusters of other sizes reach fewer SMs.
      if (slices > 2 && slices < 8 && slices != 4) continue;
      const StreamCut cut{static_cast<int>(slices), s};
      if (const double us = streamed_us(config, shape, along, cut); us < worth * best_us) {
        best = cut, best_us = us;
      }
    }
  }
  return best;
}

}  // namespace detail
}  // namespace tessera
