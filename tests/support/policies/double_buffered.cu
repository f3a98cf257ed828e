#include "../erased_policy.cuh"

template struct tessera::support::ErasedPolicy<tessera::policy::double_buffered>;
