// Dispatch: a plan -> one compiled variant.
#pragma once

#include "../kernel/gemm_kernel.cuh"
#include "../kernel/sum_many_slices_kernel.cuh"
#include "../kernel/sum_slices_kernel.cuh"
#include "dispatch_streamed.cuh"
#include "launch.cuh"
#include "plan.hpp"
#include "policy_check.hpp"
#include "tensor_map.cuh"

namespace tessera {
namespace TESSERA_HIDDEN detail {

// The variants of a policy and layout pair: exact at the policy's full width, guarded at the full
// width, guarded and scalar. (Exact and scalar would be a fourth: the plan calls it guarded.) Those
// whose guards cost nothing have the last two and maybe one in which C alone is scalar. Lines too
// far apart for tensor maps are scalar.
template <class Policy, class LayoutA, class LayoutB>
Status dispatch(const LaunchPlan& plan, const kernel::GemmArguments& arguments,
                cudaStream_t stream) {
  constexpr TileConfig config = check_policy<Policy>();
  constexpr int width = config.vec_width.floats;
  // Without cp.async (sm_75, whose blocks have 64 KB) mainloop pipelined uses two of its stages.
  constexpr int least_smem = config.producers.warps > 0 ? smem_bytes(with(config, Stages{2})) : 0;
  const LaunchShape shape = shape_of(plan, least_smem);
  const auto run = [&](auto* kernel) { return launch(kernel, shape, stream, arguments); };
  constexpr bool has_boxes = kernel::Variant<Policy, LayoutA, LayoutB, width, true>::has_boxes;
  if constexpr (width > 1) {
    const bool scalar = plan.vec_width_a == 1 && plan.vec_width_b == 1;
    if (scalar || (has_boxes && !is_within_boxes(arguments))) {
      return run(&kernel::gemm_kernel<Policy, LayoutA, LayoutB, 1, true>);
    }
  }
  if constexpr (config.has_narrow_c_variant()) {
    if (plan.vec_width_c == 1) {
      return run(&kernel::gemm_kernel<Policy, LayoutA, LayoutB, width, true, 1>);
    }
  }
  if constexpr (config.has_exact_variant()) {
    if (!plan.guarded) return run(&kernel::gemm_kernel<Policy, LayoutA, LayoutB, width, false>);
  }
  if constexpr (has_boxes) {
    kernel::BoxedArguments boxed{arguments, {}, {}};
    const Status status = add_boxes(plan, boxed);
    if (!status.ok()) return status;
    return launch(&kernel::gemm_kernel<Policy, LayoutA, LayoutB, width, true>, shape, stream,
                  boxed);
  } else {
    return run(&kernel::gemm_kernel<Policy, LayoutA, LayoutB, width, true>);
  }
}

// Enqueues the kernel that adds the slices in `partials` (none where it is null).
template <int width>
Status sum_slices(const LaunchPlan& plan, const float* partials,
                  const kernel::GemmArguments& arguments, cudaStream_t stream) {
  const kernel::SumSlicesArguments sum{partials,          arguments.c,
                                       arguments.ldc,     arguments.m,
                                       arguments.n,       partials == nullptr ? 0 : plan.slices,
                                       arguments.epilogue};
  const LaunchShape shape{.grid = plan.reduction_grid,
                          .block = kernel::sum_slices_threads,
                          .programmatic = plan.programmatic};
  if (partials != nullptr &&
      kernel::are_many_slices(index_t{arguments.m} * arguments.n, plan.slices)) {
    return launch(plan.vec_width_c == 1 ? &kernel::sum_many_slices_kernel<1>
                                        : &kernel::sum_many_slices_kernel<width>,
                  shape, stream, sum);
  }
  return launch(
      plan.vec_width_c == 1 ? &kernel::sum_slices_kernel<1> : &kernel::sum_slices_kernel<width>,
      shape, stream, sum);
}

// The launches of a plan: the product, and where its slices of K go through a workspace, the kernel
// that sums them. Without a product, C = beta * C is the sum of no slices.
template <class Policy, class LayoutA, class LayoutB>
Status launch_plan(const LaunchPlan& plan, const kernel::GemmArguments& arguments,
                   cudaStream_t stream) {
  constexpr TileConfig config = check_policy<Policy>();
  constexpr int width = config.vec_width.floats;
  if (plan.k_tiles == 0) return sum_slices<width>(plan, nullptr, arguments, stream);
  if constexpr (config.slices.max > 1) {
    if (plan.workspace_bytes > 0) {
      return with_workspace(plan.workspace_bytes, stream, [&](float* partials) -> Status {
        kernel::GemmArguments slices = arguments;
        slices.partials = partials;
        const Status status = dispatch<Policy, LayoutA, LayoutB>(plan, slices, stream);
        return status.ok() ? sum_slices<width>(plan, partials, arguments, stream) : status;
      });
    }
  }
  if constexpr (config.even_tail.blocks > 0) {
    if (plan.tail.tiles > 0) {
      return with_workspace(plan.workspace_bytes, stream, [&](float* memory) -> Status {
        kernel::GemmArguments tail = arguments;
        const index_t floats = index_t{plan.tail.tiles} * config.block_m() * config.block_n();
        int* const progress = reinterpret_cast<int*>(memory + floats);
        tail.tail_memory = {memory, progress, progress + 1};
        const index_t bytes = plan.workspace_bytes - floats * static_cast<index_t>(sizeof(float));
        const Status status = zero(progress, bytes, stream);
        return status.ok() ? dispatch<Policy, LayoutA, LayoutB>(plan, tail, stream) : status;
      });
    }
  }
  return dispatch<Policy, LayoutA, LayoutB>(plan, arguments, stream);
}

}  // namespace detail
}  // namespace tessera
