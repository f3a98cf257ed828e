#include "../erased_policy.cuh"
#include "../test_policies.cuh"

namespace tessera::support {
PolicyEntry pairs_entry() { return user_entry<pairs>(); }
}  // namespace tessera::support
