// Into how many slices a policy that streams an operand cuts K.
#pragma once

#include "../arch/visibility.hpp"
#include "../tile/tile_config.hpp"
#include "gemm_shape.hpp"

namespace tessera {
namespace TESSERA_HIDDEN detail {

// So many that the blocks fill an H200 in whole waves, against what the sums of the slices cost:
// each is written and read once more. Another chip's SMs would move the optimum, not the results.
constexpr int streamed_slices(const TileConfig& config, const GemmShape& shape) {
  constexpr index_t sm_count = 132, most_waves = 3;
  // Of a slice. Small problems gain from many short ones: 1024 x 1 x 512 takes 8.8 us in 5 slices
  // and 4.8 in 16.
  constexpr index_t least_k_tiles = 2;
  const index_t slots = sm_count * config.min_blocks.per_sm;
  const index_t tiles = ceil_div(shape.m, config.block_m()) * ceil_div(shape.n, config.block_n());
  index_t most = shape.k / (least_k_tiles * config.block_k());
  if (most > config.slices.max) most = config.slices.max;
  // Elements of the streamed operand that share one element of C's slice.
  const double mn = static_cast<double>(config.streamed == Streamed::b ? shape.m : shape.n);
  const double sum_per_slice = 2.0 * mn / static_cast<double>(shape.k);

  index_t best = 1;
  double best_time = 0.0;
  for (index_t waves = 0; waves <= most_waves; ++waves) {  // 0: one slice
    index_t slices = waves * slots / tiles;
    if (slices > most) slices = most;
    if (slices < 1) slices = 1;
    const double filled = static_cast<double>(tiles * slices) / static_cast<double>(slots);
    const index_t whole_waves = tiles * slices / slots;
    const auto whole = static_cast<double>(whole_waves);
    // The blocks of a wave that is not full have more of the bandwidth each, to a limit.
    constexpr double least_wave = 0.4;
    const double rest = filled - whole;
    const double tail = rest == 0.0 ? 0.0 : rest < least_wave ? least_wave : rest;
    const double time =
        (whole + tail) / filled + (slices > 1 ? static_cast<double>(slices) * sum_per_slice : 0.0);
    if (waves == 0 || time < best_time) best = slices, best_time = time;
  }
  return static_cast<int>(best);
}

}  // namespace detail
}  // namespace tessera
