#include "../erased_policy.cuh"

namespace tessera::support {
PolicyEntry split_k_wide_entry() { return library_entry<policy::split_k_wide>(); }
}  // namespace tessera::support
