// Dispatch: a plan -> one compiled variant.
#pragma once

#include "../kernel/gemm_kernel.cuh"
#include "launch.cuh"
#include "policy_check.hpp"

namespace tessera {
namespace TESSERA_HIDDEN detail {

// The variants of a policy and layout pair: exact at the policy's full width, guarded at the full
// width, guarded and scalar. (Exact and scalar would be a fourth: the plan calls it guarded.)
template <class Policy, class LayoutA, class LayoutB>
Status dispatch(const LaunchPlan& plan, const kernel::GemmArguments& arguments,
                cudaStream_t stream) {
  constexpr int width = check_policy<Policy>().vec_width.floats;
  const auto run = [&](auto* kernel) { return launch(kernel, plan, stream, arguments); };
  if constexpr (width > 1) {
    if (plan.vec_width_a == 1) {
      return run(&kernel::gemm_kernel<Policy, LayoutA, LayoutB, 1, true>);
    }
  }
  if (plan.guarded) return run(&kernel::gemm_kernel<Policy, LayoutA, LayoutB, width, true>);
  return run(&kernel::gemm_kernel<Policy, LayoutA, LayoutB, width, false>);
}

}  // namespace detail
}  // namespace tessera
