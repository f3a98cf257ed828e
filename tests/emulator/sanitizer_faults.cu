// One fault of a kernel per run, by name, for a sanitizer to find; "none" is the same kernels done
// right. Prints "finished" at the end, which a found fault never reaches.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstring>
#include <vector>

#include "launch.hpp"
#include "ring_kernel.cuh"

namespace {

using emulator_test::launch;
using emulator_test::launch_clusters;
using emulator_test::Ring;

constexpr unsigned int kThreads = 64;
constexpr unsigned int kRingTiles = 8;

__device__ float* shared_floats() { return reinterpret_cast<float*>(emulator::dynamic_shared()); }

// Memory: `offset` is 1 for the overrun by one float.

__global__ void write_shared(unsigned int offset) { shared_floats()[threadIdx.x + offset] = 1.0f; }

__global__ void read_shared(float* out, unsigned int offset) {
  out[threadIdx.x] = shared_floats()[threadIdx.x + offset];
}

__global__ void write_gmem(float* out, unsigned int offset) { out[threadIdx.x + offset] = 1.0f; }

__global__ void copy_to_shared(const float* in, unsigned int offset) {
  emulator::cp_async(shared_floats() + threadIdx.x + offset, in + threadIdx.x, 4, 4);
  emulator::cp_async_commit();
  emulator::cp_async_wait(0);
}

// Two arrays of kThreads floats with kGap bytes between them.
constexpr std::size_t kGap = 16;
__global__ void write_beside_gap(unsigned int offset) {
  float* const shared = shared_floats();
  if (threadIdx.x == 0) emulator::poison(shared + kThreads, kGap);
  __syncthreads();
  shared[threadIdx.x + offset] = 1.0f;
}

__global__ void read_vector(const float* in, float* out, unsigned int offset) {
  *out = __ldg(reinterpret_cast<const float4*>(in + offset)).x;
}

// Order: each of these leaves out one barrier when `fault` is set.

__global__ void read_before_barrier(float* out, bool fault) {
  float* const shared = shared_floats();
  shared[threadIdx.x] = 1.0f;
  if (!fault) __syncthreads();
  out[blockIdx.x * kThreads + threadIdx.x] = shared[(threadIdx.x + 1) % kThreads];
}

// The barrier at the end of a mainloop's turn: without it the next tile overwrites this one.
__global__ void overwrite_before_barrier(float* out, bool fault) {
  __shared__ float tile[kThreads];
  float sum = 0.0f;
  for (int k = 0; k < 4; ++k) {
    tile[threadIdx.x] = static_cast<float>(k);
    __syncthreads();
    sum += tile[(threadIdx.x + 1) % kThreads];
    if (!fault) __syncthreads();
  }
  out[blockIdx.x * kThreads + threadIdx.x] = sum;
}

__global__ void shuffle_is_no_barrier(float* out, bool fault) {
  float* const shared = shared_floats();
  shared[threadIdx.x] = 1.0f;
  const float value = __shfl_xor_sync(0xffffffffu, 1.0f, 1);
  if (!fault) __syncwarp();
  out[blockIdx.x * kThreads + threadIdx.x] = value + shared[threadIdx.x ^ 1u];
}

// The copy is waited for in its place, but started while another thread may still read the stage.
__global__ void refill_before_barrier(const float* in, float* out, bool fault) {
  float* const shared = shared_floats();
  shared[threadIdx.x] = 1.0f;
  __syncthreads();
  const float value = shared[(threadIdx.x + 1) % kThreads];
  if (!fault) __syncthreads();
  emulator::cp_async(shared + threadIdx.x, in + threadIdx.x, 4, 4);
  emulator::cp_async_commit();
  __syncthreads();
  emulator::cp_async_wait(0);
  out[blockIdx.x * kThreads + threadIdx.x] = value;
}

// A wait orders a thread's own copies only.
__global__ void read_after_wait_only(const float* in, float* out, bool fault) {
  float* const shared = shared_floats();
  emulator::cp_async(shared + threadIdx.x, in + threadIdx.x, 4, 4);
  emulator::cp_async_commit();
  emulator::cp_async_wait(0);
  if (!fault) __syncthreads();
  out[blockIdx.x * kThreads + threadIdx.x] = shared[(threadIdx.x + 1) % kThreads];
}

// Of the cluster's two barriers: `fault` leaves out the one before a block reads another's shared
// memory, or the one before a block ends.
__device__ float read_next_block(bool first_barrier, bool second_barrier) {
  float* const shared = shared_floats();
  shared[threadIdx.x] = 1.0f;
  if (first_barrier) emulator::cluster_barrier();
  const float value =
      *static_cast<const float*>(emulator::cluster_shared(shared, 1 - blockIdx.x % 2, 4));
  if (second_barrier) emulator::cluster_barrier();
  return value;
}

__global__ void read_before_cluster_barrier(float* out, bool fault) {
  out[blockIdx.x * kThreads + threadIdx.x] = read_next_block(!fault, true);
}

__global__ void end_before_cluster_barrier(float* out, bool fault) {
  out[blockIdx.x * kThreads + threadIdx.x] = read_next_block(true, !fault);
}

// The ring of stages: the consumers read a stage before it is full, or the producers fill it before
// it is empty.
__global__ void read_before_full(const float* in, float* out, bool fault) {
  Ring shape{2, kRingTiles};
  shape.full_wait = !fault;
  emulator_test::ring(in, out, shape);
}

__global__ void fill_before_empty(const float* in, float* out, bool fault) {
  Ring shape{2, kRingTiles};
  shape.empty_wait = !fault;
  emulator_test::ring(in, out, shape);
}

// A function of its own, so that the kernel is in the report as its caller.
__device__ __noinline__ void meet(void* barrier) {
  emulator::barrier_arrive(barrier);
  emulator::barrier_wait(barrier, 0);
}

// Threads use a barrier before they know that it is initialised.
__global__ void arrive_before_init(bool fault) {
  if (threadIdx.x == 0) emulator::barrier_init(shared_floats(), kThreads);
  if (!fault) __syncthreads();
  meet(shared_floats());
}

// The copies of a stage are no barrier among its readers.
__global__ void copies_are_no_barrier(const float* in, float* out, bool fault) {
  float* const shared = shared_floats() + 2;
  if (threadIdx.x == 0) emulator::barrier_init(shared_floats(), 1);
  __syncthreads();
  if (threadIdx.x == 0) {
    emulator::cp_async(shared, in, 4, 4);
    emulator::barrier_arrive_after_copies(shared_floats());
  } else {
    shared[threadIdx.x] = 1.0f;
  }
  emulator::barrier_wait(shared_floats(), 0);
  if (!fault) __syncthreads();
  out[blockIdx.x * kThreads + threadIdx.x] = shared[(threadIdx.x + 1) % kThreads];
}

// Block 1 reads what block 0 has written. `fault` leaves out the barrier of the warp that
// publishes, or the wait.
__device__ float read_of_block_0(float* out, int* progress, bool barrier, bool wait) {
  if (blockIdx.x == 0) {
    out[threadIdx.x] = 1.0f;
    if (barrier) __syncwarp();
    if (threadIdx.x % 32 == 0) emulator::publish(progress + threadIdx.x / 32, 1);
    return 1.0f;
  }
  if (wait) emulator::wait_until(progress + threadIdx.x / 32, 1);
  return out[threadIdx.x];
}

__global__ void publish_before_syncwarp(float* out, int* progress, bool fault) {
  out[(blockIdx.x + 1) * kThreads + threadIdx.x] = read_of_block_0(out, progress, !fault, true);
}

__global__ void read_before_published(float* out, int* progress, bool fault) {
  out[(blockIdx.x + 1) * kThreads + threadIdx.x] = read_of_block_0(out, progress, true, !fault);
}

// A barrier's bytes are no data.
__global__ void write_barrier(unsigned int offset) {
  if (threadIdx.x == 0) emulator::barrier_init(shared_floats() + kThreads, 1);
  __syncthreads();
  shared_floats()[threadIdx.x + offset] = 1.0f;
}

__global__ void write_from_every_block(float* out, bool fault) {
  out[(fault ? 0 : blockIdx.x * kThreads) + threadIdx.x] = 1.0f;
}

int run(const char* name) {
  const auto is = [name](const char* fault) { return std::strcmp(name, fault) == 0; };
  const auto off_by_one = [&is](const char* fault) { return is(fault) ? 1u : 0u; };
  constexpr unsigned int kBlocks = 4;
  constexpr std::size_t kBytes = kThreads * sizeof(float);
  float* in = nullptr;
  float* out = nullptr;
  if (cudaMalloc(&in, kBytes) != cudaSuccess) return 1;
  if (cudaMalloc(&out, kBlocks * kBytes) != cudaSuccess) return 1;
  if (cudaMemset(in, 0, kBytes) != cudaSuccess) return 1;
  int* progress = nullptr;
  if (cudaMalloc(&progress, 4 * sizeof(int)) != cudaSuccess) return 1;
  if (cudaMemset(progress, 0, 4 * sizeof(int)) != cudaSuccess) return 1;

  float* tiles = nullptr;
  float* ring_out = nullptr;
  constexpr std::size_t kTileBytes = kRingTiles * Ring::kTile * sizeof(float);
  const std::size_t ring_bytes = Ring{2, kRingTiles}.shared_bytes();
  if (cudaMalloc(&tiles, kTileBytes) != cudaSuccess) return 1;
  if (cudaMalloc(&ring_out, 2 * kTileBytes) != cudaSuccess) return 1;
  if (cudaMemset(tiles, 0, kTileBytes) != cudaSuccess) return 1;

  const cudaError_t errors[] = {
      launch(kBlocks, kThreads, kBytes, write_shared, off_by_one("write_shared")),
      launch(1, kThreads, kBytes, read_shared, out, off_by_one("read_shared")),
      launch(1, kThreads, 0, write_gmem, in, off_by_one("write_gmem")),
      launch(1, kThreads, kBytes, copy_to_shared, in, off_by_one("copy_to_shared")),
      launch(2, kThreads, 2 * kBytes + kGap, write_beside_gap, off_by_one("write_beside_gap")),
      launch(1, 1, 0, read_vector, in, out, off_by_one("read_vector")),
      launch(kBlocks, kThreads, kBytes, read_before_barrier, out, is("read_before_barrier")),
      launch(kBlocks, kThreads, 0, overwrite_before_barrier, out, is("overwrite_before_barrier")),
      launch(kBlocks, kThreads, kBytes, shuffle_is_no_barrier, out, is("shuffle_is_no_barrier")),
      launch(kBlocks, kThreads, kBytes, refill_before_barrier, in, out,
             is("refill_before_barrier")),
      launch(kBlocks, kThreads, kBytes, read_after_wait_only, in, out, is("read_after_wait_only")),
      launch(kBlocks, kThreads, 0, write_from_every_block, out, is("write_from_every_block")),
      launch_clusters(2, kBlocks, kThreads, kBytes, read_before_cluster_barrier, out,
                      is("read_before_cluster_barrier")),
      launch_clusters(2, kBlocks, kThreads, kBytes, end_before_cluster_barrier, out,
                      is("end_before_cluster_barrier")),
      launch(2, Ring::kThreads, ring_bytes, read_before_full, tiles, ring_out,
             is("read_before_full")),
      launch(2, Ring::kThreads, ring_bytes, fill_before_empty, tiles, ring_out,
             is("fill_before_empty")),
      launch(1, kThreads, kBytes, arrive_before_init, is("arrive_before_init")),
      launch(kBlocks, kThreads, kBytes + 8, copies_are_no_barrier, in, out,
             is("copies_are_no_barrier")),
      launch(2, kThreads, 0, publish_before_syncwarp, out, progress, is("publish_before_syncwarp")),
      launch(2, kThreads, 0, read_before_published, out, progress + 2, is("read_before_published")),
      launch(1, kThreads, kBytes + 8, write_barrier, off_by_one("write_barrier")),
  };
  for (const cudaError_t error : errors) {
    if (error != cudaSuccess) return 1;
  }
  for (float* const memory : {in, out, tiles, ring_out}) {
    if (cudaFree(memory) != cudaSuccess) return 1;
  }
  if (cudaFree(progress) != cudaSuccess) return 1;
  std::printf("finished\n");
  return 0;
}

}  // namespace

int main(int argc, char** argv) { return run(argc > 1 ? argv[1] : "none"); }
