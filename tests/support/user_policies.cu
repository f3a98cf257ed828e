#include "registry.hpp"
#include "test_policies.cuh"

namespace tessera::support {

extern template struct ErasedPolicy<pairs>;
extern template struct ErasedPolicy<three_warps>;
extern template struct ErasedPolicy<scalar_buffered>;
extern template struct ErasedPolicy<large_smem>;
extern template struct ErasedPolicy<direct_rectangle>;

namespace {

template <class Policy>
constexpr PolicyEntry entry() {
  return {Policy::name, false, true, &ErasedPolicy<Policy>::gemm, &ErasedPolicy<Policy>::plan};
}

constexpr PolicyEntry entries[] = {
    entry<pairs>(),      entry<three_warps>(),      entry<scalar_buffered>(),
    entry<large_smem>(), entry<direct_rectangle>(),
};

}  // namespace

std::span<const PolicyEntry> user_policies() { return entries; }

}  // namespace tessera::support
