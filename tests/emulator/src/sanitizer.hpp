// Host emulator: what the scheduler tells the sanitizers. Without one, every function is empty.
#pragma once

#include <cstddef>

#if defined(EMULATOR_ASAN)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#if defined(EMULATOR_TSAN)
#include <sanitizer/tsan_interface.h>
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
inline void note_write(void* address, std::size_t bytes) { __tsan_write_range(address, bytes); }
#else
inline constexpr bool kThread = false;
inline void acquire(void*) {}
inline void release(void*) {}
inline void note_write(void*, std::size_t) {}
#endif

}  // namespace emulator::sanitizer
