#include "../erased_policy.cuh"
#include "../launches.cuh"

namespace tessera {
TESSERA_LAUNCHES(, policy::split_k)
}  // namespace tessera

namespace tessera::support {
PolicyEntry split_k_entry() { return library_entry<policy::split_k>(); }
}  // namespace tessera::support
