#include "../erased_policy.cuh"
#include "../test_policies.cuh"

namespace tessera::support {
PolicyEntry large_smem_entry() { return user_entry<large_smem>(); }
}  // namespace tessera::support
