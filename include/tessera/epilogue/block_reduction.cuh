// The sums of the slices of K that the threads of one block hold, and of those that the blocks of
// a cluster hold, for mainloop streamed.
#pragma once

#include "../arch/cluster.cuh"
#include "../arch/math.cuh"
#include "../tile/block_slices.cuh"

namespace tessera::epilogue {

// This call is equivalent to: for (row, j) write(row, j, the sum over s ascending of acc[j] of the
// thread that has the row in slice s). By all threads of the block; `sums` is theirs alone.
template <int narrow, int threads, class Write>
__device__ __forceinline__ void reduce_in_block(const float (&acc)[narrow][1],
                                                const tile::StreamMap& map,
                                                float (&sums)[threads * narrow], Write write) {
  const int thread = static_cast<int>(threadIdx.x);
  const int rows = 1 << map.log2_rows, own_row = map.row(thread), own_slice = map.slice(thread);
  if (rows == threads) {
#pragma unroll
    for (int j = 0; j < narrow; ++j) write(own_row, j, acc[j][0]);
    return;
  }
  const int slices = threads >> map.log2_rows, slice_floats = narrow * rows;
#pragma unroll
  for (int j = 0; j < narrow; ++j) sums[own_slice * slice_floats + j * rows + own_row] = acc[j][0];
  __syncthreads();
  for (int at = thread; at < slice_floats; at += threads) {
    float sum = sums[at];
#pragma unroll 8
    for (int s = 1; s < slices; ++s) sum = arch::add(sum, sums[s * slice_floats + at]);
    write(map.row(at), map.slice(at), sum);
  }
}

// This call is equivalent to: for (at < count) write(at, the sum over s ascending of sums[at] of
// the cluster's block s). The blocks share the elements; all threads of all blocks call it.
template <int threads, class Write>
__device__ __forceinline__ void reduce_over_cluster(const float* sums, int count, int slice,
                                                    int slices, Write write) {
  arch::cluster_arrive();
  arch::cluster_wait();  // every block has left its sums
  const int last = count * (slice + 1) / slices;
  for (int at = count * slice / slices + static_cast<int>(threadIdx.x); at < last; at += threads) {
    // All loads first: each goes to another SM. Where there is no slice, -0 leaves a sum as it is.
    float part[arch::max_cluster][1];
#pragma unroll
    for (int s = 0; s < arch::max_cluster; ++s) {
      part[s][0] = -0.0f;
      if (s < slices) arch::cluster_to_reg<1>(part[s], sums + at, s);
    }
#pragma unroll
    for (int s = 1; s < arch::max_cluster; ++s) part[0][0] = arch::add(part[0][0], part[s][0]);
    write(at, part[0][0]);
  }
  arch::cluster_arrive();
  arch::cluster_wait();  // a block's shared memory ends with it
}

}  // namespace tessera::epilogue
