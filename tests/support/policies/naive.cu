#include "../erased_policy.cuh"

namespace tessera::support {
PolicyEntry naive_entry() { return ladder_entry<policy::naive>(); }
}  // namespace tessera::support
