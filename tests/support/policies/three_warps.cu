#include "../erased_policy.cuh"
#include "../test_policies.cuh"

template struct tessera::support::ErasedPolicy<tessera::support::three_warps>;
