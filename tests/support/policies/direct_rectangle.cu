#include "../erased_policy.cuh"
#include "../test_policies.cuh"

namespace tessera::support {
PolicyEntry direct_rectangle_entry() { return user_entry<direct_rectangle>(); }
}  // namespace tessera::support
