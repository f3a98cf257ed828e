// Host emulator: fibers on mapped stacks, each with a guard page below it.
#include "fiber.hpp"

#include <sys/mman.h>

#include <new>

#include "sanitizer.hpp"

namespace emulator {
namespace {

namespace context = boost::context::detail;

constexpr std::size_t kPage = 4096;
// Only touched pages cost memory. Instrumented frames are larger.
constexpr std::size_t kStack =
    (sanitizer::kAddress || sanitizer::kThread ? 512u : 128u) * std::size_t{1024};

}  // namespace

Fiber::Fiber(Entry entry, unsigned int number) : entry_(entry) {
  void* mapping = mmap(nullptr, kPage + kStack, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK | MAP_NORESERVE, -1, 0);
  if (mapping == MAP_FAILED) throw std::bad_alloc();
  mapping_ = static_cast<std::byte*>(mapping);
  mprotect(mapping_, kPage, PROT_NONE);
  stack_low_ = mapping_ + kPage;
  stack_size_ = kStack;
  // Stack tops at equal offsets within a page would share a few sets of the first-level cache.
  top_offset_ = number * 5u * 64u % kPage;
#if defined(EMULATOR_TSAN)
  tsan_fiber_ = __tsan_create_fiber(0);
#endif
  prepare();
}

Fiber::~Fiber() {
  if (mapping_ == nullptr) return;
#if defined(EMULATOR_TSAN)
  __tsan_destroy_fiber(tsan_fiber_);
#endif
  sanitizer::unpoison(stack_low_, stack_size_);
  munmap(mapping_, kPage + kStack);
}

void Fiber::prepare() {
  context_ =
      context::make_fcontext(mapping_ + kPage + kStack - top_offset_, kStack - top_offset_, entry_);
}

void Fiber::abandon() {
  // The frames left behind are still marked in the shadow memory.
  sanitizer::unpoison(stack_low_, stack_size_);
  fake_stack_ = nullptr;
#if defined(EMULATOR_TSAN)
  __tsan_destroy_fiber(tsan_fiber_);
  tsan_fiber_ = __tsan_create_fiber(0);
#endif
  prepare();
}

void Fiber::bind_to_host_thread() {
#if defined(EMULATOR_TSAN)
  tsan_fiber_ = __tsan_get_current_fiber();
#endif
}

// Runs on the stack of the fiber that is being resumed or started.
context::transfer_t Fiber::arrive(context::transfer_t departure) {
  Fiber& from = *static_cast<Fiber*>(departure.data);
  from.context_ = departure.fctx;
#if defined(EMULATOR_ASAN)
  // The host's stack has no mapping of ours; its bounds are learnt here.
  const bool from_host = from.mapping_ == nullptr;
  __sanitizer_finish_switch_fiber(from.target_->fake_stack_, from_host ? &from.stack_low_ : nullptr,
                                  from_host ? &from.stack_size_ : nullptr);
#endif
  return departure;
}

}  // namespace emulator
