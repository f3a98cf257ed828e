#include "../erased_policy.cuh"

namespace tessera::support {
PolicyEntry automatic_unsplit_entry() { return library_entry<policy::automatic_unsplit>(); }
}  // namespace tessera::support
