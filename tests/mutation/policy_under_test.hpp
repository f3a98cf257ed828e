// What a mutation changes, behind functions: the one object of the suite that is compiled against
// mutated headers defines them, so that everything else is compiled once.
#pragma once

#include "tests/support/registry.hpp"

namespace tessera::mutation {

// The policy named by the macro TESSERA_MUTATION_POLICY.
[[nodiscard]] support::PolicyEntry policy_under_test();

// tile::rasterise, for grids too large to launch.
struct BlockTile {
  int m, n;
};
[[nodiscard]] BlockTile rasterise_under_test(int block, int m_tiles, int n_tiles);

}  // namespace tessera::mutation
