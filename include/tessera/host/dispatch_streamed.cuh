// Dispatch of the policies that stream an operand: their kernels know a wide and a narrow operand
// instead of A and B, and each serves both layouts of the narrow one.
#pragma once

#include <cstdint>

#include "../kernel/gemm_kernel.cuh"
#include "../kernel/streamed_kernel.cuh"
#include "launch.cuh"
#include "plan.hpp"
#include "policy_check.hpp"

namespace tessera {
namespace TESSERA_HIDDEN detail {

template <Streamed operand, Major a_major, Major b_major>
kernel::StreamedArguments streamed_arguments(const LaunchPlan& plan,
                                             const kernel::GemmArguments& g) {
  constexpr bool of_a = operand == Streamed::a;
  constexpr bool narrow_along_k = (of_a ? b_major : a_major) == Major::k;
  const float* const narrow = of_a ? g.b : g.a;
  const index_t narrow_ld = of_a ? g.ldb : g.lda;
  const index_t k_step = narrow_along_k ? 1 : narrow_ld, mn_step = narrow_along_k ? narrow_ld : 1;
  const int count = of_a ? g.n : g.m;
  // The narrow operand's accesses, along its contiguous mode: k where both are.
  const bool along_k = k_step == 1;
  const auto may_be = [&](int floats) {
    const index_t length = along_k ? g.k : count, lines = along_k ? count : g.k;
    return length % floats == 0 && (lines == 1 || narrow_ld % floats == 0) &&
           reinterpret_cast<std::uintptr_t>(narrow) % (floats * sizeof(float)) == 0;
  };
  const int width = may_be(4) ? 4 : !along_k && may_be(2) ? 2 : 1;
  constexpr index_t l2_bytes = index_t{55} * 1000 * 1000;
  const index_t wide_extent = of_a ? g.m : g.n;
  const bool far = wide_extent * g.k > 2 * l2_bytes / index_t{sizeof(float)};
  // Elements of C, and of its slices, which are packed.
  const auto output = [](float* data, index_t ld) -> kernel::StreamedOutput {
    return {data, of_a ? ld : 1, of_a ? 1 : ld};
  };
  int log2_rows = 0, log2_block_slices = 0;
  while (plan.block >> log2_rows > plan.block_slices) ++log2_rows;
  while (plan.block_slices >> log2_block_slices > 1) ++log2_block_slices;
  return {of_a ? g.a : g.b,
          of_a ? g.lda : g.ldb,
          far,
          {narrow, mn_step, k_step, count, width},
          output(g.c, g.ldc),
          static_cast<int>(wide_extent),
          g.k,
          of_a ? g.n_tiles : g.m_tiles,
          g.k_tiles,
          g.epilogue,
          log2_rows,
          log2_block_slices,
          g.slices,
          output(g.partials, g.n),
          index_t{g.m} * g.n};
}

// The variants of a policy and the streamed operand's layout: at the policy's full width, scalar.
template <class Policy, class LayoutA, class LayoutB>
requires(Policy::config.streamed != Streamed::none) Status
    dispatch(const LaunchPlan& plan, const kernel::GemmArguments& arguments, cudaStream_t stream) {
  constexpr TileConfig config = check_policy<Policy>();
  constexpr Major a_major = kernel::is_row_major<LayoutA> ? Major::k : Major::mn;
  constexpr Major b_major = kernel::is_row_major<LayoutB> ? Major::mn : Major::k;
  constexpr Major along = config.streamed == Streamed::a ? a_major : b_major;
  const bool scalar = plan.vec_width_a == 1 && plan.vec_width_b == 1;
  // Without cp.async (sm_75, whose blocks have 64 KB) mainloop streamed uses two of its stages.
  constexpr int least_chip_bytes = 64 * 1024;
  constexpr bool is_large = smem_bytes(config) > least_chip_bytes;
  constexpr int least_smem = is_large ? smem_bytes(with(config, Stages{2})) : 0;
  static_assert(least_smem <= least_chip_bytes,
                "two stages of a policy that streams an operand must fit the 64 KB of sm_75");
  const LaunchShape shape = shape_of(plan, least_smem);
  return launch(scalar ? &kernel::streamed_kernel<Policy, along, 1>
                       : &kernel::streamed_kernel<Policy, along, config.vec_width.floats>,
                shape, stream,
                streamed_arguments<config.streamed, a_major, b_major>(plan, arguments));
}

}  // namespace detail
}  // namespace tessera
