// One fault for each tool of compute-sanitizer: what the tools must find before their silence
// counts. usage: planted_faults memcheck | racecheck | initcheck | synccheck
#include <cuda_runtime.h>

#include <cstdio>
#include <string_view>

#include "tests/support/device_present.hpp"

namespace {

__global__ void writes_beyond(float* data, int size) {
  data[static_cast<int>(threadIdx.x) + size] = 1.0f;
}

__global__ void reads_without_barrier(float* data) {
  __shared__ float tile[128];
  tile[threadIdx.x] = data[threadIdx.x];
  data[threadIdx.x] = tile[(threadIdx.x + 64) % 128];
}

__global__ void reads(const float* data, float* sum) { *sum += data[threadIdx.x]; }

__global__ void divergent_barrier(float* data) {
  if (threadIdx.x % 2 == 0) __syncthreads();
  data[threadIdx.x] = 0.0f;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view fault = argc == 2 ? argv[1] : "";
  constexpr int size = 128;
  if (!tessera::support::device_present_else_say("planted")) {
    return tessera::support::exit_no_device;
  }
  float *data = nullptr, *never_written = nullptr;
  if (cudaMalloc(&data, size * sizeof(float)) != cudaSuccess ||
      cudaMalloc(&never_written, size * sizeof(float)) != cudaSuccess ||
      cudaMemset(data, 0, size * sizeof(float)) != cudaSuccess) {
    return 1;
  }
  if (fault == "memcheck") {
    writes_beyond<<<1, size>>>(data, 1 << 24);  // past what lies behind it too
  } else if (fault == "racecheck") {
    reads_without_barrier<<<1, size>>>(data);
  } else if (fault == "initcheck") {
    reads<<<1, size>>>(never_written, data);
  } else if (fault == "synccheck") {
    divergent_barrier<<<1, size>>>(data);
  } else {
    std::puts("usage: planted_faults memcheck | racecheck | initcheck | synccheck");
    return 2;
  }
  cudaDeviceSynchronize();
  return 0;
}
