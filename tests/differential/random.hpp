// The stream of random numbers behind a seed: splitmix64, the same on every platform.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <utility>

#include "fill.hpp"

namespace tessera::differential {

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(support::scramble(seed)) {}

  std::uint64_t bits() {
    return support::scramble(std::exchange(state_, state_ + 0x9e3779b97f4a7c15u));
  }
  // 0 .. bound - 1. The bias of the modulus does not matter here.
  index_t below(index_t bound) {
    return static_cast<index_t>(bits() % static_cast<std::uint64_t>(bound));
  }
  // first .. last
  index_t between(index_t first, index_t last) { return first + below(last - first + 1); }
  // True `times` out of `of`.
  bool chance(index_t times, index_t of) { return below(of) < times; }

  template <class T>
  T pick(std::initializer_list<T> values) {
    return values.begin()[below(static_cast<index_t>(values.size()))];
  }

 private:
  std::uint64_t state_;
};

}  // namespace tessera::differential
