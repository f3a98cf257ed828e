// The cost model by which policy::automatic chooses: how long a policy takes for a shape, from
// constants of the chip. Closed form, pure, no device.
//
//     T = launch + max(waves * (block + k_tiles of a slice * k_tile), bytes * byte) + sum
//
// A wave is as many blocks as the SMs hold at once. The last one may put fewer on an SM, which then
// share it among fewer: block and k_tile are known for each number. Where the L2 does not hold the
// operands, a k_tile is at least far_k_tile.
#pragma once

#include "../arch/cluster_limit.hpp"
#include "../arch/visibility.hpp"
#include "../tile/tile_config.hpp"
#include "chip.hpp"
#include "even_tail.hpp"
#include "gemm_shape.hpp"

namespace tessera {
namespace TESSERA_HIDDEN detail {

// Waves by the number of blocks that share an SM: count[j] with j + 1 of them.
struct Waves {
  double count[TileCost::most_blocks] = {};
  double total = 0.0;
};

constexpr Waves waves_of(index_t blocks, int sm_count, int blocks_per_sm) {
  Waves waves;
  const index_t wave = index_t{sm_count} * blocks_per_sm, rest = blocks % wave;
  const index_t whole = blocks / wave;
  waves.count[blocks_per_sm - 1] = static_cast<double>(whole);
  if (rest > 0) waves.count[ceil_div(rest, sm_count) - 1] += 1.0;
  waves.total = static_cast<double>(ceil_div(blocks, wave));
  return waves;
}

// The SMs that the blocks of a product in so many slices can use at once.
constexpr int sm_count_of(const Chip& chip, int slices) {
  const bool limited = slices <= arch::max_cluster && chip.cluster_sm_count[slices] > 0;
  return limited ? chip.cluster_sm_count[slices] : chip.sm_count;
}

constexpr index_t tiles_of(const TileConfig& config, const GemmShape& shape) {
  return ceil_div(shape.m, config.block_m()) * ceil_div(shape.n, config.block_n());
}
constexpr index_t k_tiles_of(const TileConfig& config, const GemmShape& shape) {
  return ceil_div(shape.k, config.block_k());
}
constexpr bool is_ragged(const TileConfig& config, const GemmShape& shape) {
  return shape.m % config.block_m() != 0 || shape.n % config.block_n() != 0 ||
         shape.k % config.block_k() != 0;
}

// Bytes of A, B and C, each moved once.
constexpr double bytes_of(const GemmShape& shape) {
  const double m = static_cast<double>(shape.m), n = static_cast<double>(shape.n),
               k = static_cast<double>(shape.k);
  return sizeof(float) * (m * k + k * n + m * n);
}

constexpr bool is_cached(const Chip& chip, const GemmShape& shape) {
  return bytes_of(shape) <= chip.cached_bytes;
}

// Adding `slices` slices of K: clusters do it in every wave. Slices that a cluster can hold count
// as such, whether or not this program is built for chips with clusters only: the choice, and so
// the bits, do not depend on it.
constexpr double sum_us(const TileCost& cost, const GemmShape& shape, int slices,
                        const Waves& waves) {
  if (slices == 1) return 0.0;
  if (slices <= arch::max_cluster) {
    return waves.total * (cost.cluster + cost.cluster_slice * slices);
  }
  const double elements = static_cast<double>(shape.m) * static_cast<double>(shape.n);
  return cost.workspace + cost.workspace_byte * sizeof(float) * elements * slices;
}

// `vectorized`: pointers and lds of all operands allow whole accesses.
constexpr double predicted_us(const Chip& chip, const TileCost& cost, const TileConfig& config,
                              const GemmShape& shape, bool vectorized, int slices) {
  Waves waves = waves_of(tiles_of(config, shape) * slices, sm_count_of(chip, slices),
                         config.min_blocks.per_sm);
  const double k_tiles = static_cast<double>(ceil_div(k_tiles_of(config, shape), slices));
  const bool guarded = config.has_exact_variant() && is_ragged(config, shape);
  if (config.even_tail.blocks > 0) {
    const index_t tiles = tiles_of(config, shape);
    const Tail tail = even_tail(tiles, k_tiles_of(config, shape), config.even_tail.blocks);
    if (tail.tiles > 0) {
      waves.count[0] = waves.total =
          waves_with_tail(tail, tiles, k_tiles_of(config, shape), config.even_tail.blocks);
    }
  }
  double factor = !vectorized ? cost.scalar : guarded ? cost.guarded : 1.0;
  if (config.streamed != Streamed::none) factor = 1.0;  // it has one variant for all but the worst
  const double least = is_cached(chip, shape) ? 0.0 : cost.far_k_tile;
  double multiply = 0.0;
  for (int j = 0; j < config.min_blocks.per_sm; ++j) {
    const double k_tile = cost.k_tile[j] > least ? cost.k_tile[j] : least;
    multiply += waves.count[j] * (cost.block[j] + factor * k_tiles * k_tile);
  }
  const double memory = chip.byte * bytes_of(shape);
  return cost.launch + (multiply > memory ? multiply : memory) + sum_us(cost, shape, slices, waves);
}

// A policy that may run.
struct Candidate {
  const char* name = "";
  TileConfig config{};
  const TileCost* cost = nullptr;
  int slices = 0;  // as the policy cuts K; 0: as the model does
};
struct Candidates {
  static constexpr int most = 4;
  Candidate list[most];
  int count = 0;
  int preferred = -1;  // of the list: the choice whatever the model says
};

// As it would run.
struct Option {
  int candidate = 0;
  int slices = 1;
  double us = 0.0;
};

// Candidate number `i` with its best number of slices, up to `most` and what policy and k allow.
constexpr Option best_option(const Chip& chip, const Candidates& candidates, int i,
                             const GemmShape& shape, bool vectorized, int most) {
  constexpr int worth_trying[] = {2, 3, 4, 5, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256};
  const Candidate& c = candidates.list[i];
  const auto us = [&](int slices) {
    return predicted_us(chip, *c.cost, c.config, shape, vectorized, slices);
  };
  Option best{i, 1, us(1)};
  const auto consider = [&](int slices) {
    if (const double split = us(slices); split < best.us) best = {i, slices, split};
  };
  if (c.slices != 0) {
    if (c.slices <= most) consider(c.slices);
    return best;
  }
  // Beyond so many waves the last one weighs little.
  constexpr index_t most_waves = 8;
  const index_t most_blocks = most_waves * chip.sm_count * c.config.min_blocks.per_sm;
  const index_t tiles = tiles_of(c.config, shape), k_tiles = k_tiles_of(c.config, shape);
  for (const int slices : worth_trying) {
    if (slices > most || slices > c.config.slices.max || slices > k_tiles) break;
    if (tiles * slices > most_blocks) break;
    consider(slices);
  }
  return best;
}

// The candidate with the fewest microseconds (of equals, the first) and the best of the others.
struct Ranking {
  Option best, runner_up;
};
constexpr Ranking rank_up_to(const Chip& chip, const Candidates& candidates, const GemmShape& shape,
                             bool vectorized, int most_slices) {
  const auto option = [&](int i) {
    return best_option(chip, candidates, i, shape, vectorized, most_slices);
  };
  Ranking ranking{option(0), option(1)};
  if (ranking.runner_up.us < ranking.best.us) ranking = {ranking.runner_up, ranking.best};
  for (int i = 2; i < candidates.count; ++i) {
    const Option next = option(i);
    if (next.us < ranking.best.us) {
      ranking = {next, ranking.best};
    } else if (next.us < ranking.runner_up.us) {
      ranking.runner_up = next;
    }
  }
  if (candidates.preferred >= 0 && candidates.preferred != ranking.best.candidate) {
    ranking = {option(candidates.preferred), ranking.best};
  }
  return ranking;
}

// The ranking with K in up to so many slices. They change the bits of a result, so they must save
// more than the model's error: else it is that without slices.
constexpr Ranking rank(const Chip& chip, const Candidates& candidates, const GemmShape& shape,
                       bool vectorized, int most_slices) {
  constexpr double error = 0.03;
  const Ranking split = rank_up_to(chip, candidates, shape, vectorized, most_slices);
  if (split.best.slices == 1) return split;
  const Ranking unsplit = rank_up_to(chip, candidates, shape, vectorized, 1);
  return split.best.us < (1.0 - error) * unsplit.best.us ? split : unsplit;
}

}  // namespace detail
}  // namespace tessera
