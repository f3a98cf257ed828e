#include "../erased_policy.cuh"
#include "../test_policies.cuh"

namespace tessera::support {
PolicyEntry three_warps_entry() { return user_entry<three_warps>(); }
}  // namespace tessera::support
