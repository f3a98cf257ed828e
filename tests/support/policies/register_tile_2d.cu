#include "../erased_policy.cuh"

namespace tessera::support {
PolicyEntry register_tile_2d_entry() { return ladder_entry<policy::register_tile_2d>(); }
}  // namespace tessera::support
