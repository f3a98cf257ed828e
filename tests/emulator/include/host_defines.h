// Host emulator: CUDA's function, variable and parameter qualifiers, as plain C++ sees them.
#pragma once

// libstdc++ writes __attribute__((__noinline__)) in <memory>; it has to be read before the macro
// below exists. The same clash is known from the CUDA toolkit.
#include <memory>

#define __global__
#define __device__
#define __host__
#define __constant__
#define __managed__
#define __grid_constant__

// One copy per host thread: the threads of a block are fibers of one host thread, and blocks that
// run at the same time run on different host threads. The contents outlive the block, so they are
// stale, not random, when the next block starts.
#define __shared__ static thread_local

#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __align__(n) __attribute__((aligned(n)))
#define __launch_bounds__(...)
#define __maxnreg__(...)
#define __cluster_dims__(...)

#define CUDART_CB
#define CUDARTAPI
