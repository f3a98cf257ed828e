// Host emulator: streams and events. Everything has already happened, so they are only checked
// handles, and events are times.
#include <chrono>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "cuda_runtime_api.h"
#include "runtime_state.hpp"

struct CUstream_st {};

struct CUevent_st {
  using Clock = std::chrono::steady_clock;
  unsigned int flags = 0;
  bool recorded = false;
  Clock::time_point time{};
};

namespace emulator {
namespace {

// The objects that exist, to recognise a handle that does not.
template <class Object>
class HandleTable {
 public:
  static HandleTable& instance() {
    static HandleTable table;
    return table;
  }

  Object* create() {
    auto object = std::make_unique<Object>();
    Object* const handle = object.get();
    const std::lock_guard lock(mutex_);
    objects_[handle] = std::move(object);
    return handle;
  }

  bool destroy(Object* handle) {
    const std::lock_guard lock(mutex_);
    return objects_.erase(handle) == 1;
  }

  // Calls action(object) under the lock if the handle exists.
  template <class Action>
  bool with(Object* handle, Action&& action) {
    const std::lock_guard lock(mutex_);
    const auto found = objects_.find(handle);
    if (found == objects_.end()) return false;
    action(*found->second);
    return true;
  }

 private:
  std::mutex mutex_;
  std::unordered_map<Object*, std::unique_ptr<Object>> objects_;
};

using Streams = HandleTable<CUstream_st>;
using Events = HandleTable<CUevent_st>;

bool event_exists(cudaEvent_t event) {
  return Events::instance().with(event, [](const CUevent_st&) {});
}

cudaError_t need_stream(cudaStream_t stream) {
  return is_stream(stream) ? cudaSuccess : record(cudaErrorInvalidResourceHandle);
}

cudaError_t need_event(cudaEvent_t event) {
  return event_exists(event) ? cudaSuccess : record(cudaErrorInvalidResourceHandle);
}

}  // namespace

bool is_stream(cudaStream_t stream) {
  if (stream == nullptr || stream == cudaStreamLegacy || stream == cudaStreamPerThread) return true;
  return Streams::instance().with(stream, [](const CUstream_st&) {});
}

}  // namespace emulator

using emulator::record;

cudaError_t cudaStreamCreate(cudaStream_t* stream) {
  return cudaStreamCreateWithFlags(stream, cudaStreamDefault);
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned int flags) {
  if (stream == nullptr || (flags & ~cudaStreamNonBlocking) != 0) {
    return record(cudaErrorInvalidValue);
  }
  *stream = emulator::Streams::instance().create();
  return cudaSuccess;
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned int flags, int) {
  return cudaStreamCreateWithFlags(stream, flags);
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  if (!emulator::Streams::instance().destroy(stream)) return record(cudaErrorInvalidResourceHandle);
  return cudaSuccess;
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) { return emulator::need_stream(stream); }

cudaError_t cudaStreamQuery(cudaStream_t stream) { return emulator::need_stream(stream); }

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int flags) {
  if (flags != cudaEventWaitDefault) return record(cudaErrorInvalidValue);
  const cudaError_t error = emulator::need_stream(stream);
  return error != cudaSuccess ? error : emulator::need_event(event);
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* user_data) {
  if (function == nullptr) return record(cudaErrorInvalidValue);
  const cudaError_t error = emulator::need_stream(stream);
  if (error == cudaSuccess) function(user_data);
  return error;
}

cudaError_t cudaEventCreate(cudaEvent_t* event) {
  return cudaEventCreateWithFlags(event, cudaEventDefault);
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned int flags) {
  if (event == nullptr || (flags & ~(cudaEventBlockingSync | cudaEventDisableTiming)) != 0) {
    return record(cudaErrorInvalidValue);
  }
  *event = emulator::Events::instance().create();
  emulator::Events::instance().with(*event, [flags](CUevent_st& made) { made.flags = flags; });
  return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  const cudaError_t error = emulator::need_stream(stream);
  if (error != cudaSuccess) return error;
  const bool exists = emulator::Events::instance().with(event, [](CUevent_st& recorded) {
    recorded.recorded = true;
    recorded.time = CUevent_st::Clock::now();
  });
  return exists ? cudaSuccess : record(cudaErrorInvalidResourceHandle);
}

cudaError_t cudaEventQuery(cudaEvent_t event) { return emulator::need_event(event); }

cudaError_t cudaEventSynchronize(cudaEvent_t event) { return emulator::need_event(event); }

cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t stop) {
  if (milliseconds == nullptr) return record(cudaErrorInvalidValue);
  CUevent_st first;
  CUevent_st last;
  emulator::Events& events = emulator::Events::instance();
  const bool exist = events.with(start, [&first](const CUevent_st& event) { first = event; }) &&
                     events.with(stop, [&last](const CUevent_st& event) { last = event; });
  const bool timed = ((first.flags | last.flags) & cudaEventDisableTiming) == 0;
  if (!exist || !timed || !first.recorded || !last.recorded) {
    return record(cudaErrorInvalidResourceHandle);
  }
  *milliseconds = std::chrono::duration<float, std::milli>(last.time - first.time).count();
  return cudaSuccess;
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
  if (!emulator::Events::instance().destroy(event)) return record(cudaErrorInvalidResourceHandle);
  return cudaSuccess;
}
