// Host emulator: runs the threads of one block at a time as fibers of the calling host thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "copy_queue.hpp"
#include "emulator/control.h"
#include "fiber.hpp"
#include "random.hpp"
#include "vector_types.h"

namespace emulator {

// What is the same for all blocks of a launch.
struct Grid {
  dim3 grid;
  dim3 block;
  std::size_t shared_bytes;
  detail::ThreadBody body;
  const void* closure;
  Options options;
};

struct Failure {
  cudaError_t error = cudaSuccess;
  std::string reason;
};

// One per host thread. Fibers are kept from block to block and from launch to launch. A fiber
// whose thread returned goes on with the next thread that has not started, so a kernel without
// barriers needs one fiber.
class BlockScheduler {
 public:
  // The scheduler of the calling host thread.
  static BlockScheduler& of_host_thread();
  // The scheduler whose kernel is calling.
  static BlockScheduler& active();
  static bool is_active();

  void begin_grid(const Grid& grid);
  // False when the block failed; the failure says why.
  bool run_block(std::uint64_t number, uint3 index);
  void end_grid();
  const Failure& failure() const { return failure_; }

  // Called by the running thread of the block.
  void block_barrier();
  void warp_barrier(unsigned int mask);
  std::uint64_t warp_exchange(unsigned int mask, std::uint64_t value, unsigned int source);
  unsigned int active_mask() const { return warps_[current_ / 32].live; }
  unsigned int lane() const { return current_ % 32; }
  unsigned char* shared() const { return shared_.get(); }
  std::size_t shared_bytes() const { return grid_->shared_bytes; }
  CopyQueue& copies() { return threads_[current_].copies; }
  void cp_async(void* smem, const void* gmem, int bytes, int src_bytes);
  [[noreturn]] void stop(cudaError_t error, std::string reason);

 private:
  enum class State : unsigned char { unstarted, ready, at_block_barrier, at_warp_barrier, exited };
  enum class WarpOp : unsigned char { barrier, exchange };

  struct Thread {
    uint3 index;
    Fiber* fiber;
    // Of the warp operation that the thread waits in.
    WarpOp op;
    unsigned int mask;
    unsigned int source;
    std::uint64_t value;
    std::uint64_t result;
    CopyQueue copies;
  };

  struct Warp {
    unsigned int live;
    unsigned int waiting;
  };

  struct FreeShared {
    void operator()(unsigned char* memory) const;
  };

  static void fiber_main(boost::context::detail::transfer_t);
  void run_threads();
  void finish_thread();
  void start_pass();
  unsigned int next_runnable();
  void add_fiber();
  void enter(unsigned int thread);
  void leave();
  void suspend();
  void complete_block_barrier();
  void wait_in_warp(WarpOp op, unsigned int mask);
  void try_complete_warp(unsigned int warp, unsigned int mask);
  std::string divergence() const;
  std::string block_name() const;
  void recover();

  const Grid* grid_ = nullptr;
  unsigned int size_ = 0;
  dim3 shape_{0, 0, 0};

  // Of the current block.
  uint3 block_index_{};
  unsigned int current_ = 0;
  unsigned int cursor_ = 0;  // position in order_ of the thread that runs
  unsigned int exited_ = 0;
  unsigned int at_barrier_ = 0;
  unsigned int barriers_passed_ = 0;
  std::vector<State> states_;
  std::vector<unsigned int> order_;
  std::vector<Thread> threads_;
  std::vector<Warp> warps_;
  std::unique_ptr<unsigned char[], FreeShared> shared_;
  Random random_;
  Failure failure_;

  Fiber host_;
  Fiber* running_ = &host_;
  std::vector<std::unique_ptr<Fiber>> fibers_;
  std::vector<Fiber*> idle_;
  // Fibers that may not run another thread of the same block.
  std::vector<Fiber*> retired_;

  // Addresses that stand for an ordering, for ThreadSanitizer. A thread that is resumed late must
  // not acquire what a thread that ran ahead released for the next barrier: so two keys in turn.
  struct alignas(8) Key {
    char unused[8];
  };
  Key start_key_;
  Key end_key_;
  Key barrier_keys_[2];
  std::vector<Key> thread_keys_;
};

}  // namespace emulator
