#include "../erased_policy.cuh"
#include "../test_policies.cuh"

namespace tessera::support {
PolicyEntry direct_slices_entry() { return user_entry<direct_slices>(); }
}  // namespace tessera::support
