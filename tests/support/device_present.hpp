// Is there a CUDA device, and what a program that needs one does where there is none.
#pragma once

#include <cuda_runtime.h>

#include <cstdio>

namespace tessera::support {

inline constexpr int exit_no_device = 77;  // what ctest takes for "skipped"

inline cudaError_t device_count(int& count) {
  count = 0;  // without a driver the call leaves it as it is
  return cudaGetDeviceCount(&count);
}

inline bool device_present() {
  int count = 0;
  return device_count(count) == cudaSuccess && count > 0;
}

// Where there is none, says on stdout why and that nothing was `done`, such as "tested".
inline bool device_present_else_say(const char* done) {
  int count = 0;
  const cudaError_t error = device_count(count);
  if (error == cudaSuccess && count > 0) return true;
  std::printf("SKIPPED: no CUDA device (%s); nothing was %s\n",
              error != cudaSuccess ? cudaGetErrorString(error) : "none found", done);
  return false;
}

}  // namespace tessera::support
