// Host emulator: what a scheduler holds for the shape of a grid, and its state when a cluster
// starts and when a block ends.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>

#include "block_scheduler.hpp"
#include "sanitizer.hpp"

namespace emulator {

void BlockScheduler::FreeShared::operator()(unsigned char* memory) const { std::free(memory); }

void BlockScheduler::prepare(const Grid& grid) {
  if (shape_.x != grid.block.x || shape_.y != grid.block.y || shape_.z != grid.block.z ||
      blocks_.size() != grid.cluster) {
    shape_ = grid.block;
    size_ = shape_.x * shape_.y * shape_.z;
    stride_ = (size_ + 31) / 32 * 32;
    blocks_.clear();
    blocks_.resize(grid.cluster);
    const unsigned int count = grid.cluster * size_, slots = grid.cluster * stride_;
    states_.resize(slots);
    order_.resize(count);
    warps_.resize(slots / 32);
    if (threads_.size() < slots) threads_.resize(slots);
    if (thread_keys_.size() < slots) thread_keys_.resize(slots);
    // Later, on a fiber, growing these or making a fiber would show up in ThreadSanitizer: as a
    // race in the allocator's eyes, or as an order between two threads of the block.
    fibers_.reserve(count);
    idle_.reserve(count);
    retired_.reserve(count);
    while (sanitizer::kThread && fibers_.size() < count) add_fiber();
    for (unsigned int slot = 0; slot < slots; ++slot) {
      const unsigned int i = slot % stride_;
      threads_[slot].index = {i % shape_.x, i / shape_.x % shape_.y, i / (shape_.x * shape_.y)};
      threads_[slot].block = slot / stride_;
    }
  }
  const auto count = static_cast<unsigned int>(order_.size());
  for (unsigned int i = 0; i < count; ++i) {
    const unsigned int turn = grid.options.order == Order::reverse ? count - 1 - i : i;
    order_[i] = turn / size_ * stride_ + turn % size_;
  }
  for (Block& block : blocks_) {
    // glibc returns a valid pointer for 0 bytes too: a kernel without dynamic smem may bind a
    // reference.
    void* memory = nullptr;
    if (posix_memalign(&memory, 128, grid.shared_bytes) != 0) throw std::bad_alloc();
    block.shared.reset(static_cast<unsigned char*>(memory));
  }
}

void BlockScheduler::reset(uint3 index) {
  exited_ = 0;
  at_cluster_barrier_ = 0;
  // Slots that pad a block to whole warps hold no thread.
  std::fill(states_.begin(), states_.end(), State::exited);
  for (const unsigned int slot : order_) {
    states_[slot] = State::unstarted;
    threads_[slot].arrived = false;
    threads_[slot].waited_for_launches = false;
  }
  for (unsigned int i = 0; i < warps_.size(); ++i) {
    const unsigned int left = size_ - i * 32 % stride_;
    warps_[i] = {left < 32 ? (1u << left) - 1 : ~0u, 0};
  }
  for (Block& block : blocks_) {
    block.index = index;
    ++index.x;
    block.exited = 0;
    block.at_barrier = 0;
    block.barriers.clear();
    sanitizer::unpoison(block.shared.get(), grid_->shared_bytes);
    std::memset(block.shared.get(), 0xff, grid_->shared_bytes);
  }
}

// The shared memory of a block in a cluster ends with its last thread: what another block reads
// there later is NaN, and unordered for ThreadSanitizer.
void BlockScheduler::end_block(Block& block) {
  // Nobody waited for these, but their threads did not drop them.
  for (SharedBarrier& barrier : block.barriers) make_copies(barrier);
  if (blocks_.size() == 1) return;
  sanitizer::acquire(&block.end_key);
  sanitizer::unpoison(block.shared.get(), grid_->shared_bytes);
  std::memset(block.shared.get(), 0xff, grid_->shared_bytes);
  sanitizer::release(&end_key_);
}

}  // namespace emulator
