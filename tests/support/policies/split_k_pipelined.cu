#include "../erased_policy.cuh"
#include "../launches.cuh"

namespace tessera {
TESSERA_LAUNCHES_OF_SPLIT_K_PIPELINED()
}  // namespace tessera

namespace tessera::support {
PolicyEntry split_k_pipelined_entry() { return library_entry<policy::split_k_pipelined>(); }
}  // namespace tessera::support
