// Least squares with no unknown below zero.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

namespace tessera::bench {

using Row = std::vector<double>;

namespace detail {

// The solution of the symmetric system that `free` leaves of normal * x = right, by elimination;
// the other unknowns are 0. A trace of each diagonal keeps twins apart.
inline Row solve(const std::vector<Row>& normal, const Row& right, const std::vector<bool>& free) {
  constexpr double trace = 1e-12;
  std::vector<std::size_t> of;
  for (std::size_t i = 0; i < right.size(); ++i) {
    if (free[i]) of.push_back(i);
  }
  std::vector<Row> rows;
  for (const std::size_t i : of) {
    Row row;
    for (const std::size_t j : of) row.push_back(normal[i][j] * (i == j ? 1.0 + trace : 1.0));
    row.push_back(right[i]);
    rows.push_back(row);
  }
  const std::size_t count = of.size();
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t below = i + 1; below < count; ++below) {
      const double factor = rows[below][i] / rows[i][i];
      for (std::size_t j = i; j <= count; ++j) rows[below][j] -= factor * rows[i][j];
    }
  }
  Row x(right.size());
  for (std::size_t i = count; i-- > 0;) {
    double value = rows[i][count];
    for (std::size_t j = i + 1; j < count; ++j) value -= rows[i][j] * x[of[j]];
    x[of[i]] = value / rows[i][i];
  }
  return x;
}

}  // namespace detail

// x >= 0 with the least sum over rows of ((row . x - target) / scale)^2; an unknown that no row has
// is 0. By active sets (Lawson and Hanson): an unknown is let off zero while that lowers the sum,
// and goes back to it where the solution without bounds would take it below.
inline Row fit_nonnegative(std::span<const Row> rows, std::span<const double> targets,
                           std::span<const double> scales) {
  const std::size_t unknowns = rows.empty() ? 0 : rows[0].size();
  std::vector<Row> normal(unknowns, Row(unknowns));
  Row right(unknowns), x(unknowns);
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const double weight = 1.0 / (scales[r] * scales[r]);
    for (std::size_t i = 0; i < unknowns; ++i) {
      right[i] += weight * rows[r][i] * targets[r];
      for (std::size_t j = 0; j < unknowns; ++j) {
        normal[i][j] += weight * rows[r][i] * rows[r][j];
      }
    }
  }
  std::vector<bool> free(unknowns);
  for (std::size_t step = 0; step < 10 * unknowns; ++step) {
    // What lowers the sum most, in units of the unknown's own column.
    double steepest = 1e-9 * std::sqrt(static_cast<double>(rows.size()));
    std::size_t next = unknowns;
    for (std::size_t i = 0; i < unknowns; ++i) {
      if (free[i] || normal[i][i] == 0.0) continue;
      double slope = right[i];
      for (std::size_t j = 0; j < unknowns; ++j) slope -= normal[i][j] * x[j];
      slope /= std::sqrt(normal[i][i]);
      if (slope > steepest) steepest = slope, next = i;
    }
    if (next == unknowns) break;
    free[next] = true;
    for (;;) {
      const Row wanted = detail::solve(normal, right, free);
      double share = 1.0;  // of the way there, until one is at zero
      std::size_t first = unknowns;
      for (std::size_t i = 0; i < unknowns; ++i) {
        if (!free[i] || wanted[i] > 0.0) continue;
        const double until = x[i] / (x[i] - wanted[i]);
        if (first == unknowns || until < share) share = until, first = i;
      }
      for (std::size_t i = 0; i < unknowns; ++i) x[i] += share * (wanted[i] - x[i]);
      if (first == unknowns) break;
      x[first] = 0.0, free[first] = false;
    }
  }
  return x;
}

}  // namespace tessera::bench
