// gemm() and plan(): the public entry. validate -> plan -> dispatch.
#pragma once

#include <type_traits>

#include "arch/cluster.cuh"
#include "arch/compiler.cuh"
#include "arch/visibility.hpp"
#include "automatic.cuh"
#include "host/plan.hpp"
#include "host/selection.cuh"
#include "host/validate.hpp"
#include "matrix_view.hpp"
#include "status.hpp"
#include "version.hpp"

namespace tessera {

namespace TESSERA_HIDDEN detail {

template <class Element>
inline constexpr bool is_float = false;
template <>
inline constexpr bool is_float<float> = true;

template <class ElementA, class ElementB, class ElementC>
constexpr void check_element_types() {
  static_assert(is_float<std::remove_const_t<ElementA>> && is_float<std::remove_const_t<ElementB>>,
                "Tessera multiplies float: A and B must be views of "
                "float or const float");
  static_assert(is_float<ElementC>, "Tessera multiplies float: C must be a view of float");
}

}  // namespace detail

// Hidden as a namespace, because a function with a policy from an unnamed namespace has no linkage
// that an attribute of its own could change.
inline namespace TESSERA_HIDDEN entry {

// C = alpha * A * B + beta * C, enqueued on `stream`; A: m x k, B: k x n, C: m x n, in device
// memory, in any combination of layouts, any ld and any float pointer. C must not overlap A or B.
//
// Each element is acc = fma(a, b, acc) for k ascending from acc = 0, then
// beta == 0 ? alpha * acc : fma(alpha, acc, beta * c), every operation rounded once: the same bits
// under every true-FP32 policy. beta = 0: C is not read. alpha = 0 or k = 0: A and B are not read
// and may be null. Extents up to 2^31 - 1.
//
// Returns why the call was refused (nothing is written or launched then), or what the launch said.
template <class Policy = policy::automatic, class ElementA, class LayoutA, class ElementB,
          class LayoutB, class ElementC, class LayoutC, bool Clusters = arch::clusters_everywhere>
Status gemm(float alpha, MatrixView<ElementA, LayoutA> a, MatrixView<ElementB, LayoutB> b,
            float beta, MatrixView<ElementC, LayoutC> c, cudaStream_t stream = {}) {
  detail::check_element_types<ElementA, ElementB, ElementC>();
  if (const Status status = detail::validate(alpha, a, b, c); !status.ok()) return status;
  return detail::with_plan<Policy, Clusters>(
      alpha, a, b, beta, c,
      [&]<class Selected, class ElementLeft, class LayoutLeft, class ElementRight,
          class LayoutRight>(Selected, const LaunchPlan& plan,
                             const MatrixView<ElementLeft, LayoutLeft>& left,
                             const MatrixView<ElementRight, LayoutRight>& right,
                             const MatrixView<float, RowMajor>& out) -> Status {
        if (!plan.launches) return plan.status;
        const Status status = detail::launch_plan<Selected, LayoutLeft, LayoutRight>(
            plan, detail::make_arguments(plan, alpha, left, right, beta, out), stream);
        if constexpr (detail::has_rim<Policy>) {
          if (status.ok()) {
            return detail::launch_rim<typename Policy::rim_policy, Clusters>(
                plan, alpha, left, right, beta, out, stream);
          }
        }
        return status;
      });
}

// What gemm() with the same arguments would do; touches no device.
template <class Policy = policy::automatic, class ElementA, class LayoutA, class ElementB,
          class LayoutB, class ElementC, class LayoutC, bool Clusters = arch::clusters_everywhere>
[[nodiscard]] LaunchPlan plan(float alpha, MatrixView<ElementA, LayoutA> a,
                              MatrixView<ElementB, LayoutB> b, float beta,
                              MatrixView<ElementC, LayoutC> c) {
  detail::check_element_types<ElementA, ElementB, ElementC>();
  if (const Status status = detail::validate(alpha, a, b, c); !status.ok()) {
    LaunchPlan refused;
    refused.policy = detail::policy_name<Policy>();
    refused.status = status;
    return refused;
  }
  return detail::with_plan<Policy, Clusters>(
      alpha, a, b, beta, c,
      [](auto, const LaunchPlan& plan, const auto&, const auto&, const auto&) { return plan; });
}

}  // namespace entry
}  // namespace tessera
