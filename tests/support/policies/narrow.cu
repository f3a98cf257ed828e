#include "../erased_policy.cuh"
#include "../launches.cuh"

namespace tessera {
TESSERA_LAUNCHES_OF_NARROW()
}  // namespace tessera

namespace tessera::support {
PolicyEntry narrow_entry() { return library_entry<policy::narrow>(); }
}  // namespace tessera::support
