#include "../erased_policy.cuh"

namespace tessera::support {
PolicyEntry automatic_entry() { return library_entry<policy::automatic>(); }
}  // namespace tessera::support
