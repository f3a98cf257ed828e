#include "../erased_policy.cuh"

namespace tessera::support {
PolicyEntry automatic_entry() { return library_entry<policy::automatic>(); }
// Beside it because it has the same kernels, which take nvcc more than a minute.
PolicyEntry automatic_unsplit_entry() { return library_entry<policy::automatic_unsplit>(); }
}  // namespace tessera::support
