// Host emulator: one fiber, that is a stack and what is suspended on it, and the switch between
// two fibers of a host thread, announced to the sanitizers.
#pragma once

#include <boost/context/detail/fcontext.hpp>
#include <cstddef>

#include "sanitizer.hpp"

namespace emulator {

// boost::context::fiber unwinds a suspended stack when it is dropped, by an exception that may not
// pass a noexcept function. The layer below lets a stack be abandoned: device code owns nothing.
class Fiber {
 public:
  // The argument means nothing.
  using Entry = void (*)(boost::context::detail::transfer_t);

  // The host thread's own stack.
  Fiber() = default;
  // A new stack, on which the first switch calls `entry`, which must not return. `number` spreads
  // the stacks over cache sets.
  Fiber(Entry entry, unsigned int number);
  ~Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  // Suspends this fiber, which must be the running one, and continues `to`. Returns when some
  // fiber switches back.
  void switch_to(Fiber& to);

  // Forgets what is suspended here; the next switch calls the entry again.
  void abandon();

  // For the host's fiber: follow the host thread that calls.
  void bind_to_host_thread();

 private:
  static boost::context::detail::transfer_t arrive(boost::context::detail::transfer_t departure);
  void prepare();

  boost::context::detail::fcontext_t context_ = nullptr;
  Entry entry_ = nullptr;
  Fiber* target_ = nullptr;  // of the last switch away from here
  std::byte* mapping_ = nullptr;
  const void* stack_low_ = nullptr;
  std::size_t stack_size_ = 0;
  std::size_t top_offset_ = 0;
  void* fake_stack_ = nullptr;  // AddressSanitizer's, while suspended
  void* tsan_fiber_ = nullptr;
};

// ontop_fcontext and not jump_fcontext: a fiber is resumed by the `ret` of arrive(), which pairs
// with the call made here. jump_fcontext leaves its own return address in the processor's return
// predictor, and every return on the way back to the kernel is mispredicted: 18 ns, not 5.
inline void Fiber::switch_to(Fiber& to) {
  target_ = &to;
#if defined(EMULATOR_TSAN)
  __tsan_switch_to_fiber(to.tsan_fiber_, __tsan_switch_to_fiber_no_sync);
#endif
#if defined(EMULATOR_ASAN)
  __sanitizer_start_switch_fiber(&fake_stack_, to.stack_low_, to.stack_size_);
#endif
  boost::context::detail::ontop_fcontext(to.context_, this, &Fiber::arrive);
}

}  // namespace emulator
