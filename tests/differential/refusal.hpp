// Calls that are wrong on purpose: which fault, in which operand, and the views that have it.
#pragma once

#include <cstdint>

#include "problem.hpp"
#include "random.hpp"

namespace tessera::differential {

struct Refusal {
  Status status;             // what gemm() must return; ok: nothing is wrong
  bool beyond_grid = false;  // the fault is more tiles than a grid holds
  std::uint64_t seed = 0;    // of the fault's details
};

struct Views {
  support::AnyView<const float> a, b;
  support::AnyView<float> c;
};

// A fault that this valid problem can have.
[[nodiscard]] Refusal draw_refusal(Random& random, const support::Problem& problem);

// Puts the fault, and no other, into the views of the valid problem.
void spoil(Views& views, const Refusal& refusal);

}  // namespace tessera::differential
