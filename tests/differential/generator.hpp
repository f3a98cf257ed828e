// Random GEMM calls: one 64-bit seed is one call, valid or wrong on purpose. A seed means the same
// call on every platform and in both flavours: only integers and exact float operations make it.
#pragma once

#include <cstdint>
#include <iosfwd>

#include "problem.hpp"
#include "refusal.hpp"
#include "values.hpp"

namespace tessera::differential {

struct Call {
  std::uint64_t seed = 0;
  support::PolicyEntry policy = {};
  TileConfig config = {};         // the policy's; of `automatic`, one that it may choose
  support::Problem problem = {};  // its fills say nothing: `a`, `b` and `c` do
  Data a = {}, b = {}, c = {};
  Refusal refusal = {};

  [[nodiscard]] bool is_refused() const { return !refusal.status.ok(); }
};

[[nodiscard]] Call generate(std::uint64_t seed);
std::ostream& operator<<(std::ostream& os, const Call& call);

[[nodiscard]] index_t largest_extent(const Call& call);
// m * n * k.
[[nodiscard]] double volume(const Call& call);
// The same with m, n and k rounded up to whole tiles: what the emulator has to compute.
[[nodiscard]] double tiled_volume(const Call& call);

[[nodiscard]] support::HostOperands operands_of(const Call& call);

}  // namespace tessera::differential
