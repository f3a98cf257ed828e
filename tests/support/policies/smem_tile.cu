#include "../erased_policy.cuh"

namespace tessera::support {
PolicyEntry smem_tile_entry() { return ladder_entry<policy::smem_tile>(); }
}  // namespace tessera::support
