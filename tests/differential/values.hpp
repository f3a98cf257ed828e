// What a matrix of a random call holds.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>

#include "fill.hpp"
#include "random.hpp"

namespace tessera::differential {

enum class Data {
  small_integers,  // exact products and sums, many zeros
  uniform,         // (-1, 1)
  wide_exponents,  // 2^-60 .. 2^60 in size: sums that lose most terms
  extremes,        // any exponent: sums overflow and turn into NaN
  subnormals,      // and zeros, of both signs
  specials,        // uniform with some NaN, Inf, zero of either sign, subnormal and huge
  underflow,       // products are subnormal or round to a zero of either sign
  all_nan,         // C where it must not be read
};

[[nodiscard]] inline const char* name_of(Data data) {
  constexpr const char* names[] = {"small_integers", "uniform",  "wide_exponents", "extremes",
                                   "subnormals",     "specials", "underflow",      "all_nan"};
  return names[static_cast<int>(data)];
}

// Never all_nan. Underflow and special values come twice as often as the rest: faults hide there.
[[nodiscard]] inline Data draw_data(Random& random) {
  return random.pick({Data::small_integers, Data::uniform, Data::uniform, Data::wide_exponents,
                      Data::extremes, Data::subnormals, Data::specials, Data::specials,
                      Data::underflow, Data::underflow});
}

namespace detail {

// Sign and mantissa of `random`, and this biased exponent.
[[nodiscard]] inline float with_exponent(std::uint64_t random, std::uint64_t exponent) {
  return std::bit_cast<float>(
      static_cast<std::uint32_t>((random & 0x807fffffu) | (exponent << 23)));
}

}  // namespace detail

[[nodiscard]] inline float value_of(Data data, std::uint64_t random) {
  using support::Fill;
  const std::uint64_t high = random >> 32;
  switch (data) {
    case Data::small_integers:
      return support::fill_value(Fill::small_integers, random);
    case Data::uniform:
      return support::fill_value(Fill::uniform, random);
    case Data::wide_exponents:
      return detail::with_exponent(random, 127 - 60 + high % 121);
    case Data::extremes:
      return detail::with_exponent(random, high % 255);
    case Data::subnormals:
      return detail::with_exponent(high % 8 == 0 ? random & 0x80000000u : random, 0);
    case Data::specials:
      return support::fill_value(Fill::specials, random);
    case Data::underflow:
      // Products between 2^-180 and 2^-138; the smallest subnormal is 2^-149.
      return detail::with_exponent(random, 127 - 90 + high % 21);
    case Data::all_nan:
      break;
  }
  return std::numeric_limits<float>::quiet_NaN();
}

[[nodiscard]] inline support::HostMatrix matrix_of(index_t rows, index_t cols, Data data,
                                                   Random random) {
  support::HostMatrix matrix(rows, cols);
  for (float& value : matrix.data) value = value_of(data, random.bits());
  return matrix;
}

}  // namespace tessera::differential
