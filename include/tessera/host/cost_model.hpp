// The cost model by which policy::automatic chooses: how long a policy takes for a shape, from
// constants of the chip. Closed form, pure, no device.
//
//     T = launch + max(waves * (block + k_tiles of a slice * k_tile) + stored bytes * store_byte,
//                      bytes * byte) + sum
//
// A wave is as many blocks as the SMs hold at once. The last one may put fewer on an SM, which then
// share it among fewer: block and k_tile are known for each number. As far as the L2 does not hold
// the operands, a k_tile is at least far_k_tile: a block waits for the memory's latency, which few
// on an SM do not hide. Guards and scalar accesses add to each k_tile, and to the epilogue where
// they split cache lines of C.
#pragma once

#include "../arch/cluster_limit.hpp"
#include "../arch/visibility.hpp"
#include "../kernel/sum_slices_grid.hpp"
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

// Blocks drift apart from wave to wave, and those of the last begin where others end: after the
// first wave it counts as if on an SM each, after many by its share of a whole one.
constexpr Waves waves_of(index_t blocks, int sm_count, int blocks_per_sm) {
  Waves waves;
  const index_t wave = index_t{sm_count} * blocks_per_sm, rest = blocks % wave;
  const index_t whole_waves = blocks / wave;
  const auto whole = static_cast<double>(whole_waves);
  const double apart = whole > 0.0 ? 1.0 - 1.0 / whole : 0.0;
  waves.count[blocks_per_sm - 1] =
      whole + apart * static_cast<double>(rest) / static_cast<double>(wave);
  if (rest > 0) waves.count[ceil_div(rest, sm_count) - 1] += 1.0 - apart;
  waves.total = static_cast<double>(ceil_div(blocks, wave));
  return waves;
}

// The SMs that blocks in clusters of so many can use at once; 1: that are in none.
constexpr int sm_count_of(const Chip& chip, int cluster) {
  const int limit = chip.cluster_sm_count[cluster];
  return limit > 0 ? limit : chip.sm_count;
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

// Those of a product in so many slices, added by clusters or not.
constexpr Waves waves_of(const Chip& chip, const TileConfig& config, index_t tiles, index_t k_tiles,
                         int slices, bool in_cluster) {
  Waves waves = waves_of(tiles * slices, sm_count_of(chip, in_cluster ? slices : 1),
                         config.min_blocks.per_sm);
  if (config.even_tail.blocks == 0) return waves;
  const Tail tail = even_tail(tiles, k_tiles, config.even_tail.blocks);
  if (tail.tiles > 0) {
    waves.count[0] = waves.total = waves_with_tail(tail, tiles, k_tiles, config.even_tail.blocks);
  }
  return waves;
}

// Bytes of A, B and C, each moved once.
constexpr double bytes_of(const GemmShape& shape) {
  const double m = static_cast<double>(shape.m), n = static_cast<double>(shape.n),
               k = static_cast<double>(shape.k);
  return sizeof(float) * (m * k + k * n + m * n);
}

// The share of the operands' reads that the L2 does not answer.
constexpr double missed_share(const Chip& chip, const TileConfig& config, const GemmShape& shape) {
  const auto m = static_cast<double>(shape.m), n = static_cast<double>(shape.n),
             k = static_cast<double>(shape.k);
  const double copies_a = shape.n > config.block_n() ? chip.copies : 1.0;
  const double copies_b = shape.m > config.block_m() ? chip.copies : 1.0;
  const double bytes = sizeof(float) * (copies_a * m * k + copies_b * k * n + m * n);
  const double share = (bytes - chip.cached_bytes) / (chip.missed_bytes - chip.cached_bytes);
  return share < 0.0 ? 0.0 : share < 1.0 ? share : 1.0;
}

// Where slices of K are added. As many as a cluster can hold count as added by one, whether or not
// this program is built for chips with clusters only: the choice, and so the bits, do not depend on
// it.
constexpr bool cluster_holds(int slices) { return slices > 1 && slices <= arch::max_cluster; }

// Adding `slices` slices of K in a workspace.
constexpr double workspace_us(const TileCost& cost, const GemmShape& shape, Vectorized vectorized,
                              int slices) {
  const double bytes = sizeof(float) * static_cast<double>(shape.m) * static_cast<double>(shape.n);
  const double waits =
      kernel::are_many_slices(shape.m * shape.n, slices)
          ? 1.0
          : static_cast<double>(kernel::waits_of_sum(slices, vectorized.all ? 4 : 1));
  return cost.workspace + cost.workspace_byte * bytes * slices + cost.workspace_wait * waits;
}

// How long a policy takes for a shape, by the cut of K: what does not depend on it is found once.
class Prediction {
 public:
  constexpr Prediction(const Chip& chip, const TileCost& cost, const TileConfig& config,
                       const GemmShape& shape, Vectorized vectorized)
      : chip_(chip),
        cost_(cost),
        config_(config),
        shape_(shape),
        vectorized_(vectorized),
        tiles_(tiles_of(config, shape)),
        k_tiles_(k_tiles_of(config, shape)),
        memory_(chip.byte * bytes_of(shape)),
        stored_(sizeof(float) * static_cast<double>(shape.m) * static_cast<double>(shape.n) *
                cost.store_byte) {
    double more = 0.0;  // of each k-tile
    if (config.streamed != Streamed::none) {
      // It has one variant for all but the worst.
    } else if (!vectorized.all) {
      const bool only_c = vectorized.operands && config.has_narrow_c_variant();
      more = only_c ? 0.0 : cost.scalar_k_tile, epilogue_ = cost.scalar_k_tiles;
      cluster_epilogue_ = cost.scalar_cluster_k_tiles;
      // An odd K says nothing of C, to which such a kernel writes by 16 bytes where it can.
      wide_c_ = config.has_registers_left() && shape.n % 4 == 0 && shape.k % 4 != 0;
    } else if (config.has_exact_variant() && is_ragged(config, shape)) {
      constexpr index_t line = 32;  // floats of a cache line
      more = cost.guarded_k_tile;
      if (shape.n % line != 0) epilogue_ = cost.guarded_k_tiles;
    }
    const double missed = missed_share(chip, config, shape);
    for (int j = 0; j < config.min_blocks.per_sm; ++j) {
      const double far = cost.far_k_tile - cost.k_tile[j];
      k_tile_[j] = cost.k_tile[j] + (far > 0.0 ? missed * far : 0.0) + more;
    }
  }

  // `workspace`: slices are added in one, as are all that no cluster can hold.
  [[nodiscard]] constexpr double us(int slices, bool workspace) const {
    const bool in_cluster = cluster_holds(slices) && !workspace;
    const Waves waves = waves_of(chip_, config_, tiles_, k_tiles_, slices, in_cluster);
    const double k_tiles = static_cast<double>(ceil_div(k_tiles_, slices));
    const double epilogue = in_cluster               ? cluster_epilogue_
                            : wide_c_ && slices == 1 ? 0.0
                                                     : epilogue_;
    double multiply = in_cluster ? 0.0 : stored_ * slices;
    for (int j = 0; j < config_.min_blocks.per_sm; ++j) {
      multiply +=
          waves.count[j] * (cost_.block[j] + k_tiles * k_tile_[j] + epilogue * cost_.k_tile[j]);
    }
    const double sum = slices == 1  ? 0.0
                       : in_cluster ? waves.total * cost_.cluster
                                    : workspace_us(cost_, shape_, vectorized_, slices);
    return cost_.launch + (multiply > memory_ ? multiply : memory_) + sum;
  }

 private:
  const Chip& chip_;
  const TileCost& cost_;
  const TileConfig& config_;
  const GemmShape& shape_;
  Vectorized vectorized_;
  index_t tiles_, k_tiles_;
  double memory_, stored_;  // of all bytes; of C
  double k_tile_[TileCost::most_blocks] = {};
  double epilogue_ = 0.0, cluster_epilogue_ = 0.0;  // k-tiles of the variant that runs
  bool wide_c_ = false;                             // although it is the scalar one
};

constexpr double predicted_us(const Chip& chip, const TileCost& cost, const TileConfig& config,
                              const GemmShape& shape, Vectorized vectorized, int slices,
                              bool workspace = false) {
  return Prediction(chip, cost, config, shape, vectorized).us(slices, workspace);
}

// A policy that may run.
struct Candidate {
  const char* name = "";
  TileConfig config{};
  const TileCost* cost = nullptr;
  int slices = 0;  // as the policy cuts K; 0: as the model does
  // On its time where K is not cut. By hand, for an error of the model that the fit leaves.
  double unsplit = 1.0;
};
struct Candidates {
  static constexpr int most = 6;
  Candidate list[most];
  int count = 0;
  int preferred = -1;  // of the list: the choice whatever the model says
};

// As it would run.
struct Option {
  int candidate = 0;
  int slices = 1;
  bool workspace = false;  // although a cluster could hold the slices
  double us = 0.0;
};

// f(slices, workspace) for every way to cut K that is worth a look, up to `most` slices and what
// policy and k allow; one slice is the first.
template <class Function>
constexpr void for_each_cut(const Chip& chip, const Candidate& candidate, const GemmShape& shape,
                            int most, const Function& f) {
  f(1, false);
  if (candidate.slices != 0) {
    if (candidate.slices > 1 && candidate.slices <= most) f(candidate.slices, false);
    return;
  }
  const TileConfig& config = candidate.config;
  const index_t tiles = tiles_of(config, shape), k_tiles = k_tiles_of(config, shape);
  index_t limit = config.slices.max < most ? config.slices.max : most;
  if (k_tiles < limit) limit = k_tiles;
  for (int slices = 2; slices <= arch::max_cluster && slices <= limit; ++slices) {
    // Other clusters pack SMs in ways that the model does not know: 1024 x 64 x 1024 takes 12 us in
    // clusters of 7 where 8.4 are predicted, 197 x 768 x 768 in 48 of 8 14.8 instead of 13.1.
    const bool few = slices < arch::max_cluster || tiles * slices <= 2 * index_t{chip.sm_count};
    const bool packs = (slices & (slices - 1)) == 0 && few;
    if (config.adds_in_clusters() && packs) f(slices, false);
    f(slices, true);
  }
  if (tiles == 0) return;
  // Those that fill waves, as few as are that short. Beyond so many waves the last weighs little.
  constexpr index_t most_waves = 4;
  const index_t wave = chip.sm_count * index_t{config.min_blocks.per_sm};
  index_t before = arch::max_cluster;
  for (index_t blocks = chip.sm_count; blocks <= most_waves * wave;
       blocks += blocks < wave ? chip.sm_count : wave) {
    index_t slices = blocks / tiles;
    if (slices > limit) slices = limit;
    if (slices > 1) slices = ceil_div(k_tiles, ceil_div(k_tiles, slices));
    if (slices > before) f(static_cast<int>(slices), false), before = slices;
  }
}

// Candidate number `i` with its best cut; `workspaces`: also where clusters could add the slices.
constexpr Option best_option(const Chip& chip, const Candidates& candidates, int i,
                             const GemmShape& shape, Vectorized vectorized, int most,
                             bool workspaces = true) {
  const Candidate& c = candidates.list[i];
  const Prediction prediction(chip, *c.cost, c.config, shape, vectorized);
  Option best{i, 1, false, 0.0};
  for_each_cut(chip, c, shape, most, [&](int slices, bool workspace) {
    if (workspace && !workspaces && c.config.adds_in_clusters()) return;
    const double us = prediction.us(slices, workspace) * (slices == 1 ? c.unsplit : 1.0);
    if (slices == 1 || us < best.us) best = {i, slices, workspace, us};
  });
  return best;
}

// The best number of slices for a policy that is asked for by name: clusters add what they can
// hold.
constexpr int best_slices(const Chip& chip, const TileCost& cost, const TileConfig& config,
                          const GemmShape& shape) {
  const Candidates named{{{"", config, &cost}}, 1};
  return best_option(chip, named, 0, shape, true, config.slices.max, false).slices;
}

// The candidate with the fewest microseconds (of equals, the first) and the best of the others.
struct Ranking {
  Option best, runner_up;
};
constexpr Ranking rank_up_to(const Chip& chip, const Candidates& candidates, const GemmShape& shape,
                             Vectorized vectorized, int most_slices) {
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
// more than the model's error: else it is that without slices. Scalar accesses are known less well:
// 12544 x 64 x 147 takes 10.3 us unsplit, predicted 11.5, and 11.7 in two slices, predicted 10.7.
constexpr Ranking rank(const Chip& chip, const Candidates& candidates, const GemmShape& shape,
                       Vectorized vectorized, int most_slices) {
  const double error = vectorized.operands ? 0.05 : 0.1;
  const Ranking split = rank_up_to(chip, candidates, shape, vectorized, most_slices);
  if (split.best.slices == 1) return split;
  const Ranking unsplit = rank_up_to(chip, candidates, shape, vectorized, 1);
  return split.best.us < (1.0 - error) * unsplit.best.us ? split : unsplit;
}

}  // namespace detail
}  // namespace tessera
