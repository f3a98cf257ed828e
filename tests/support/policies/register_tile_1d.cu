#include "../erased_policy.cuh"

namespace tessera::support {
PolicyEntry register_tile_1d_entry() { return ladder_entry<policy::register_tile_1d>(); }
}  // namespace tessera::support
