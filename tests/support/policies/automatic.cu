#include "../erased_policy.cuh"
#include "../launches.cuh"

namespace tessera {
TESSERA_LAUNCHES(extern, policy::pipelined)
TESSERA_LAUNCHES(extern, policy::split_k)
TESSERA_LAUNCHES(extern, policy::split_k_wide)
TESSERA_LAUNCHES(extern, policy::split_k_tall)
TESSERA_LAUNCHES_OF_SPLIT_K_PIPELINED(extern)
TESSERA_LAUNCHES_OF_SKINNY(extern)
TESSERA_LAUNCHES_OF_NARROW(extern)
}  // namespace tessera

namespace tessera::support {
PolicyEntry automatic_entry() { return library_entry<policy::automatic>(); }
PolicyEntry automatic_unsplit_entry() { return library_entry<policy::automatic_unsplit>(); }
}  // namespace tessera::support
