// Samples -> the constants of a Chip: those with the least relative errors, none below zero, by
// Gauss's and Newton's method. The model is linear in each constant but where it takes the larger
// of two times, so a few steps do. Errors far beyond the usual count less than their square: a
// model that does not know why a few are slow should not pay for them in all others.
#pragma once

#include <cmath>
#include <stdexcept>
#include <tessera/host/cost_model.hpp>

#include "least_squares.hpp"
#include "samples.hpp"

namespace tessera::bench {

// A sample and the config of the policy that it is of.
struct Observation {
  const Sample* sample;
  TileConfig config;
};

namespace detail {

// f(constant) for every constant of a TileCost that policies with so many blocks on an SM have.
template <class Cost, class Function>
void for_each_constant(Cost& c, int blocks_per_sm, const Function& f) {
  f(c.launch);
  for (int j = 0; j < blocks_per_sm; ++j) f(c.block[j]), f(c.k_tile[j]);
  f(c.far_k_tile);
  f(c.guarded_k_tile), f(c.guarded_k_tiles);
  f(c.scalar_k_tile), f(c.scalar_k_tiles), f(c.scalar_cluster_k_tiles);
  f(c.store_byte), f(c.cluster);
  f(c.workspace), f(c.workspace_byte), f(c.workspace_wait);
}

// Where the search starts: of the order of any GPU's, none at zero, and far_k_tile above the
// k_tiles, so that each moves some prediction.
inline TileCost start_of(int blocks_per_sm) {
  TileCost cost;
  for_each_constant(cost, blocks_per_sm, [](double& constant) { constant = 1.0; });
  for (int j = 0; j < blocks_per_sm; ++j) cost.k_tile[j] = 0.4 * (j + 1);
  cost.far_k_tile = 2.5 * cost.k_tile[0];
  cost.guarded_k_tile = cost.scalar_k_tile = 0.1;
  cost.store_byte = cost.workspace_byte = 1e-7;
  return cost;
}

inline double predicted_us(const Observation& o, const TileCost& cost, const Chip& chip) {
  const Sample& s = *o.sample;
  return tessera::detail::predicted_us(chip, cost, o.config, s.shape, s.vectorized, s.slices,
                                       s.workspace);
}

// The constants that fit best where the model is replaced by its tangent at `cost`; `usual`: errors
// up to about so much, relative, count as their square.
inline TileCost next_cost(const std::vector<Observation>& observations, const TileCost& cost,
                          const Chip& chip, double usual) {
  const int blocks_per_sm = observations[0].config.min_blocks.per_sm;
  std::vector<Row> rows;
  std::vector<double> targets, scales;
  for (const Observation& o : observations) {
    const double us = o.sample->us, here = predicted_us(o, cost, chip);
    Row row;
    double at_zero = here;
    TileCost moved = cost;
    for_each_constant(moved, blocks_per_sm, [&](double& constant) {
      const double value = constant, step = value > 0.0 ? 1e-4 * value : 1e-9;
      constant = value + step;
      row.push_back((predicted_us(o, moved, chip) - here) / step);
      at_zero -= row.back() * value;
      constant = value;
    });
    rows.push_back(row);
    targets.push_back(us - at_zero);
    const double error = (here / us - 1.0) / usual;
    scales.push_back(us * std::pow(1.0 + error * error, 0.25));
  }
  const Row x = fit_nonnegative(rows, targets, scales);
  TileCost next;
  std::size_t i = 0;
  for_each_constant(next, blocks_per_sm, [&](double& constant) { constant = x[i++]; });
  return next;
}

}  // namespace detail

// What samples say of a chip without a fit.
inline Chip bare_chip(const Samples& samples) {
  Chip chip;
  chip.sm_count = samples.sm_count;
  std::copy(samples.cluster_sm_count.begin(), samples.cluster_sm_count.end(),
            chip.cluster_sm_count);
  chip.byte = samples.byte_us;
  return chip;
}

inline TileCost fit_cost(const std::vector<Observation>& observations, const Chip& chip,
                         const char* what) {
  if (observations.empty()) {
    throw std::runtime_error(std::string("there are no samples of ") + what + " to fit");
  }
  constexpr int steps = 40, rough_steps = 5;
  constexpr double usual = 0.04;
  TileCost cost = detail::start_of(observations[0].config.min_blocks.per_sm);
  for (int step = 0; step < steps; ++step) {
    cost = detail::next_cost(observations, cost, chip, step < rough_steps ? 1.0 : usual);
  }
  if (cost.far_k_tile < 1.001 * cost.k_tile[0]) cost.far_k_tile = 0.0;  // never the larger
  return cost;
}

// candidates(chip, shape): those of policy::automatic, which name the configs.
template <class Candidates>
Chip fit_chip(const Samples& samples, const Candidates& candidates) {
  Chip chip = bare_chip(samples);
  const auto fit = [&](TileCost& cost, const char* what) {
    // The samples of the candidate that has its constants there.
    std::vector<Observation> observations;
    for (const Sample& s : samples.rows) {
      const tessera::detail::Candidates all = candidates(chip, s.shape);
      for (int i = 0; i < all.count; ++i) {
        if (all.preferred >= 0 && all.preferred != i) continue;  // who would not be asked
        const tessera::detail::Candidate& c = all.list[i];
        // Those that cut K themselves do it in a block too when judged, which the model knows not.
        if (c.slices != 0 && s.set != "fit") continue;
        if (c.cost == &cost && s.policy == c.name) observations.push_back({&s, c.config});
      }
    }
    cost = fit_cost(observations, chip, what);
  };
  fit(chip.pipelined, "pipelined");
  fit(chip.split_k_wide, "split_k_wide");
  fit(chip.split_k_tall, "split_k_tall");
  fit(chip.split_k, "split_k");
  fit(chip.split_k_pipelined, "split_k_pipelined");
  fit(chip.skinny, "skinny");
  fit(chip.narrow[0], "narrow up to 16");
  fit(chip.narrow[1], "narrow up to 32");
  fit(chip.narrow[2], "narrow up to 48");
  return chip;
}

}  // namespace tessera::bench
