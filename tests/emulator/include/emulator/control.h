// Host emulator: its own interface. Tests set the options and read the report; the library's arch/
// folder calls the functions of a running thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "../driver_types.h"

namespace emulator {

// The order in which a block's threads get their turn between two barriers.
enum class Order { forward, reverse, random };

struct Options {
  Order order = Order::forward;
  // Of the random order. The orders of a block depend on this and on the block's number only.
  std::uint64_t seed = 1;
  // Host threads over which the blocks of one grid are spread.
  unsigned int threads = 1;
  // Let a barrier complete without threads that have returned. The hardware allows it; the kernels
  // of this project never do it, so by default it is reported.
  bool exited_threads_pass_barriers = false;
  // cp.async copies at once instead of at the wait. Shows a stage that is refilled too early.
  bool copy_at_issue = false;
  // Larger allocations fail.
  std::size_t largest_allocation = SIZE_MAX;
  // What the device properties report.
  int multiprocessors = 132;
};

// Read from TESSERA_EMULATOR_ORDER (forward, reverse, random or random:SEED) and
// TESSERA_EMULATOR_THREADS at start. Not to be changed while a kernel runs.
extern Options options;

// Sets the options for a scope.
class ScopedOptions {
 public:
  explicit ScopedOptions(const Options& scoped) : saved_(options) { options = scoped; }
  ~ScopedOptions() { options = saved_; }
  ScopedOptions(const ScopedOptions&) = delete;
  ScopedOptions& operator=(const ScopedOptions&) = delete;

 private:
  Options saved_;
};

// Why the last launch of this host thread failed; empty when it did not.
const std::string& last_report();

// Whether the last launch of this host thread was a programmatic dependent one.
bool last_launch_was_programmatic();

// Allocations of device and pinned memory that nobody has freed.
std::size_t live_allocations();

// For code inside a kernel.

// The block's dynamic shared memory: exactly the bytes of the launch, aligned to 128, and 0xff
// (NaN as floats) when the block starts.
unsigned char* dynamic_shared();
std::size_t dynamic_shared_bytes();

// The index of the calling thread in its warp.
unsigned int lane_id();

// The cluster's barrier in two halves: all threads of the cluster arrive before any goes on from
// its wait.
void cluster_arrive();
void cluster_wait();
inline void cluster_barrier() {
  cluster_arrive();
  cluster_wait();
}
// Where the block `rank` of the cluster has what the calling block has at `address`: `bytes` of its
// dynamic shared memory, which ends when that block's last thread returns.
const void* cluster_shared(const void* address, unsigned int rank, std::size_t bytes);

// cp.async: `bytes` (4, 8 or 16) to smem, of which the first src_bytes come from gmem and the rest
// is zero. Nothing is read or written before the wait for the group that holds the copy.
void cp_async(void* smem, const void* gmem, int bytes, int src_bytes);
void cp_async_commit();
// Returns when at most `pending_groups` of the calling thread's newest groups are unfinished.
void cp_async_wait(int pending_groups);

// mbarrier: 8 aligned bytes of the block's dynamic shared memory, at which some threads arrive and
// others wait. `count` arrivals complete a phase and begin the next one; the first has parity 0.
// No data may be put into the bytes afterwards, and no phase may complete unseen before the next
// one has arrivals.
void barrier_init(void* barrier, unsigned int count);
void barrier_arrive(void* barrier);
// Arrives when all copies that the calling thread has issued are done: not before somebody waits.
void barrier_arrive_after_copies(void* barrier);
// The current phase is not complete before so many more bytes of boxes were copied for it.
void barrier_expect(void* barrier, unsigned int bytes);
// Returns at once if the current phase has the other parity; else when it is complete.
void barrier_wait(void* barrier, unsigned int parity);

// TMA: copies the map's box that begins at element `first` (a multiple of 4) of line `first_line`
// of the matrix, packed, to 128-byte aligned dynamic shared memory; what lies outside the matrix is
// 0. Nothing is read or written before somebody waits for the barrier's current phase.
void copy_box(void* smem, const void* map, int first, int first_line, void* barrier);

// Programmatic dependent launch: until the launches before this one have ended. They have, here;
// but where a launch has that attribute, each of its threads must wait before it copies or
// publishes something or returns, or the launch fails.
void wait_for_launches_before();

// Progress in global memory that blocks tell each other: stores `value` after all that the calling
// thread wrote or was told of at a barrier, and waits until it is there. Blocks run to their end
// one after another (on several host threads: some at once), so a wait for a block that starts
// later fails the launch.
void publish(int* progress, int value);
void wait_until(const int* progress, int value);

// Marks bytes of shared memory that no thread may touch, such as a gap between two arrays, until
// the block ends. Only whole units of 8 bytes are marked, and without AddressSanitizer none.
void poison(const void* address, std::size_t bytes);
void unpoison(const void* address, std::size_t bytes);

// Ends the launch with this error and reason; the calling thread does not return.
[[noreturn]] void fail(cudaError_t error, const char* reason);

namespace detail {

using ThreadBody = void (*)(const void* closure);

// Validates the launch, then calls body(closure) once for every thread of the grid.
cudaError_t launch(const cudaLaunchConfig_t* config, const void* kernel, ThreadBody body,
                   const void* closure);

void block_barrier();
void warp_barrier(unsigned int mask);
// Returns the value that lane `source` of the same warp passed to the same call.
std::uint64_t warp_exchange(unsigned int mask, std::uint64_t value, unsigned int source);
unsigned int active_mask();
void memory_fence();
long long clock();

}  // namespace detail
}  // namespace emulator
