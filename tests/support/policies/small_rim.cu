#include "../erased_policy.cuh"
#include "../launches.cuh"
#include "../test_policies.cuh"

namespace tessera {
TESSERA_LAUNCHES_OF_SKINNY(extern)
}  // namespace tessera

namespace tessera::support {
PolicyEntry small_rim_entry() { return user_entry<small_rim>(); }
}  // namespace tessera::support
