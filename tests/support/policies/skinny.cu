#include "../erased_policy.cuh"
#include "../launches.cuh"

namespace tessera {
TESSERA_LAUNCHES_OF_SKINNY()
}  // namespace tessera

namespace tessera::support {
PolicyEntry skinny_entry() { return library_entry<policy::skinny>(); }
}  // namespace tessera::support
