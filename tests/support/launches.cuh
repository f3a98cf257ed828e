// Explicit instantiations of a policy's launches, hence of its kernels, under every layout of A and
// B: a unit that declares them (`extern`) takes those of the unit that defines them. So `automatic`
// does not compile again what each of its candidates' own units holds.
#pragma once

#include <tessera/gemm.cuh>

// TESSERA_LAUNCHES(<extern or nothing>, <policy>)
#define TESSERA_LAUNCHES(prefix, ...)                               \
  TESSERA_LAUNCHES_OF_PAIR(prefix, __VA_ARGS__, RowMajor, RowMajor) \
  TESSERA_LAUNCHES_OF_PAIR(prefix, __VA_ARGS__, RowMajor, ColMajor) \
  TESSERA_LAUNCHES_OF_PAIR(prefix, __VA_ARGS__, ColMajor, RowMajor) \
  TESSERA_LAUNCHES_OF_PAIR(prefix, __VA_ARGS__, ColMajor, ColMajor)
#define TESSERA_LAUNCHES_OF_PAIR(prefix, ...)              \
  prefix template Status detail::launch_plan<__VA_ARGS__>( \
      const LaunchPlan&, const kernel::GemmArguments&, cudaStream_t);

// Those of policies that have several tiles.
#define TESSERA_LAUNCHES_OF_SKINNY(prefix)                      \
  TESSERA_LAUNCHES(prefix, policy::skinny_tile<Streamed::a, 1>) \
  TESSERA_LAUNCHES(prefix, policy::skinny_tile<Streamed::a, 8>) \
  TESSERA_LAUNCHES(prefix, policy::skinny_tile<Streamed::b, 1>) \
  TESSERA_LAUNCHES(prefix, policy::skinny_tile<Streamed::b, 8>)
#define TESSERA_LAUNCHES_OF_NARROW(prefix)        \
  TESSERA_LAUNCHES(prefix, policy::narrow_16x128) \
  TESSERA_LAUNCHES(prefix, policy::narrow_128x16) \
  TESSERA_LAUNCHES(prefix, policy::narrow_32x64)  \
  TESSERA_LAUNCHES(prefix, policy::narrow_64x32)  \
  TESSERA_LAUNCHES(prefix, policy::narrow_48x96)  \
  TESSERA_LAUNCHES(prefix, policy::narrow_96x48)
#define TESSERA_LAUNCHES_OF_SPLIT_K_PIPELINED(prefix)         \
  TESSERA_LAUNCHES(prefix, policy::split_k_pipelined_128x256) \
  TESSERA_LAUNCHES(prefix, policy::split_k_pipelined_256x128)
