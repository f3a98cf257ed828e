#include "../erased_policy.cuh"
#include "../test_policies.cuh"

namespace tessera::support {
PolicyEntry workspace_slices_entry() { return user_entry<workspace_slices>(); }
}  // namespace tessera::support
