#include "../erased_policy.cuh"
#include "../test_policies.cuh"

namespace tessera::support {
PolicyEntry small_rim_entry() { return user_entry<small_rim>(); }
}  // namespace tessera::support
