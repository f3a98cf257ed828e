// Host emulator: threadIdx and the other built-in variables.
#pragma once

#include "vector_types.h"

// The scheduler writes these when it resumes a thread. Constant initialisation keeps the access a
// plain load relative to the thread pointer, with no wrapper call.
inline thread_local constinit uint3 threadIdx{};
inline thread_local constinit uint3 blockIdx{};
inline thread_local constinit dim3 blockDim{};
inline thread_local constinit dim3 gridDim{};
inline constexpr int warpSize = 32;
