// Host emulator: barriers in shared memory (mbarrier).
#include <algorithm>
#include <cstdint>
#include <string>

#include "block_scheduler.hpp"
#include "sanitizer.hpp"

namespace emulator {
namespace {

constexpr std::size_t kBarrierBytes = 8;
constexpr unsigned int kLargestCount = (1u << 20) - 1;  // that the hardware counts

}  // namespace

// The block's barrier at the address, or null if none was initialised there.
BlockScheduler::SharedBarrier* BlockScheduler::find_barrier(const void* address) {
  if (reinterpret_cast<std::uintptr_t>(address) % kBarrierBytes != 0) {
    stop(cudaErrorMisalignedAddress, "a barrier's address is not a multiple of 8");
  }
  const auto offset =
      reinterpret_cast<std::uintptr_t>(address) - reinterpret_cast<std::uintptr_t>(shared());
  if (offset > grid_->shared_bytes || grid_->shared_bytes - offset < kBarrierBytes) {
    stop(cudaErrorIllegalAddress, "a barrier lies outside the block's dynamic shared memory");
  }
  for (SharedBarrier& barrier : block_of_current().barriers) {
    if (barrier.address == address) return &barrier;
  }
  return nullptr;
}

BlockScheduler::SharedBarrier& BlockScheduler::barrier_at(const void* address) {
  SharedBarrier* const barrier = find_barrier(address);
  if (barrier == nullptr) {
    stop(cudaErrorLaunchFailure, "a thread uses a barrier that was not initialised");
  }
  // Races with the initialisation only.
  sanitizer::note_read(const_cast<void*>(address), kBarrierBytes);
  return *barrier;
}

void BlockScheduler::barrier_init(void* address, unsigned int count) {
  SharedBarrier* const known = find_barrier(address);
  if (count == 0 || count > kLargestCount) {
    stop(cudaErrorLaunchFailure, "a barrier is initialised with an impossible count");
  }
  sanitizer::note_write(address, kBarrierBytes);
  sanitizer::poison(address, kBarrierBytes);
  if (known == nullptr) {
    block_of_current().barriers.push_front({address, count});
    return;
  }
  if (known->waiting != 0 || known->deferred != 0 || known->boxes != 0) {
    stop(cudaErrorLaunchFailure, "a barrier is initialised again while it is in use");
  }
  // The keys stay: what they ordered so far, they still do.
  known->count = count;
  known->phase = known->arrivals = 0;
  known->bytes_left = 0;
  known->previous_seen = true;
}

// The barrier, whose current phase somebody has yet to arrive in. The hardware would count an
// arrival too many for the next phase.
BlockScheduler::SharedBarrier& BlockScheduler::open_barrier(const void* address) {
  SharedBarrier& barrier = barrier_at(address);
  if (barrier.arrivals == barrier.count || !barrier.previous_seen) {
    const unsigned int phase = barrier.previous_seen ? barrier.phase : barrier.phase - 1;
    stop(cudaErrorLaunchFailure, "more than " + std::to_string(barrier.count) +
                                     " arrivals at a barrier: nobody has waited for phase " +
                                     std::to_string(phase));
  }
  return barrier;
}

BlockScheduler::SharedBarrier& BlockScheduler::begin_arrival(const void* address) {
  SharedBarrier& barrier = open_barrier(address);
  ++barrier.arrivals;
  sanitizer::release(&barrier.keys[barrier.phase % 2]);
  return barrier;
}

void BlockScheduler::barrier_arrive(void* address) { try_complete(begin_arrival(address)); }

void BlockScheduler::barrier_expect(void* address, unsigned int bytes) {
  open_barrier(address).bytes_left += bytes;
}

void BlockScheduler::barrier_arrive_after_copies(void* address) {
  SharedBarrier& barrier = begin_arrival(address);
  if (!copies().all_done()) {
    copies().hand_over(&barrier);
    ++barrier.deferred;
  }
  try_complete(barrier);
}

void BlockScheduler::barrier_wait(void* address, unsigned int parity) {
  SharedBarrier& barrier = barrier_at(address);
  if (parity > 1) stop(cudaErrorLaunchFailure, "a thread waits for a parity other than 0 and 1");
  if (barrier.phase % 2 != parity) {
    barrier.previous_seen = true;
  } else {
    const unsigned int phase = barrier.phase;
    states_[current_] = State::at_shared_barrier;
    threads_[current_].barrier = &barrier;
    ++barrier.waiting;
    // For the host, should this thread never go on.
    sanitizer::release(&thread_keys_[current_]);
    try_complete(barrier);
    if (states_[current_] == State::at_shared_barrier) wait_for_turn();
    // A parity does not tell this phase from the next but one.
    if (barrier.phase != phase + 1) {
      stop(cudaErrorLaunchFailure,
           "a barrier completed another phase before a thread saw the one it waited for");
    }
  }
  sanitizer::acquire(&barrier.keys[parity]);
}

// With copies to make, a phase completes when somebody waits for it, and not before.
void BlockScheduler::try_complete(SharedBarrier& barrier) {
  if (barrier.arrivals != barrier.count || barrier.bytes_left != 0) return;
  if ((barrier.deferred != 0 || barrier.boxes != 0) && barrier.waiting == 0) return;
  make_copies(barrier);
  State* const states = &states_[threads_[current_].block * stride_];
  const Thread* const threads = &threads_[threads_[current_].block * stride_];
  for (unsigned int i = 0; i < size_ && barrier.waiting != 0; ++i) {
    if (states[i] != State::at_shared_barrier || threads[i].barrier != &barrier) continue;
    states[i] = State::ready;
  }
  barrier.previous_seen = barrier.waiting != 0;
  barrier.waiting = 0;
  barrier.arrivals = 0;
  ++barrier.phase;
}

// The running thread may be any of the block. The copies come after the arrivals of those who
// issued them and before what follows the waits; they order nothing else.
void BlockScheduler::make_copies(SharedBarrier& barrier) {
  if (barrier.deferred == 0 && barrier.boxes == 0) return;
  barrier.deferred = 0;
  Thread* const threads = &threads_[threads_[current_].block * stride_];
  Key* const key = &barrier.keys[barrier.phase % 2];
  copy_engine_.act([&] {
    sanitizer::acquire(key);
    for (unsigned int i = 0; i < size_; ++i) threads[i].copies.make(&barrier);
    for (unsigned int i = 0; i < barrier.boxes; ++i) barrier.box[i].run();
    sanitizer::release(key);
    sanitizer::release(&block_of_current().end_key);
    sanitizer::release(&end_key_);
  });
  barrier.boxes = 0;
}

// "; 3 threads wait at ..." for each barrier at which some do.
std::string BlockScheduler::waits_at_barriers(const Block& block) const {
  std::string text;
  for (const SharedBarrier& barrier : block.barriers) {
    if (barrier.waiting == 0) continue;
    const auto offset = static_cast<const unsigned char*>(barrier.address) - block.shared.get();
    text += "; " + std::to_string(barrier.waiting) + " threads of " + block_name(block) +
            " wait at the barrier at byte " + std::to_string(offset) +
            " of shared memory for phase " + std::to_string(barrier.phase) + ", which has " +
            std::to_string(barrier.arrivals) + " of " + std::to_string(barrier.count) + " arrivals";
    if (barrier.bytes_left != 0) {
      text += " and expects " + std::to_string(barrier.bytes_left) + " bytes more than it was sent";
    }
  }
  return text;
}

}  // namespace emulator
