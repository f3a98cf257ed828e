#include "../erased_policy.cuh"

namespace tessera::support {
PolicyEntry skinny_entry() { return library_entry<policy::skinny>(); }
}  // namespace tessera::support
