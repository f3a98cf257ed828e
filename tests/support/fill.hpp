// What test matrices hold: pure functions of a kind, a seed and the element's number.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include "host_matrix.hpp"

namespace tessera::support {

enum class Fill {
  by_default,      // A and B: uniform. C: all_nan if beta is 0, else uniform
  small_integers,  // -4 .. 4: products and sums are exact
  uniform,         // (-1, 1)
  specials,        // uniform with one in 16 a NaN, Inf, zero of either sign, subnormal or huge
  tiny,            // uniform * 2^-70: products are subnormal or underflow
  all_nan,
  all_inf,
};

[[nodiscard]] inline const char* name_of(Fill fill) {
  constexpr const char* names[] = {"by_default", "small_integers", "uniform", "specials",
                                   "tiny",       "all_nan",        "all_inf"};
  return names[static_cast<int>(fill)];
}

// splitmix64's output function: neighbouring inputs give unrelated outputs.
[[nodiscard]] constexpr std::uint64_t scramble(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

[[nodiscard]] inline float fill_value(Fill fill, std::uint64_t random) {
  using limits = std::numeric_limits<float>;
  constexpr float specials[] = {
      limits::quiet_NaN(),  limits::infinity(), -limits::infinity(), 0.0f, -0.0f,
      limits::denorm_min(), -limits::min() / 3, -limits::max()};
  // An odd multiple of 2^-23: exact, never zero.
  const int odd = 2 * static_cast<int>(random >> 41) + 1 - (1 << 23);
  const float uniform = static_cast<float>(odd) * 0x1p-23f;
  switch (fill) {
    case Fill::small_integers:
      return static_cast<float>(static_cast<int>((random >> 32) % 9) - 4);
    case Fill::specials:
      return random % 16 == 0 ? specials[random / 16 % 8] : uniform;
    case Fill::tiny:
      return uniform * 0x1p-70f;
    case Fill::all_nan:
      return limits::quiet_NaN();
    case Fill::all_inf:
      return limits::infinity();
    default:
      return uniform;
  }
}

[[nodiscard]] inline HostMatrix filled(index_t rows, index_t cols, Fill fill, std::uint64_t seed) {
  HostMatrix matrix(rows, cols);
  std::uint64_t at = scramble(seed);
  for (float& value : matrix.data) value = fill_value(fill, scramble(at++));
  return matrix;
}

}  // namespace tessera::support
