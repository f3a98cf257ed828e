#include "../erased_policy.cuh"

namespace tessera::support {
PolicyEntry split_k_entry() { return library_entry<policy::split_k>(); }
}  // namespace tessera::support
