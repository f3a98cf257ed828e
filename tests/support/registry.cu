#include "registry.hpp"

namespace tessera::support {

extern template struct ErasedPolicy<policy::naive>;
extern template struct ErasedPolicy<policy::smem_tile>;
extern template struct ErasedPolicy<policy::register_tile_1d>;
extern template struct ErasedPolicy<policy::register_tile_2d>;
extern template struct ErasedPolicy<policy::vectorized>;
extern template struct ErasedPolicy<policy::double_buffered>;
extern template struct ErasedPolicy<policy::automatic>;

namespace {

template <class Policy>
constexpr PolicyEntry entry(bool ladder) {
  return {Policy::name, ladder, false, &ErasedPolicy<Policy>::gemm, &ErasedPolicy<Policy>::plan};
}

constexpr PolicyEntry entries[] = {
    entry<policy::naive>(true),
    entry<policy::smem_tile>(true),
    entry<policy::register_tile_1d>(true),
    entry<policy::register_tile_2d>(true),
    entry<policy::vectorized>(true),
    entry<policy::double_buffered>(true),
    entry<policy::automatic>(false),
};

}  // namespace

std::span<const PolicyEntry> library_policies() { return entries; }

const PolicyEntry* find_policy(std::string_view name) {
  for (const PolicyEntry& e : entries) {
    if (name == e.name) return &e;
  }
  return nullptr;
}

}  // namespace tessera::support
