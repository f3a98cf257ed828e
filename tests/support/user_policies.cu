#include "registry.hpp"

namespace tessera::support {

// One file each in policies/.
PolicyEntry pairs_entry();
PolicyEntry three_warps_entry();
PolicyEntry scalar_buffered_entry();
PolicyEntry large_smem_entry();
PolicyEntry direct_rectangle_entry();
PolicyEntry small_pipelined_entry();
PolicyEntry pipelined_slices_entry();
PolicyEntry cluster_slices_entry();
PolicyEntry workspace_slices_entry();
PolicyEntry direct_slices_entry();
PolicyEntry small_rim_entry();

std::span<const PolicyEntry> user_policies() {
  static const PolicyEntry entries[] = {
      pairs_entry(),
      three_warps_entry(),
      scalar_buffered_entry(),
      large_smem_entry(),
      direct_rectangle_entry(),
      small_pipelined_entry(),
      pipelined_slices_entry(),
      cluster_slices_entry(),
      workspace_slices_entry(),
      direct_slices_entry(),
      small_rim_entry(),
  };
  return entries;
}

}  // namespace tessera::support
