// Event: what the bench and the ladder need of a device beyond tests/support.
#pragma once

#include <cstdint>
#include <limits>

#include "tests/support/cuda_resources.hpp"

namespace tessera::bench {

// A policy's workspace comes from the stream-ordered pool. By default the pool gives its memory
// back at every synchronisation, so that the first launch of each group would pay for an
// allocation.
inline void keep_pool_memory() {
  using support::check;
  int device = 0;
  cudaMemPool_t pool = nullptr;
  std::uint64_t threshold = std::numeric_limits<std::uint64_t>::max();
  check(cudaGetDevice(&device), "cudaGetDevice");
  check(cudaDeviceGetDefaultMemPool(&pool, device), "cudaDeviceGetDefaultMemPool");
  check(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold),
        "cudaMemPoolSetAttribute");
}

// A point on a stream whose time can be read.
class Event {
 public:
  Event() { support::check(cudaEventCreate(&event_), "cudaEventCreate"); }
  ~Event() { cudaEventDestroy(event_); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  void record(cudaStream_t stream) const {
    support::check(cudaEventRecord(event_, stream), "cudaEventRecord");
  }
  void wait() const { support::check(cudaEventSynchronize(event_), "cudaEventSynchronize"); }
  [[nodiscard]] double seconds_since(const Event& start) const {
    float milliseconds = 0.0f;
    support::check(cudaEventElapsedTime(&milliseconds, start.event_, event_),
                   "cudaEventElapsedTime");
    return milliseconds * 1e-3;
  }

 private:
  cudaEvent_t event_ = nullptr;
};

}  // namespace tessera::bench
