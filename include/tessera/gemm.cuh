// gemm() and plan(): the public entry. validate -> plan -> dispatch.
#pragma once

#include <type_traits>

#include "arch/cluster.cuh"
#include "arch/compiler.cuh"
#include "arch/visibility.hpp"
#include "host/dispatch.cuh"
#include "host/plan.hpp"
#include "host/validate.hpp"
#include "matrix_view.hpp"
#include "policy.cuh"
#include "status.hpp"
#include "version.hpp"

namespace tessera {

namespace TESSERA_HIDDEN detail {

template <class Element>
inline constexpr bool is_float = false;
template <>
inline constexpr bool is_float<float> = true;

// Policies that choose among others have `select`, which calls f with the one it picks and, if it
// likes, a Choice; all others are themselves. It may ask for the shape alone, or also for whether
// 16-byte accesses fit all operands.
template <class Policy, class Function>
constexpr auto with_selected(const GemmShape& shape, bool vectorized, Function&& f) {
  if constexpr (requires { Policy::select(shape, vectorized, f); }) {
    return Policy::select(shape, vectorized, f);
  } else if constexpr (requires { Policy::select(shape, f); }) {
    return Policy::select(shape, f);
  } else {
    return f(Policy{});
  }
}

// The slices of K that a policy wants where nobody chose; it is not asked about empty shapes.
template <class Policy>
constexpr int wanted_slices(const GemmShape& shape) {
  if constexpr (requires { Policy::slices(shape); }) {
    return shape.m > 0 && shape.n > 0 && shape.k > 0 ? Policy::slices(shape) : 1;
  } else {
    return 1;
  }
}

// How K is cut into `chosen` slices, or where nobody chose, as the policy wants: one that streams
// an operand may decide by that operand's contiguous mode, and cut K among the threads of a block,
// too.
template <class Policy, class LayoutA, class LayoutB>
constexpr SlicePlan wanted_cut(const GemmShape& shape, int chosen, bool clusters) {
  if (chosen != 0) return {chosen, clusters};
  if constexpr (requires { Policy::cut(shape, Major::k); }) {
    if (shape.m == 0 || shape.n == 0 || shape.k == 0) return {1, clusters};
    constexpr bool along_k = Policy::config.streamed == Streamed::a
                                 ? kernel::is_row_major<LayoutA>
                                 : !kernel::is_row_major<LayoutB>;
    const StreamCut cut = Policy::cut(shape, along_k ? Major::k : Major::mn);
    return {cut.slices, clusters, cut.block_slices};
  } else {
    return {wanted_slices<Policy>(shape), clusters};
  }
}

template <class Policy>
constexpr const char* policy_name() {
  if constexpr (requires { Policy::name; }) {
    return Policy::name;
  } else {
    return "user policy";
  }
}

// f(policy, plan, a, b, c) for the policy that runs and the problem as computed, whose C is
// row-major: a column-major C = A * B is the row-major C^T = B^T * A^T. The arguments are valid.
template <class Policy, bool Clusters, class ElementA, class LayoutA, class ElementB, class LayoutB,
          class LayoutC, class Function>
auto with_plan(float alpha, const MatrixView<ElementA, LayoutA>& a,
               const MatrixView<ElementB, LayoutB>& b, float beta,
               const MatrixView<float, LayoutC>& c, const Function& f) {
  const auto planned =
      [&]<class ElementLeft, class LayoutLeft, class ElementRight, class LayoutRight>(
          const MatrixView<ElementLeft, LayoutLeft>& left,
          const MatrixView<ElementRight, LayoutRight>& right, const auto& out, bool exchanged) {
        const GemmShape shape{out.rows, out.cols, left.cols};
        const bool vectorized = is_vectorizable(has_product(alpha, shape.k), left, right, out, 4);
        return with_selected<Policy>(shape, vectorized, [&](auto policy, Choice choice = {}) {
          using Selected = decltype(policy);
          LaunchPlan plan = make_plan(policy_name<Selected>(), check_policy<Selected>(), alpha,
                                      left, right, beta, out,
                                      wanted_cut<Selected, LayoutLeft, LayoutRight>(
                                          shape, choice.slices, Clusters && !choice.workspace));
          plan.transposed = exchanged;
          if (plan.k_tiles > 0) {  // without a product, all policies do the same
            plan.reason = choice.reason;
            plan.predicted_us = choice.predicted_us;
            plan.runner_up = choice.runner_up;
            plan.runner_up_us = choice.runner_up_us;
          }
          return f(policy, plan, left, right, out);
        });
      };
  if constexpr (kernel::is_row_major<LayoutC>) {
    return planned(a, b, c, false);
  } else {
    return planned(transposed(b), transposed(a), transposed(c), true);
  }
}

template <class ElementA, class LayoutA, class ElementB, class LayoutB>
kernel::GemmArguments make_arguments(const LaunchPlan& plan, float alpha,
                                     const MatrixView<ElementA, LayoutA>& a,
                                     const MatrixView<ElementB, LayoutB>& b, float beta,
                                     const MatrixView<float, RowMajor>& c) {
  // Without a product C = beta * C. The epilogue's fma(alpha, 0, beta * c) is that to the bit,
  // also for c = -0, if alpha * 0 is -0; and where C is not read, alpha * 0 must be +0.
  if (plan.k_tiles == 0) alpha = beta == 0.0f ? 0.0f : -0.0f;
  return {a.data,
          b.data,
          c.data,
          a.ld,
          b.ld,
          c.ld,
          static_cast<int>(plan.shape.m),
          static_cast<int>(plan.shape.n),
          static_cast<int>(plan.shape.k),
          static_cast<int>(plan.m_tiles),
          static_cast<int>(plan.n_tiles),
          static_cast<int>(plan.k_tiles),
          {alpha, beta},
          plan.slices,
          nullptr,
          plan.tail,
          {}};
}

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
        return detail::launch_plan<Selected, LayoutLeft, LayoutRight>(
            plan, detail::make_arguments(plan, alpha, left, right, beta, out), stream);
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
