// Host emulator: runs the threads of one block at a time, or of the blocks of one cluster, as
// fibers of the calling host thread.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <forward_list>
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
  unsigned int cluster;  // neighbouring blocks along x that run together
  std::size_t shared_bytes;
  bool programmatic;  // on hardware it may begin before the launch before it has ended
  detail::ThreadBody body;
  const void* closure;
  Options options;
  const std::atomic<unsigned int>* running;  // host threads that still have blocks to run
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
  // Runs a cluster of blocks, the first of them at `index`. False when it failed; the failure says
  // why.
  bool run_cluster(std::uint64_t number, uint3 index);
  void end_grid();
  const Failure& failure() const { return failure_; }

  // Called by the running thread of the block.
  void block_barrier();
  void cluster_arrive();
  void cluster_wait();
  const void* cluster_shared(const void* address, unsigned int rank, std::size_t bytes);
  void warp_barrier(unsigned int mask);
  std::uint64_t warp_exchange(unsigned int mask, std::uint64_t value, unsigned int source);
  unsigned int active_mask() const { return warps_[current_ / 32].live; }
  unsigned int lane() const { return current_ % 32; }
  unsigned char* shared() const { return block_of_current().shared.get(); }
  std::size_t shared_bytes() const { return grid_->shared_bytes; }
  CopyQueue& copies() { return threads_[current_].copies; }
  void cp_async(void* smem, const void* gmem, int bytes, int src_bytes);
  void barrier_init(void* address, unsigned int count);
  void barrier_arrive(void* address);
  void barrier_expect(void* address, unsigned int bytes);
  void copy_box(void* smem, const void* map, int first, int first_line, void* address);
  void barrier_arrive_after_copies(void* address);
  void barrier_wait(void* address, unsigned int parity);
  void wait_for_launches_before() { threads_[current_].waited_for_launches = true; }
  void publish(int* progress, int value);
  void wait_until(const int* progress, int value);
  [[noreturn]] void stop(cudaError_t error, std::string reason);

 private:
  enum class State : unsigned char {
    unstarted,
    ready,
    at_block_barrier,
    at_cluster_barrier,
    at_warp_barrier,
    at_shared_barrier,
    exited
  };
  enum class WarpOp : unsigned char { barrier, exchange };

  // Addresses that stand for an ordering, for ThreadSanitizer. A thread that is resumed late must
  // not acquire what a thread that ran ahead released for the next barrier: so two keys in turn.
  struct alignas(8) Key {
    char unused[8];
  };

  // A box of a matrix in gmem, copied line by line: `width` elements from `first` on, where it has
  // `limit`. What lies outside is 0.
  struct Box {
    float* smem;
    const float* gmem;
    std::int64_t width;
    unsigned int lines;
    std::int64_t first, first_line;
    std::int64_t limit, line_limit;
    std::int64_t stride;  // bytes

    void run() const;
  };
  static constexpr unsigned int kMostBoxes = 4;  // for one phase of a barrier

  // A barrier in shared memory. Its state is here; nothing is in its bytes.
  struct SharedBarrier {
    const void* address;
    unsigned int count;
    unsigned int phase = 0;       // the current one; all before are complete
    unsigned int arrivals = 0;    // of the current phase
    unsigned int deferred = 0;    // those of them whose copies are still to be made
    unsigned int waiting = 0;     // threads suspended until the current phase is complete
    std::int64_t bytes_left = 0;  // expected in the current phase, less those of its boxes
    unsigned int boxes = 0;       // of the current phase, still to be copied
    Box box[kMostBoxes] = {};
    bool previous_seen = true;  // somebody waited for the phase before
    Key keys[2] = {};           // of even and odd phases
  };

  struct Thread {
    uint3 index;
    unsigned int block;  // its number in the cluster
    bool arrived;        // at the cluster's barrier of that number, and has not waited yet
    unsigned int cluster_barrier;
    bool waited_for_launches;  // before this one
    Fiber* fiber;
    // Of the warp operation that the thread waits in.
    WarpOp op;
    unsigned int mask;
    unsigned int source;
    std::uint64_t value;
    std::uint64_t result;
    const SharedBarrier* barrier;  // that the thread waits at
    CopyQueue copies;
  };

  struct Warp {
    unsigned int live;
    unsigned int waiting;
  };

  struct FreeShared {
    void operator()(unsigned char* memory) const;
  };

  struct Block {
    uint3 index;
    unsigned int exited;
    unsigned int at_barrier;
    unsigned int barriers_passed;
    std::unique_ptr<unsigned char[], FreeShared> shared;
    // A list: a node stays where it is, and none of its memory is touched by a thread that adds
    // one.
    std::forward_list<SharedBarrier> barriers;
    Key barrier_keys[2];
    Key end_key;
  };

  void prepare(const Grid& grid);
  void reset(uint3 first_block);
  static void fiber_main(boost::context::detail::transfer_t);
  void run_threads();
  void finish_thread();
  void start_pass();
  unsigned int next_runnable();
  void add_fiber();
  void select(unsigned int thread);
  void enter(unsigned int thread);
  void leave();
  void suspend();
  void wait_for_turn();
  void complete_block_barrier(Block& block);
  void complete_cluster_barrier();
  void end_block(Block& block);
  void expect_waited_for_launches(const char* what);
  void wait_in_warp(WarpOp op, unsigned int mask);
  void try_complete_warp(unsigned int warp, unsigned int mask);
  SharedBarrier* find_barrier(const void* address);
  SharedBarrier& barrier_at(const void* address);
  SharedBarrier& open_barrier(const void* address);
  SharedBarrier& begin_arrival(const void* address);
  void try_complete(SharedBarrier& barrier);
  void make_copies(SharedBarrier& barrier);
  std::string waits_at_barriers(const Block& block) const;
  std::string divergence() const;
  std::string block_name(const Block& block) const;
  const Block& block_of_current() const { return blocks_[threads_[current_].block]; }
  Block& block_of_current() { return blocks_[threads_[current_].block]; }
  void recover();

  const Grid* grid_ = nullptr;
  unsigned int size_ = 0;    // threads of a block
  unsigned int stride_ = 0;  // from a block's first thread to the next one's: whole warps
  dim3 shape_{0, 0, 0};

  // Of the current cluster.
  unsigned int current_ = 0;
  unsigned int cursor_ = 0;  // position in order_ of the thread that runs
  unsigned int exited_ = 0;
  unsigned int at_cluster_barrier_ = 0;
  unsigned int cluster_barriers_passed_ = 0;
  std::vector<Block> blocks_;
  std::vector<State> states_;
  std::vector<unsigned int> order_;
  std::vector<Thread> threads_;
  std::vector<Warp> warps_;
  Random random_;
  Failure failure_;

  Fiber host_;
  Fiber* running_ = &host_;
  std::vector<std::unique_ptr<Fiber>> fibers_;
  std::vector<Fiber*> idle_;
  // Fibers that may not run another thread of the same block.
  std::vector<Fiber*> retired_;

  sanitizer::Agent copy_engine_;
  Key start_key_;
  Key end_key_;
  Key cluster_keys_[2];
  std::vector<Key> thread_keys_;
};

}  // namespace emulator
