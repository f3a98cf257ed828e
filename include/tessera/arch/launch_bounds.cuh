// What the chip that is compiled for can hold.
#pragma once

#include "compiler.cuh"

namespace tessera::arch {

// Blocks of `threads` that `wanted` asks for, as far as the chip's SM holds their threads: ptxas
// refuses to plan for more.
constexpr int min_blocks(int wanted, int threads) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ == 800 || \
    (__CUDA_ARCH__ >= 900 && __CUDA_ARCH__ < 1100)
  constexpr int threads_per_sm = 2048;
#elif __CUDA_ARCH__ == 750
  constexpr int threads_per_sm = 1024;
#else
  constexpr int threads_per_sm = 1536;
#endif
  const int fitting = threads_per_sm / threads;
  return wanted < fitting ? wanted : fitting;
}

}  // namespace tessera::arch
