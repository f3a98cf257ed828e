// Device memory and streams that clean up after themselves. A failing call throws, which
// GoogleTest reports as a failure of the test.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

namespace tessera::support {

inline void check(cudaError_t error, const char* what) {
  if (error != cudaSuccess) {
    throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(error));
  }
}

// Independent of the default stream, so that work which strays there shows.
class Stream {
 public:
  Stream() {
    check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
  }
  ~Stream() { cudaStreamDestroy(stream_); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  operator cudaStream_t() const { return stream_; }
  void synchronize() const { check(cudaStreamSynchronize(stream_), "cudaStreamSynchronize"); }

 private:
  cudaStream_t stream_ = nullptr;
};

// `count` elements of exactly that size, so that tools which watch memory see any overrun.
template <class T>
class DeviceBuffer {
 public:
  explicit DeviceBuffer(std::size_t count) : count_(count) {
    if (count > 0) check(cudaMalloc(reinterpret_cast<void**>(&data_), count * sizeof(T)), "malloc");
  }
  explicit DeviceBuffer(const std::vector<T>& values) : DeviceBuffer(values.size()) {
    copy_from(values, nullptr);
  }
  ~DeviceBuffer() { cudaFree(data_); }
  DeviceBuffer(const DeviceBuffer&) = delete;
  DeviceBuffer& operator=(const DeviceBuffer&) = delete;

  [[nodiscard]] T* data() const { return data_; }
  [[nodiscard]] std::size_t size() const { return count_; }

  void copy_from(const std::vector<T>& values, cudaStream_t stream) {
    if (count_ == 0) return;
    check(cudaMemcpyAsync(data_, values.data(), count_ * sizeof(T), cudaMemcpyHostToDevice, stream),
          "copy to the device");
    check(cudaStreamSynchronize(stream), "copy to the device");
  }
  [[nodiscard]] std::vector<T> to_host(cudaStream_t stream = nullptr) const {
    std::vector<T> values(count_);
    if (count_ == 0) return values;
    check(cudaMemcpyAsync(values.data(), data_, count_ * sizeof(T), cudaMemcpyDeviceToHost, stream),
          "copy to the host");
    check(cudaStreamSynchronize(stream), "copy to the host");
    return values;
  }

 private:
  T* data_ = nullptr;
  std::size_t count_;
};

// Runs a kernel on the default stream and waits for it.
template <class... Params, class... Args>
void run_kernel(void (*kernel)(Params...), int grid, int block, std::size_t smem_bytes,
                Args... args) {
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(static_cast<unsigned>(grid));
  config.blockDim = dim3(static_cast<unsigned>(block));
  config.dynamicSmemBytes = smem_bytes;
  check(cudaLaunchKernelEx(&config, kernel, static_cast<Params>(args)...), "launch");
  check(cudaDeviceSynchronize(), "kernel");
}

}  // namespace tessera::support
