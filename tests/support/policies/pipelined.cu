#include "../erased_policy.cuh"
#include "../launches.cuh"

namespace tessera {
TESSERA_LAUNCHES(, policy::pipelined)
}  // namespace tessera

namespace tessera::support {

// Chips without cp.async run two of its stages.
static_assert(smem_bytes(with(policy::pipelined::config, Stages{2})) <= 64 * 1024,
              "pipelined needs more shared memory than a block of sm_75 has");

PolicyEntry pipelined_entry() { return library_entry<policy::pipelined>(); }
}  // namespace tessera::support
