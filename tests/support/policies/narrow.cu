#include "../erased_policy.cuh"

namespace tessera::support {
PolicyEntry narrow_entry() { return library_entry<policy::narrow>(); }
}  // namespace tessera::support
