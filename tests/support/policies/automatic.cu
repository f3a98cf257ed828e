#include "../erased_policy.cuh"

template struct tessera::support::ErasedPolicy<tessera::policy::automatic>;
