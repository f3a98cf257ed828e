#include "../erased_policy.cuh"

namespace tessera::support {
PolicyEntry split_k_tall_entry() { return library_entry<policy::split_k_tall>(); }
}  // namespace tessera::support
