#include "../erased_policy.cuh"
#include "../test_policies.cuh"

namespace tessera::support {
PolicyEntry scalar_buffered_entry() { return user_entry<scalar_buffered>(); }
}  // namespace tessera::support
