// The kernel that adds many slices of K of a small C: all threads of a block load, so that the
// slices of one element are on their way together, and a warp adds them in their order.
#pragma once

#include "sum_slices_kernel.cuh"

namespace tessera {
namespace TESSERA_HIDDEN kernel {

// Does what sum_slices_kernel does. Grid: many_slices_grid(m * n).
template <int Width>
__global__ void __launch_bounds__(sum_slices_threads)
    sum_many_slices_kernel(const SumSlicesArguments args) {
  constexpr int line_accesses = many_slices_elements / Width;
  constexpr int lines = sum_slices_threads / line_accesses;  // slices that all threads load at once
  constexpr int rounds = 8, pass = lines * rounds;           // slices in smem at once: at most 256
  __shared__ float smem[pass][many_slices_elements];

  const index_t elements = index_t{args.m} * args.n;
  const index_t first = index_t{blockIdx.x} * many_slices_elements;
  const int thread = static_cast<int>(threadIdx.x);
  const int place = thread % line_accesses * Width, line = thread / line_accesses;
  const bool inside = first + place < elements;  // whole accesses: n is
  float sum = -0.0f;                             // -0 + x is x
  arch::wait_for_launches_before();
  for (int begin = 0; begin < args.slices; begin += pass) {
    float part[rounds][Width] = {};
#pragma unroll
    for (int i = 0; i < rounds; ++i) {
      const int slice = begin + line + i * lines;
      if (inside && slice < args.slices) {
        arch::gmem_to_reg<Width>(part[i], args.partials + slice * elements + first + place);
      }
    }
    __syncthreads();  // the pass before is added
#pragma unroll
    for (int i = 0; i < rounds; ++i) {
      arch::reg_to_mem<Width>(&smem[line + i * lines][place], part[i]);
    }
    __syncthreads();
    if (thread < many_slices_elements) {
      const int left = args.slices - begin < pass ? args.slices - begin : pass;
#pragma unroll 16
      for (int i = 0; i < left; ++i) sum = arch::add(sum, smem[i][thread]);
    }
  }
  const index_t element = first + thread;
  if (thread < many_slices_elements && element < elements) {
    float* const c = args.c + element / args.n * args.ldc + element % args.n;
    args.epilogue.template apply<1>(c, &sum);
  }
}

}  // namespace kernel
}  // namespace tessera
