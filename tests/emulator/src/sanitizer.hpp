// Host emulator: what the scheduler tells the sanitizers. Without one, every function is empty.
#pragma once

#include <cstddef>

#if defined(EMULATOR_ASAN)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#if defined(EMULATOR_TSAN)
#include <sanitizer/tsan_interface.h>
extern "C" void __tsan_read_range(void* address, unsigned long bytes);
extern "C" void __tsan_write_range(void* address, unsigned long bytes);
#endif

namespace emulator::sanitizer {

#if defined(EMULATOR_ASAN)
inline constexpr bool kAddress = true;
inline void poison(const void* address, std::size_t bytes) {
  __asan_poison_memory_region(address, bytes);
}
inline void unpoison(const void* address, std::size_t bytes) {
  __asan_unpoison_memory_region(address, bytes);
}
#else
inline constexpr bool kAddress = false;
inline void poison(const void*, std::size_t) {}
inline void unpoison(const void*, std::size_t) {}
#endif

#if defined(EMULATOR_TSAN)
inline constexpr bool kThread = true;
// What happened before a release of a key happens before what follows an acquire of it.
inline void acquire(void* key) { __tsan_acquire(key); }
inline void release(void* key) { __tsan_release(key); }
inline void note_read(void* address, std::size_t bytes) { __tsan_read_range(address, bytes); }
inline void note_write(void* address, std::size_t bytes) { __tsan_write_range(address, bytes); }
// Somebody beside the threads, ordered with them by keys only.
class Agent {
 public:
  Agent() : fiber_(__tsan_create_fiber(0)) {}
  ~Agent() { __tsan_destroy_fiber(fiber_); }
  Agent(const Agent&) = delete;
  Agent& operator=(const Agent&) = delete;

  // Calls action() on the caller's stack, in the agent's name.
  template <class Action>
  void act(Action&& action) {
    void* const caller = __tsan_get_current_fiber();
    __tsan_switch_to_fiber(fiber_, __tsan_switch_to_fiber_no_sync);
    action();
    __tsan_switch_to_fiber(caller, __tsan_switch_to_fiber_no_sync);
  }

 private:
  void* fiber_;
};
#else
inline constexpr bool kThread = false;
inline void acquire(void*) {}
inline void release(void*) {}
inline void note_read(void*, std::size_t) {}
inline void note_write(void*, std::size_t) {}
struct Agent {
  template <class Action>
  void act(Action&& action) {
    action();
  }
};
#endif

}  // namespace emulator::sanitizer
