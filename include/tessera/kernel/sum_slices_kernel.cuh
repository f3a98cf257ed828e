// The kernel that adds slices of K: after a product whose slices lie in a workspace, and alone,
// with none, where there is no product.
#pragma once

#include "../arch/launch_order.cuh"
#include "../arch/visibility.hpp"
#include "../epilogue/slice_reduction.cuh"
#include "sum_slices_grid.hpp"

namespace tessera {
namespace TESSERA_HIDDEN kernel {

struct SumSlicesArguments {
  const float* partials;  // slices x m x n, packed
  float* c;
  index_t ldc;
  int m, n, slices;
  epilogue::LinearCombination epilogue;
};

// This call is equivalent to: for (i, j) c(i, j) = epilogue(the sum over s ascending of
// partials(s, i, j), c(i, j)); without slices the sum is +0 and partials may be null. Any grid.
template <int Width>
__global__ void __launch_bounds__(sum_slices_threads)
    sum_slices_kernel(const SumSlicesArguments args) {
  const index_t accesses_n = args.n / Width;  // n is whole accesses (the plan sees to it)
  const index_t accesses = args.m * accesses_n, slice = index_t{args.m} * args.n;
  const index_t step = index_t{gridDim.x} * sum_slices_threads;
  const index_t first = index_t{blockIdx.x} * sum_slices_threads + threadIdx.x;
  arch::wait_for_launches_before();
  for (index_t at = first; at < accesses; at += step) {
    float sum[Width];
#pragma unroll
    for (int v = 0; v < Width; ++v) sum[v] = args.slices > 0 ? -0.0f : 0.0f;  // -0 + x is x
    const float* next = args.partials + at * Width;
    constexpr int batch = sum_slices_floats / Width;  // all its loads first
    for (int s = 0; s < args.slices; s += batch) {
      float part[batch][Width];
#pragma unroll
      for (int i = 0; i < batch; ++i) {
#pragma unroll
        for (int v = 0; v < Width; ++v) part[i][v] = -0.0f;
        if (s + i < args.slices) arch::gmem_to_reg<Width>(part[i], next + i * slice);
      }
#pragma unroll
      for (int i = 0; i < batch; ++i) epilogue::add_slice(sum, part[i]);
      next += batch * slice;
    }
    const index_t row = at / accesses_n, col = at % accesses_n * Width;
    args.epilogue.template apply<Width>(args.c + row * args.ldc + col, sum);
  }
}

}  // namespace kernel
}  // namespace tessera
