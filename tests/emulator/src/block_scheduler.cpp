// Host emulator: thread scheduling, barriers and warp operations of a block or a cluster of blocks.
#include "block_scheduler.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <thread>

#include "device_launch_parameters.h"
#include "sanitizer.hpp"

namespace emulator {
namespace {

constexpr unsigned int kNone = ~0u;
// Before the first position: the next one is 0.
constexpr unsigned int kBeforeFirst = ~0u;

// Not the object itself: a pointer needs no check for first use on every access.
constinit thread_local BlockScheduler* active_scheduler = nullptr;

}  // namespace

BlockScheduler& BlockScheduler::of_host_thread() {
  thread_local BlockScheduler scheduler;
  return scheduler;
}

inline BlockScheduler& BlockScheduler::active() {
  if (active_scheduler == nullptr) {
    std::fputs("emulator: a device function was called outside a kernel\n", stderr);
    std::abort();
  }
  return *active_scheduler;
}

bool BlockScheduler::is_active() { return active_scheduler != nullptr; }

void BlockScheduler::begin_grid(const Grid& grid) {
  grid_ = &grid;
  failure_ = {};
  host_.bind_to_host_thread();
  prepare(grid);
  gridDim = grid.grid;
  blockDim = grid.block;
  active_scheduler = this;
}

void BlockScheduler::end_grid() {
  active_scheduler = nullptr;
  for (Block& block : blocks_) {
    sanitizer::unpoison(block.shared.get(), grid_->shared_bytes);
    block.shared.reset();
  }
  grid_ = nullptr;
}

bool BlockScheduler::run_cluster(std::uint64_t number, uint3 index) {
  blockIdx = index;
  reset(index);
  if (grid_->options.order == Order::random) {
    random_ = Random(grid_->options.seed ^ (number * 0xd1342543de82ef95u));
  }
  sanitizer::release(&start_key_);
  start_pass();
  enter(next_runnable());
  sanitizer::acquire(&end_key_);
  idle_.insert(idle_.end(), retired_.begin(), retired_.end());
  retired_.clear();
  if (failure_.error == cudaSuccess && exited_ != order_.size()) {
    failure_ = {cudaErrorLaunchFailure, divergence()};
  }
  if (failure_.error == cudaSuccess) return true;
  recover();
  return false;
}

// A pass gives every thread at most one turn.
void BlockScheduler::start_pass() {
  cursor_ = kBeforeFirst;
  if (grid_->options.order != Order::random) return;
  for (auto i = static_cast<unsigned int>(order_.size()); i > 1; --i) {
    std::swap(order_[i - 1], order_[random_.below(i)]);
  }
}

inline unsigned int BlockScheduler::next_runnable() {
  const auto search = [this] {
    for (unsigned int i = cursor_ + 1; i < order_.size(); ++i) {
      const State state = states_[order_[i]];
      if (state == State::ready || state == State::unstarted) {
        cursor_ = i;
        return order_[i];
      }
    }
    return kNone;
  };
  const unsigned int found = search();
  if (found != kNone) return found;
  start_pass();
  return search();
}

void BlockScheduler::add_fiber() {
  const auto number = static_cast<unsigned int>(fibers_.size());
  fibers_.push_back(std::make_unique<Fiber>(&BlockScheduler::fiber_main, number));
  idle_.push_back(fibers_.back().get());
}

// Makes `thread` the running one for the functions and variables of device code.
inline void BlockScheduler::select(unsigned int thread) {
  current_ = thread;
  threadIdx = threads_[thread].index;
  if (blocks_.size() > 1) blockIdx = block_of_current().index;
}

// Leaves the running fiber for the fiber of `thread`.
inline void BlockScheduler::enter(unsigned int thread) {
  if (states_[thread] == State::unstarted) {
    if (idle_.empty()) add_fiber();
    threads_[thread].fiber = idle_.back();
    idle_.pop_back();
  }
  select(thread);
  Fiber& from = *running_;
  running_ = threads_[thread].fiber;
  from.switch_to(*running_);
}

// Leaves the running fiber for the host: the block is done, or no thread can go on.
void BlockScheduler::leave() {
  Fiber& from = *running_;
  running_ = &host_;
  from.switch_to(host_);
}

void BlockScheduler::fiber_main(boost::context::detail::transfer_t) { active().run_threads(); }

// The life of a fiber: each turn of the loop is one thread of some block.
void BlockScheduler::run_threads() {
  Fiber& fiber = *running_;
  for (;;) {
    states_[current_] = State::ready;
    sanitizer::acquire(&start_key_);
    std::string thrown;
    try {
      grid_->body(grid_->closure);
    } catch (const std::exception& exception) {
      thrown = std::string("a thread threw: ") + exception.what();
    } catch (...) {
      thrown = "a thread threw an exception";
    }
    // Not inside the handler: this fiber would be left with an exception in flight.
    if (!thrown.empty()) stop(cudaErrorLaunchFailure, std::move(thrown));
    sanitizer::release(&end_key_);
    finish_thread();

    const unsigned int next = next_runnable();
    if (next != kNone && states_[next] == State::unstarted && !sanitizer::kThread) {
      select(next);
      threads_[next].fiber = &fiber;
      continue;
    }
    // ThreadSanitizer would see two threads of a block share this stack without any order.
    (sanitizer::kThread ? retired_ : idle_).push_back(&fiber);
    if (next != kNone) {
      enter(next);
      continue;
    }
    leave();
  }
}

void BlockScheduler::finish_thread() {
  if (threads_[current_].arrived) {
    stop(cudaErrorLaunchFailure, "a thread returned that had arrived at the cluster's barrier");
  }
  expect_waited_for_launches("returned");
  threads_[current_].copies.drop();
  states_[current_] = State::exited;
  ++exited_;
  Warp& warp = warps_[current_ / 32];
  warp.live &= ~(1u << current_ % 32);
  // The others of the warp no longer wait for this thread.
  for (unsigned int rest = warp.waiting; rest != 0; rest = rest & (rest - 1) & warp.waiting) {
    const auto lane = static_cast<unsigned int>(__builtin_ctz(rest));
    try_complete_warp(current_ / 32, threads_[current_ / 32 * 32 + lane].mask);
  }
  Block& block = block_of_current();
  if (blocks_.size() > 1) sanitizer::release(&block.end_key);
  if (++block.exited == size_) end_block(block);
  complete_block_barrier(block);
  complete_cluster_barrier();
}

// The running thread waits; returns when it has its next turn.
inline void BlockScheduler::suspend() {
  const unsigned int self = current_;
  const unsigned int next = next_runnable();
  if (next == kNone) leave();
  if (next != self) enter(next);
}

void BlockScheduler::wait_for_turn() { suspend(); }

inline void BlockScheduler::complete_block_barrier(Block& block) {
  if (block.at_barrier == 0 || block.at_barrier + block.exited != size_) return;
  if (block.exited != 0 && !grid_->options.exited_threads_pass_barriers) return;
  State* const states = &states_[threads_[current_].block * stride_];
  for (unsigned int i = 0; i < size_; ++i) {
    if (states[i] == State::at_block_barrier) states[i] = State::ready;
  }
  block.at_barrier = 0;
  ++block.barriers_passed;
  start_pass();
}

inline void BlockScheduler::block_barrier() {
  Block& block = block_of_current();
  states_[current_] = State::at_block_barrier;
  ++block.at_barrier;
  Key* const key = &block.barrier_keys[block.barriers_passed % 2];
  sanitizer::release(key);
  complete_block_barrier(block);
  suspend();
  sanitizer::acquire(key);
}

void BlockScheduler::complete_cluster_barrier() {
  if (at_cluster_barrier_ == 0 || at_cluster_barrier_ + exited_ != order_.size()) return;
  if (exited_ != 0 && !grid_->options.exited_threads_pass_barriers) return;
  for (State& state : states_) {
    if (state == State::at_cluster_barrier) state = State::ready;
  }
  at_cluster_barrier_ = 0;
  ++cluster_barriers_passed_;
  start_pass();
}

void BlockScheduler::cluster_arrive() {
  Thread& thread = threads_[current_];
  if (thread.arrived) {
    stop(cudaErrorLaunchFailure, "a thread arrived twice at the cluster's barrier");
  }
  thread.arrived = true;
  thread.cluster_barrier = cluster_barriers_passed_;
  ++at_cluster_barrier_;
  sanitizer::release(&cluster_keys_[thread.cluster_barrier % 2]);
  complete_cluster_barrier();
}

void BlockScheduler::cluster_wait() {
  Thread& thread = threads_[current_];
  if (!thread.arrived) {
    stop(cudaErrorLaunchFailure, "a thread waits at the cluster's barrier without having arrived");
  }
  if (thread.cluster_barrier == cluster_barriers_passed_) {
    states_[current_] = State::at_cluster_barrier;
    suspend();
  }
  thread.arrived = false;
  sanitizer::acquire(&cluster_keys_[thread.cluster_barrier % 2]);
}

void BlockScheduler::wait_in_warp(WarpOp op, unsigned int mask) {
  const unsigned int self = current_;
  const unsigned int lane = self % 32;
  if ((mask >> lane & 1u) == 0) {
    stop(cudaErrorLaunchFailure, "a warp operation's mask lacks the calling thread");
  }
  Thread& thread = threads_[self];
  thread.op = op;
  thread.mask = mask;
  states_[self] = State::at_warp_barrier;
  warps_[self / 32].waiting |= 1u << lane;
  sanitizer::release(&thread_keys_[self]);
  try_complete_warp(self / 32, mask);
  suspend();
  // A shuffle orders no memory accesses.
  if (op == WarpOp::barrier) sanitizer::acquire(&thread_keys_[self]);
}

// Lets the threads of `mask` go on if all of them that still run wait in the same operation.
void BlockScheduler::try_complete_warp(unsigned int warp_number, unsigned int mask) {
  Warp& warp = warps_[warp_number];
  const unsigned int group = mask & warp.live;
  if (group == 0 || (warp.waiting & group) != group) return;
  Thread* const threads = &threads_[warp_number * 32];
  State* const states = &states_[warp_number * 32];
  Key* const keys = &thread_keys_[warp_number * 32];
  const auto for_group = [group](auto&& action) {
    for (unsigned int rest = group; rest != 0; rest &= rest - 1) {
      action(static_cast<unsigned int>(__builtin_ctz(rest)));
    }
  };
  const WarpOp op = threads[__builtin_ctz(group)].op;
  bool same = true;
  for_group([&](unsigned int i) { same = same && threads[i].mask == mask && threads[i].op == op; });
  if (!same) return;

  if (op == WarpOp::exchange) {
    // What a lane outside the group would give is undefined; NaN shows its use.
    for_group([&](unsigned int i) {
      const unsigned int source = threads[i].source;
      threads[i].result = (group >> source & 1u) != 0 ? threads[source].value : ~std::uint64_t{0};
    });
  } else {
    for_group([&](unsigned int i) { sanitizer::acquire(&keys[i]); });
    for_group([&](unsigned int i) { sanitizer::release(&keys[i]); });
  }
  for_group([&](unsigned int i) { states[i] = State::ready; });
  warp.waiting &= ~group;
}

void BlockScheduler::expect_waited_for_launches(const char* what) {
  if (!grid_->programmatic || threads_[current_].waited_for_launches) return;
  stop(cudaErrorLaunchFailure, std::string("a thread ") + what +
                                   " that has not waited for the launches before its own, which is "
                                   "a programmatic dependent launch");
}

void BlockScheduler::publish(int* progress, int value) {
  expect_waited_for_launches("published progress");
  sanitizer::release(progress);
  __atomic_store_n(progress, value, __ATOMIC_RELEASE);
}

// Where this host thread alone is left, nothing changes unless a thread of this block does it: a
// few turns for each are enough. Other host threads may be slow.
void BlockScheduler::wait_until(const int* progress, int value) {
  constexpr int most_turns = 4;
  constexpr std::chrono::seconds limit(60);
  const auto start = std::chrono::steady_clock::now();
  expect_waited_for_launches("waited for progress");
  int turns = 0;  // since the others ended
  int now;
  while ((now = __atomic_load_n(progress, __ATOMIC_ACQUIRE)) != value) {
    const bool alone = grid_->running->load() == 1;
    if (alone ? turns++ == most_turns : std::chrono::steady_clock::now() - start > limit) {
      stop(cudaErrorLaunchFailure, "a thread waits for progress " + std::to_string(value) +
                                       " where there is " + std::to_string(now) +
                                       ", which no block that has started will change");
    }
    if (!alone) std::this_thread::yield();
    sanitizer::release(&thread_keys_[current_]);  // for recover(), if this is its last turn
    suspend();
  }
  sanitizer::acquire(const_cast<int*>(progress));
}

void BlockScheduler::warp_barrier(unsigned int mask) { wait_in_warp(WarpOp::barrier, mask); }

std::uint64_t BlockScheduler::warp_exchange(unsigned int mask, std::uint64_t value,
                                            unsigned int source) {
  Thread& thread = threads_[current_];
  thread.value = value;
  thread.source = source % 32;
  wait_in_warp(WarpOp::exchange, mask);
  return thread.result;
}

// What a running thread calls. Here, so that all of a barrier is compiled into one function.

namespace detail {

void block_barrier() { BlockScheduler::active().block_barrier(); }

void warp_barrier(unsigned int mask) { BlockScheduler::active().warp_barrier(mask); }

std::uint64_t warp_exchange(unsigned int mask, std::uint64_t value, unsigned int source) {
  return BlockScheduler::active().warp_exchange(mask, value, source);
}

unsigned int active_mask() { return BlockScheduler::active().active_mask(); }

// Not in the header: ThreadSanitizer does not support fences.
void memory_fence() { std::atomic_thread_fence(std::memory_order_seq_cst); }

long long clock() { return std::chrono::steady_clock::now().time_since_epoch().count(); }

}  // namespace detail

unsigned char* dynamic_shared() { return BlockScheduler::active().shared(); }

std::size_t dynamic_shared_bytes() { return BlockScheduler::active().shared_bytes(); }

unsigned int lane_id() { return BlockScheduler::active().lane(); }

void cluster_arrive() { BlockScheduler::active().cluster_arrive(); }

void cluster_wait() { BlockScheduler::active().cluster_wait(); }

const void* cluster_shared(const void* address, unsigned int rank, std::size_t bytes) {
  return BlockScheduler::active().cluster_shared(address, rank, bytes);
}

void cp_async(void* smem, const void* gmem, int bytes, int src_bytes) {
  BlockScheduler::active().cp_async(smem, gmem, bytes, src_bytes);
}

void wait_for_launches_before() { BlockScheduler::active().wait_for_launches_before(); }

void cp_async_commit() { BlockScheduler::active().copies().commit(); }

void cp_async_wait(int pending_groups) {
  BlockScheduler::active().copies().wait(static_cast<std::size_t>(pending_groups));
}

void barrier_init(void* barrier, unsigned int count) {
  BlockScheduler::active().barrier_init(barrier, count);
}

void barrier_arrive(void* barrier) { BlockScheduler::active().barrier_arrive(barrier); }

void barrier_expect(void* barrier, unsigned int bytes) {
  BlockScheduler::active().barrier_expect(barrier, bytes);
}

void copy_box(void* smem, const void* map, int first, int first_line, void* barrier) {
  BlockScheduler::active().copy_box(smem, map, first, first_line, barrier);
}

void barrier_arrive_after_copies(void* barrier) {
  BlockScheduler::active().barrier_arrive_after_copies(barrier);
}

void barrier_wait(void* barrier, unsigned int parity) {
  BlockScheduler::active().barrier_wait(barrier, parity);
}

void publish(int* progress, int value) { BlockScheduler::active().publish(progress, value); }

void wait_until(const int* progress, int value) {
  BlockScheduler::active().wait_until(progress, value);
}

void fail(cudaError_t error, const char* reason) { BlockScheduler::active().stop(error, reason); }

void poison(const void* address, std::size_t bytes) { sanitizer::poison(address, bytes); }

void unpoison(const void* address, std::size_t bytes) { sanitizer::unpoison(address, bytes); }

}  // namespace emulator
