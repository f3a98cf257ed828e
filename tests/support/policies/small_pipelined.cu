#include "../erased_policy.cuh"
#include "../test_policies.cuh"

namespace tessera::support {
PolicyEntry small_pipelined_entry() { return user_entry<small_pipelined>(); }
}  // namespace tessera::support
