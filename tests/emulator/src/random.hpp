// Host emulator: a small random generator with the same sequence on every platform.
#pragma once

#include <cstdint>

namespace emulator {

// The splitmix64 sequence.
class Random {
 public:
  explicit Random(std::uint64_t seed = 0) : state_(seed) {}

  std::uint64_t next() {
    state_ += 0x9e3779b97f4a7c15u;
    std::uint64_t mixed = state_;
    mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9u;
    mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebu;
    return mixed ^ (mixed >> 31);
  }

  // Below `bound`; the bias of the multiplication does not matter here.
  unsigned int below(unsigned int bound) {
    return static_cast<unsigned int>(((next() >> 32) * bound) >> 32);
  }

 private:
  std::uint64_t state_;
};

}  // namespace emulator
