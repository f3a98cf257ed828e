// Samples -> the constants of a Chip. The model is linear in its constants wherever it is not
// limited by memory, so they are least squares of the relative errors, none below zero:
//   1. launch, block, k_tile and the sums of slices, from aligned problems of whole tiles;
//   2. guarded and scalar and their k-tiles, one pair at a time, with those held.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <tessera/host/cost_model.hpp>

#include "samples.hpp"

namespace tessera::bench {

using Row = std::vector<double>;

// x >= 0 with the least sum over rows of ((row . x - target) / scale)^2: coordinate by coordinate,
// which converges because the sum is convex. Without scales: relative to the targets.
inline std::vector<double> fit_relative(std::span<const Row> rows, std::span<const double> targets,
                                        std::span<const double> scales = {}) {
  const std::size_t unknowns = rows.empty() ? 0 : rows[0].size();
  std::vector<Row> normal(unknowns, Row(unknowns));
  Row right(unknowns);
  if (scales.empty()) scales = targets;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    for (std::size_t i = 0; i < unknowns; ++i) {
      const double scaled = rows[r][i] / scales[r];
      right[i] += scaled * targets[r] / scales[r];
      for (std::size_t j = 0; j < unknowns; ++j) normal[i][j] += scaled * rows[r][j] / scales[r];
    }
  }
  constexpr int sweeps = 100000;
  constexpr double settled = 1e-10;  // relative change of every unknown
  std::vector<double> x(unknowns);
  for (int sweep = 0; sweep < sweeps; ++sweep) {
    double change = 0.0;
    for (std::size_t i = 0; i < unknowns; ++i) {
      if (normal[i][i] == 0.0) continue;  // in no sample
      double residual = right[i];
      for (std::size_t j = 0; j < unknowns; ++j) residual -= normal[i][j] * x[j];
      const double next = std::max(0.0, x[i] + residual / normal[i][i]);
      change = std::max(change, std::abs(next - x[i]) / std::max(next, 1e-12));
      x[i] = next;
    }
    if (change < settled) break;
  }
  return x;
}

// A sample and the config of the policy that it is of.
struct Observation {
  const Sample* sample;
  TileConfig config;
};

namespace detail {

inline constexpr int most_blocks = TileCost::most_blocks;

// The unknowns of a TileCost in a row: launch; block and k_tile by the blocks that share an SM;
// cluster, cluster_slice, workspace, workspace_byte.
inline Row terms(const Observation& o, const Chip& chip) {
  const Sample& s = *o.sample;
  const bool in_cluster = tessera::detail::cluster_holds(s.slices) && !s.workspace;
  const bool in_workspace = s.slices > 1 && !in_cluster;
  const auto waves = tessera::detail::waves_of(
      chip, o.config, tessera::detail::tiles_of(o.config, s.shape),
      tessera::detail::k_tiles_of(o.config, s.shape), s.slices, in_cluster);
  const auto k_tiles = static_cast<double>(
      tessera::detail::ceil_div(tessera::detail::k_tiles_of(o.config, s.shape), s.slices));
  Row row{1.0};
  for (const double count : waves.count) row.push_back(count);
  for (const double count : waves.count) row.push_back(count * k_tiles);
  const double elements = static_cast<double>(s.shape.m) * static_cast<double>(s.shape.n);
  row.push_back(in_cluster ? waves.total : 0.0);
  row.push_back(in_cluster ? waves.total * s.slices : 0.0);
  row.push_back(in_workspace ? 1.0 : 0.0);
  row.push_back(in_workspace ? sizeof(float) * elements * s.slices : 0.0);
  return row;
}

inline TileCost cost_of(const std::vector<double>& x) {
  TileCost cost;
  cost.launch = x[0];
  for (std::size_t j = 0; j < most_blocks; ++j) {
    cost.block[j] = x[1 + j];
    cost.k_tile[j] = x[1 + most_blocks + j];
  }
  constexpr std::size_t sums = 1 + 2 * most_blocks;
  cost.cluster = x[sums], cost.cluster_slice = x[sums + 1];
  cost.workspace = x[sums + 2], cost.workspace_byte = x[sums + 3];
  return cost;
}

// The factor on k_tile that these have, at least 1, and the k-tiles that they cost more.
struct Factor {
  double factor = 1.0, k_tiles = 0.0;
};
inline Factor fit_factor(const std::vector<Observation>& observations, const TileCost& cost,
                         Chip chip) {
  chip.byte = 0.0;  // of unlimited bandwidth
  std::vector<Row> rows;
  std::vector<double> targets, scales;
  for (const auto& [s, config] : observations) {
    const auto us = [&](double factor, double k_tiles) {
      TileCost c = cost;
      c.guarded = c.scalar = factor;
      c.guarded_k_tiles = c.scalar_k_tiles = k_tiles;
      return tessera::detail::predicted_us(chip, c, config, s->shape, s->vectorized, s->slices,
                                           s->workspace);
    };
    // Beyond a factor of 1.
    rows.push_back({us(2.0, 0.0) - us(1.0, 0.0), us(1.0, 1.0) - us(1.0, 0.0)});
    targets.push_back(s->us - us(1.0, 0.0));
    scales.push_back(s->us);
  }
  if (rows.empty()) return {};
  const std::vector<double> x = fit_relative(rows, targets, scales);
  return {1.0 + x[0], x[1]};
}

// Waves that put at most two blocks on an SM, where memory's latency shows; none where the L2 holds
// the operands.
inline constexpr int few_blocks = 2;
inline double far_waves(const Observation& o, const Chip& chip) {
  const Sample& s = *o.sample;
  if (tessera::detail::is_cached(chip, s.shape)) return 0.0;
  const Row row = terms(o, chip);
  return row[1] + row[few_blocks];
}

// The time of a k-tile in these waves.
inline double fit_far_k_tile(const std::vector<Observation>& observations, const TileCost& cost,
                             Chip chip) {
  TileCost without = cost;
  for (int j = 0; j < few_blocks; ++j) without.k_tile[j] = 0.0;
  chip.byte = 0.0;  // of unlimited bandwidth
  double above = 0.0, below = 0.0;
  for (const Observation& o : observations) {
    const Sample& s = *o.sample;
    const double rest = tessera::detail::predicted_us(chip, without, o.config, s.shape, true,
                                                      s.slices, s.workspace);
    const auto k_tiles = static_cast<double>(
        tessera::detail::ceil_div(tessera::detail::k_tiles_of(o.config, s.shape), s.slices));
    const double coefficient = far_waves(o, chip) * k_tiles / s.us;
    above += coefficient * (1.0 - rest / s.us);
    below += coefficient * coefficient;
  }
  return below > 0.0 ? std::max(0.0, above / below) : 0.0;
}

}  // namespace detail

// What samples say of a chip without a fit.
inline Chip bare_chip(const Samples& samples) {
  Chip chip;
  chip.sm_count = samples.sm_count;
  std::copy(samples.cluster_sm_count.begin(), samples.cluster_sm_count.end(),
            chip.cluster_sm_count);
  return chip;
}

// `latency`: that of memory shows in the policy.
inline TileCost fit_cost(const std::vector<Observation>& observations, const Samples& samples,
                         const char* what, bool latency) {
  const Chip chip = bare_chip(samples);
  constexpr double limited = 0.6;  // share of the time that memory alone would need
  std::vector<Row> rows;
  std::vector<double> targets;
  std::vector<Observation> guarded, scalar, far;
  for (const Observation& o : observations) {
    const Sample& s = *o.sample;
    if (samples.byte_us * tessera::detail::bytes_of(s.shape) > limited * s.us) continue;
    const bool streams = o.config.streamed != Streamed::none;  // factors are not for these
    if (!streams && !s.vectorized) {
      scalar.push_back(o);
    } else if (!streams && tessera::detail::is_ragged(o.config, s.shape)) {
      guarded.push_back(o);
    } else if (latency && detail::far_waves(o, chip) > 0.0) {
      far.push_back(o);
    } else {
      rows.push_back(detail::terms(o, chip));
      targets.push_back(s.us);
    }
  }
  if (rows.empty()) {
    throw std::runtime_error(std::string("there are no samples of ") + what + " to fit");
  }
  TileCost cost = detail::cost_of(fit_relative(rows, targets));
  cost.far_k_tile = detail::fit_far_k_tile(far, cost, chip);
  const detail::Factor of_guarded = detail::fit_factor(guarded, cost, chip);
  const detail::Factor of_scalar = detail::fit_factor(scalar, cost, chip);
  cost.guarded = of_guarded.factor, cost.guarded_k_tiles = of_guarded.k_tiles;
  cost.scalar = of_scalar.factor, cost.scalar_k_tiles = of_scalar.k_tiles;
  return cost;
}

// candidates(chip, shape): those of policy::automatic, which name the configs.
template <class Candidates>
Chip fit_chip(const Samples& samples, const Candidates& candidates) {
  Chip chip = bare_chip(samples);
  chip.byte = samples.byte_us;
  const auto fit = [&](TileCost& cost, const char* what, bool latency = false) {
    // The samples of the candidate that has its constants there.
    std::vector<Observation> observations;
    for (const Sample& s : samples.rows) {
      if (s.set != "fit") continue;
      const tessera::detail::Candidates all = candidates(chip, s.shape);
      for (int i = 0; i < all.count; ++i) {
        const tessera::detail::Candidate& c = all.list[i];
        if (c.cost == &cost && s.policy == c.name) observations.push_back({&s, c.config});
      }
    }
    cost = fit_cost(observations, samples, what, latency);
  };
  fit(chip.pipelined, "pipelined");
  fit(chip.split_k_wide, "split_k_wide");
  fit(chip.split_k_tall, "split_k_tall");
  fit(chip.split_k, "split_k");
  fit(chip.skinny, "skinny");
  fit(chip.narrow[0], "narrow up to 16", true);
  fit(chip.narrow[1], "narrow up to 32", true);
  fit(chip.narrow[2], "narrow up to 48", true);
  return chip;
}

}  // namespace tessera::bench
