// The sums of the slices of K, from the blocks that made them to C: through the shared memory of a
// cluster, or through a workspace and a second kernel.
#pragma once

#include "../arch/cluster.cuh"
#include "../arch/math.cuh"
#include "../arch/vector_access.cuh"
#include "linear_combination.cuh"

namespace tessera::epilogue {

// This call is equivalent to: for (i < Width) sum[i] = arch::add(sum[i], next[i]).
template <int Width>
__device__ __forceinline__ void add_slice(float (&sum)[Width], const float (&next)[Width]) {
#pragma unroll
  for (int i = 0; i < Width; ++i) sum[i] = arch::add(sum[i], next[i]);
}

// A block's accumulators in shared memory: block_m * block_n floats.
template <int floats>
struct SlicedTile {
  alignas(16) float data[floats];
};

// The blocks of the cluster hold one tile of C, a slice each. Every block leaves its accumulators
// in `tile`, thread by thread; then each adds a share of them in the order of the slices and
// writes it to C. Called by all threads of the block, of which the first `threads` have
// accumulators. The mainloop has left no copy in flight. Width: floats per access of C. Shared
// memory is read as wide as the thread tile allows, also where C is not: each access waits for
// another SM (511^3 in two slices: 13.9 us, float by float 16.1).
template <int Width, bool Guarded, int threads, int thread_m, int thread_n, class Map>
__device__ __forceinline__ void reduce_in_cluster(const float (&acc)[thread_m][thread_n],
                                                  const Map& map, int slice, int slices,
                                                  SlicedTile<threads * thread_m * thread_n>& tile,
                                                  const LinearCombination& epilogue,
                                                  const OutputTile& c) {
  constexpr int width = thread_n % 4 == 0 ? 4 : thread_n % 2 == 0 ? 2 : 1;
  constexpr int accesses_n = thread_n / width, accesses = thread_m * accesses_n;
  const int thread = static_cast<int>(threadIdx.x);
  float* const smem = tile.data;
  // Access q of all threads side by side: no bank conflicts, here and where another block reads.
  const auto place = [&](int q) { return (q * threads + thread) * width; };
  const bool has_acc = thread < threads;
  __syncthreads();  // every thread has read the last k-tile
  if (has_acc) {
#pragma unroll
    for (int q = 0; q < accesses; ++q) {
      arch::reg_to_mem<width>(smem + place(q), &acc[q / accesses_n][q % accesses_n * width]);
    }
  }
  arch::cluster_arrive();
  arch::cluster_wait();  // every block has left its accumulators

  const int first = accesses * slice / slices;
  const int last = has_acc ? accesses * (slice + 1) / slices : first;
  for (int q = first; q < last; ++q) {
    // All loads first: each goes to another SM. Where there is no slice, -0 leaves a sum as it is.
    float part[arch::max_cluster][width];
#pragma unroll
    for (int s = 0; s < arch::max_cluster; ++s) {
#pragma unroll
      for (int v = 0; v < width; ++v) part[s][v] = -0.0f;
      if (s < slices) arch::cluster_to_reg<width>(part[s], smem + place(q), s);
    }
#pragma unroll
    for (int s = 1; s < arch::max_cluster; ++s) add_slice(part[0], part[s]);
    // Not after the last store: an arrival waits for the stores before it.
    if (q == last - 1) arch::cluster_arrive();
    const int row = map.row(q / accesses_n);
    if (Guarded && row >= c.m_left) continue;
#pragma unroll
    for (int v = 0; v < width; v += Width) {
      const int col = map.col(q % accesses_n * width + v);
      if (Guarded && col >= c.n_left) continue;
      epilogue.template apply<Width>(c.data + row * c.ld + col, &part[0][v]);
    }
  }
  if (first == last) arch::cluster_arrive();
  arch::cluster_wait();  // a block's shared memory ends with it
}

}  // namespace tessera::epilogue
