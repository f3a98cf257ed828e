#include "../erased_policy.cuh"

namespace tessera::support {
PolicyEntry vectorized_entry() { return ladder_entry<policy::vectorized>(); }
}  // namespace tessera::support
