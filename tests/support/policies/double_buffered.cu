#include "../erased_policy.cuh"

namespace tessera::support {
PolicyEntry double_buffered_entry() { return ladder_entry<policy::double_buffered>(); }
}  // namespace tessera::support
