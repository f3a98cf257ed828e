#include "policy_under_test.hpp"

#include "tests/support/erased_policy.cuh"
#include "tests/support/test_policies.cuh"

namespace tessera {
namespace mutation {
namespace {
using namespace policy;
using namespace support;
using Policy = TESSERA_MUTATION_POLICY;
}  // namespace

PolicyEntry policy_under_test() {
  return {Policy::name, false, false, &ErasedPolicy<Policy>::gemm, &ErasedPolicy<Policy>::plan};
}

BlockTile rasterise_under_test(int block, int m_tiles, int n_tiles) {
  const tile::TileCoord coord = tile::rasterise(block, m_tiles, n_tiles);
  return {coord.m, coord.n};
}

}  // namespace mutation

// The registry that tests/support/problem.cu asks for: here one policy.
namespace support {

std::span<const PolicyEntry> library_policies() {
  static const PolicyEntry entry = mutation::policy_under_test();
  return {&entry, 1};
}
std::span<const PolicyEntry> user_policies() { return {}; }

}  // namespace support
}  // namespace tessera
