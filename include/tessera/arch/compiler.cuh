// The compiler this library needs, said in one sentence where it is missing.
#pragma once

#if !defined(__CUDACC__) && !defined(TESSERA_EMULATOR)
#error "Tessera's .cuh headers hold CUDA kernels: include them from a .cu file compiled by nvcc."
#endif
#if !defined(__CUDACC_RTC__)
#include <cuda_runtime.h>
#endif
#if (defined(_MSVC_LANG) ? _MSVC_LANG : __cplusplus) < 202002L
#error "Tessera needs C++20: pass -std=c++20 to nvcc (CUDA 12.0 or newer)."
#endif
