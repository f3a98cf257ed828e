#include "../erased_policy.cuh"
#include "../test_policies.cuh"

namespace tessera::support {
PolicyEntry pipelined_slices_entry() { return user_entry<pipelined_slices>(); }
}  // namespace tessera::support
