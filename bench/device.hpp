// What the bench and the ladder need of a device beyond tests/support: is there one, and events.
#pragma once

#include "tests/support/cuda_resources.hpp"

namespace tessera::bench {

inline bool device_present() {
  int count = 0;  // without a driver the call leaves it as it is
  return cudaGetDeviceCount(&count) == cudaSuccess && count > 0;
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
