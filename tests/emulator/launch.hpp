// What the emulator's tests share: a launch in one line, and the orders.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

namespace emulator_test {

template <class... Params, class... Args>
cudaError_t launch(dim3 grid, dim3 block, std::size_t shared_bytes, void (*kernel)(Params...),
                   Args... args) {
  cudaLaunchConfig_t config{};
  config.gridDim = grid;
  config.blockDim = block;
  config.dynamicSmemBytes = shared_bytes;
  return cudaLaunchKernelEx(&config, kernel, args...);
}

// With `cluster` neighbouring blocks along x in each cluster.
template <class... Params, class... Args>
cudaError_t launch_clusters(unsigned int cluster, dim3 grid, dim3 block, std::size_t shared_bytes,
                            void (*kernel)(Params...), Args... args) {
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim = {cluster, 1, 1};
  cudaLaunchConfig_t config{};
  config.gridDim = grid;
  config.blockDim = block;
  config.dynamicSmemBytes = shared_bytes;
  config.attrs = &attribute;
  config.numAttrs = 1;
  return cudaLaunchKernelEx(&config, kernel, args...);
}

class ScopedOrder {
 public:
  explicit ScopedOrder(emulator::Order order, std::uint64_t seed = 1)
      : scoped_(with(order, seed)) {}

 private:
  static emulator::Options with(emulator::Order order, std::uint64_t seed) {
    emulator::Options options = emulator::options;
    options.order = order;
    options.seed = seed;
    return options;
  }

  emulator::ScopedOptions scoped_;
};

}  // namespace emulator_test
