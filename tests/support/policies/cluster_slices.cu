#include "../erased_policy.cuh"
#include "../test_policies.cuh"

namespace tessera::support {
PolicyEntry cluster_slices_entry() { return user_entry<cluster_slices>(); }
}  // namespace tessera::support
