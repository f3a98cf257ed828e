// Rim: the last rows and columns of C beyond whole tiles, where they are few. Products of their
// own, each of which streams one operand (policy::skinny), take less time than tiles that are
// nearly empty: one of 4097 rows in 33 is, and with the columns 9 % of the work.
#pragma once

#include "../arch/visibility.hpp"
#include "gemm_shape.hpp"
#include "streamed_slices.hpp"

namespace tessera {
namespace TESSERA_HIDDEN detail {

// Up to `widest` beyond the last 64, which all large tiles are multiples of; C is larger than that.
constexpr Rim rim_of(const GemmShape& shape) {
  constexpr index_t widest = 8, tile = 64;
  if (shape.m == 0 || shape.n == 0 || shape.k == 0) return {};
  const auto beyond = [](index_t extent) {
    const index_t rest = extent % tile;
    return extent > tile && rest <= widest ? rest : 0;
  };
  return {beyond(shape.m), beyond(shape.n)};
}

// The policies of a rim's products, by the operand that they stream: rows stream B, columns A.
struct RimConfigs {
  TileConfig rows, cols;
};

// Microseconds on an H200 for the products of a rim, one after the other. `cut`: K in as many
// slices as are best; else each thread has a whole row or column, and memory's latency counts.
constexpr double rim_us(const RimConfigs& configs, const GemmShape& shape, const Rim& rim,
                        bool vectorized, bool cut) {
  constexpr double launch = 2.5;
  const double k_tile = vectorized ? 0.75 : 2.0, scalar = vectorized ? 1.0 : 1.5;
  const auto us = [&](const TileConfig& config, const GemmShape& product) {
    if (!cut) return launch + k_tile * static_cast<double>(ceil_div(shape.k, config.block_k()));
    const StreamCut best = streamed_cut(config, product, Major::k);
    return launch + scalar * streamed_us(config, product, Major::k, best);
  };
  double sum = 0.0;
  if (rim.rows > 0) sum += us(configs.rows, {rim.rows, shape.n, shape.k});
  if (rim.cols > 0) sum += us(configs.cols, {shape.m - rim.rows, rim.cols, shape.k});
  return sum;
}

}  // namespace detail
}  // namespace tessera
