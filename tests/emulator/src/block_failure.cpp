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

std::string BlockScheduler::block_name(const Block& block) const {
  return "block " + triple(block.index);
}

// Of the first block in which some, not all, arrived at a barrier; else of the cluster's barrier,
// else of a warp operation; and of the barriers in shared memory.
std::string BlockScheduler::divergence() const {
  const auto stuck = std::find_if(blocks_.begin(), blocks_.end(),
                                  [](const Block& block) { return block.at_barrier != 0; });
  const bool block_wide = stuck != blocks_.end();
  const bool cluster_wide = !block_wide && at_cluster_barrier_ != 0;
  std::string at_shared_barriers;
  for (const Block& block : blocks_) at_shared_barriers += waits_at_barriers(block);
  if (!block_wide && !cluster_wide &&
      std::count(states_.begin(), states_.end(), State::at_warp_barrier) == 0) {
    return "no thread can go on, " + std::to_string(exited_) + " of " +
           std::to_string(order_.size()) + " returned" + at_shared_barriers;
  }
  const State waits = block_wide     ? State::at_block_barrier
                      : cluster_wide ? State::at_cluster_barrier
                                     : State::at_warp_barrier;
  // The slots that are meant: the block's, or all.
  auto begin = states_.begin(), end = states_.end();
  auto size = order_.size();
  unsigned int exited = exited_;
  if (block_wide) {
    begin += (stuck - blocks_.begin()) * static_cast<std::ptrdiff_t>(stride_);
    end = begin + static_cast<std::ptrdiff_t>(size_);
    size = size_;
    exited = stuck->exited;
  }
  const auto count = [&](State state) { return std::count(begin, end, state); };
  std::string text = "barrier divergence in ";
  if (cluster_wide) text += "the cluster of ";
  text += block_name(block_wide ? *stuck : blocks_.front()) + ": " + std::to_string(count(waits)) +
          " of " + std::to_string(size) + " threads arrived at " +
          (block_wide     ? "__syncthreads()"
           : cluster_wide ? "the cluster's barrier"
                          : "a warp operation");
  const auto in_warp_operations = count(State::at_warp_barrier);
  if (waits != State::at_warp_barrier && in_warp_operations != 0) {
    text += ", " + std::to_string(in_warp_operations) + " wait in a warp operation";
  }
  const auto at_cluster = count(State::at_cluster_barrier);
  if (block_wide && at_cluster != 0) {
    text += ", " + std::to_string(at_cluster) + " wait at the cluster's barrier";
  }
  if (exited != 0) text += ", " + std::to_string(exited) + " returned";
  for (auto at = begin; at != end; ++at) {
    const auto slot = static_cast<unsigned int>(at - states_.begin());
    if (*at == waits || slot % stride_ >= size_) continue;
    text += "; the first that did not arrive is thread " + triple(threads_[slot].index);
    if (cluster_wide) text += " of " + block_name(blocks_[threads_[slot].block]);
    break;
  }
  return text + at_shared_barriers;
}

void BlockScheduler::stop(cudaError_t error, std::string reason) {
  // Moved, not copied: nothing on this stack will be destroyed.
  failure_ = {error, std::move(reason)};
  failure_.reason +=
      " in " + block_name(block_of_current()) + ", thread " + triple(threads_[current_].index);
  sanitizer::release(&end_key_);
  leave();
  // The host abandons this fiber.
  __builtin_unreachable();
}

// After a failure: frees the fibers of the threads that will never go on.
void BlockScheduler::recover() {
  for (Block& block : blocks_) {
    sanitizer::acquire(&block.barrier_keys[0]);
    sanitizer::acquire(&block.barrier_keys[1]);
  }
  sanitizer::acquire(&cluster_keys_[0]);
  sanitizer::acquire(&cluster_keys_[1]);
  for (unsigned int i = 0; i < states_.size(); ++i) {
    sanitizer::acquire(&thread_keys_[i]);
    threads_[i].copies.drop_all();
    if (states_[i] == State::exited || states_[i] == State::unstarted) continue;
    threads_[i].fiber->abandon();
    idle_.push_back(threads_[i].fiber);
  }
}

}  // namespace emulator
