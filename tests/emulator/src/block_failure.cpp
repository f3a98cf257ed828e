// Host emulator: how a block fails, what is said about it, and what is left to clean up.
#include <algorithm>
#include <string>
#include <utility>

#include "block_scheduler.hpp"
#include "sanitizer.hpp"

namespace emulator {
namespace {

std::string triple(uint3 v) {
  return "(" + std::to_string(v.x) + "," + std::to_string(v.y) + "," + std::to_string(v.z) + ")";
}

}  // namespace

std::string BlockScheduler::block_name() const { return "block " + triple(block_index_); }

std::string BlockScheduler::divergence() const {
  const auto count = [this](State state) {
    return std::count(states_.begin(), states_.end(), state);
  };
  const bool block_wide = at_barrier_ != 0;
  const State waits = block_wide ? State::at_block_barrier : State::at_warp_barrier;
  std::string text = "barrier divergence in " + block_name() + ": " + std::to_string(count(waits)) +
                     " of " + std::to_string(size_) + " threads arrived at " +
                     (block_wide ? "__syncthreads()" : "a warp operation");
  const auto in_warp_operations = count(State::at_warp_barrier);
  if (block_wide && in_warp_operations != 0) {
    text += ", " + std::to_string(in_warp_operations) + " wait in a warp operation";
  }
  if (exited_ != 0) text += ", " + std::to_string(exited_) + " returned";
  const auto absent =
      std::find_if(states_.begin(), states_.end(), [waits](State state) { return state != waits; });
  if (absent != states_.end()) {
    const uint3 index = threads_[static_cast<std::size_t>(absent - states_.begin())].index;
    text += "; the first that did not arrive is thread " + triple(index);
  }
  return text;
}

void BlockScheduler::stop(cudaError_t error, std::string reason) {
  // Moved, not copied: nothing on this stack will be destroyed.
  failure_ = {error, std::move(reason)};
  failure_.reason += " in " + block_name() + ", thread " + triple(threads_[current_].index);
  sanitizer::release(&end_key_);
  leave();
  // The host abandons this fiber.
  __builtin_unreachable();
}

// After a failure: frees the fibers of the threads that will never go on.
void BlockScheduler::recover() {
  sanitizer::acquire(&barrier_keys_[0]);
  sanitizer::acquire(&barrier_keys_[1]);
  for (unsigned int i = 0; i < size_; ++i) {
    sanitizer::acquire(&thread_keys_[i]);
    if (states_[i] == State::exited) continue;
    threads_[i].copies.drop();
    if (states_[i] == State::unstarted) continue;
    threads_[i].fiber->abandon();
    idle_.push_back(threads_[i].fiber);
  }
}

}  // namespace emulator
