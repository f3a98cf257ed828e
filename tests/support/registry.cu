#include "registry.hpp"

namespace tessera::support {

// One file each in policies/.
PolicyEntry naive_entry();
PolicyEntry smem_tile_entry();
PolicyEntry register_tile_1d_entry();
PolicyEntry register_tile_2d_entry();
PolicyEntry vectorized_entry();
PolicyEntry double_buffered_entry();
PolicyEntry pipelined_entry();
PolicyEntry split_k_entry();
PolicyEntry skinny_entry();
PolicyEntry narrow_entry();
PolicyEntry split_k_wide_entry();
PolicyEntry split_k_tall_entry();
PolicyEntry split_k_pipelined_entry();
PolicyEntry automatic_unsplit_entry();
PolicyEntry automatic_entry();

std::span<const PolicyEntry> library_policies() {
  static const PolicyEntry entries[] = {
      naive_entry(),
      smem_tile_entry(),
      register_tile_1d_entry(),
      register_tile_2d_entry(),
      vectorized_entry(),
      double_buffered_entry(),
      pipelined_entry(),
      split_k_entry(),
      skinny_entry(),
      narrow_entry(),
      split_k_wide_entry(),
      split_k_tall_entry(),
      split_k_pipelined_entry(),
      automatic_unsplit_entry(),
      automatic_entry(),
  };
  return entries;
}

const PolicyEntry* find_policy(std::string_view name) {
  for (const PolicyEntry& e : library_policies()) {
    if (name == e.name) return &e;
  }
  return nullptr;
}

}  // namespace tessera::support
