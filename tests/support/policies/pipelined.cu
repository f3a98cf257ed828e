#include "../erased_policy.cuh"

namespace tessera::support {
PolicyEntry pipelined_entry() { return library_entry<policy::pipelined>(); }
}  // namespace tessera::support
