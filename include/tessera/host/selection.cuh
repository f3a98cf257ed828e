// Selection: the policy that runs, the plan of its launches, and the products of C's rim.
#pragma once

#include "../arch/visibility.hpp"
#include "../matrix_view.hpp"
#include "../status.hpp"
#include "dispatch.cuh"
#include "gemm_shape.hpp"
#include "plan.hpp"
#include "policy_check.hpp"
#include "streamed_slices.hpp"

namespace tessera {
namespace TESSERA_HIDDEN detail {

// Policies that choose among others have `select`, which calls f with the one it picks and, if it
// likes, a Choice; all others are themselves. It may ask for the shape alone, or also for what is
// Vectorized.
template <class Policy, class Function>
constexpr auto with_selected(const GemmShape& shape, Vectorized vectorized, Function&& f) {
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

// The elements of a matrix from (row, col) on, so many rows and columns.
template <class Element, class Layout>
constexpr MatrixView<Element, Layout> part_of(const MatrixView<Element, Layout>& view, index_t row,
                                              index_t col, index_t rows, index_t cols) {
  if constexpr (kernel::is_row_major<Layout>) {
    return {view.data + row * view.ld + col, rows, cols, view.ld};
  } else {
    return {view.data + row + col * view.ld, rows, cols, view.ld};
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

// Policies that may leave the rim of C (host/rim.hpp) to another, rim_policy.
template <class Policy>
concept has_rim = requires {
  typename Policy::rim_policy;
};

// The rim that a policy chose, if it has a rim_policy and leaves a product of something else.
template <class Policy>
constexpr Rim usable_rim(const Rim& rim, const GemmShape& shape) {
  const bool usable =
      has_rim<Policy> && rim.rows >= 0 && rim.rows < shape.m && rim.cols >= 0 && rim.cols < shape.n;
  return usable ? rim : Rim{};
}

// f(part of the plan, rows or columns, a, b, c) for the products of a rim.
template <class ElementA, class LayoutA, class ElementB, class LayoutB, class Function>
void for_each_part_of_rim(const Rim& rim, const MatrixView<ElementA, LayoutA>& a,
                          const MatrixView<ElementB, LayoutB>& b,
                          const MatrixView<float, RowMajor>& c, const Function& f) {
  const auto [m, n, k] = inner_shape({c.rows, c.cols, a.cols}, rim);
  if (rim.rows > 0) {
    f(&LaunchPlan::rim_rows, rim.rows, part_of(a, m, 0, rim.rows, k), b,
      part_of(c, m, 0, rim.rows, c.cols));
  }
  if (rim.cols > 0) {
    f(&LaunchPlan::rim_cols, rim.cols, part_of(a, 0, 0, m, k), part_of(b, 0, n, k, rim.cols),
      part_of(c, 0, n, m, rim.cols));
  }
}

// How `Policy` cuts the K of one, into `chosen` slices, or as it wants.
template <class Policy, class ElementA, class LayoutA, class ElementB, class LayoutB>
RimPlan plan_part_of_rim(index_t extent, int chosen, const MatrixView<ElementA, LayoutA>& a,
                         const MatrixView<ElementB, LayoutB>& b,
                         const MatrixView<float, RowMajor>& c) {
  const GemmShape shape{c.rows, c.cols, a.cols};
  return with_selected<Policy>(shape, false, [&](auto tile) -> RimPlan {
    using Tile = decltype(tile);
    const LaunchPlan plan = make_plan(Tile::name, check_policy<Tile>(), 1.0f, a, b, 0.0f, c,
                                      wanted_cut<Tile, LayoutA, LayoutB>(shape, chosen, true));
    return {extent, plan.slices, plan.block_slices, plan.config.block_k()};
  });
}

template <class Policy, class ElementA, class LayoutA, class ElementB, class LayoutB>
void plan_rim(LaunchPlan& plan, const Rim& rim, int chosen, const MatrixView<ElementA, LayoutA>& a,
              const MatrixView<ElementB, LayoutB>& b, const MatrixView<float, RowMajor>& c) {
  for_each_part_of_rim(rim, a, b, c,
                       [&](RimPlan LaunchPlan::*part, index_t extent, const auto&... views) {
                         plan.*part = plan_part_of_rim<Policy>(extent, chosen, views...);
                       });
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
        const Vectorized vectorized{
            !has_product(alpha, shape.k) || are_vectorizable(left, right, 4),
            is_vectorizable(out, 4)};
        return with_selected<Policy>(shape, vectorized, [&](auto policy, Choice choice = {}) {
          using Selected = decltype(policy);
          const Rim rim =
              has_product(alpha, shape.k) ? usable_rim<Policy>(choice.rim, shape) : Rim{};
          const auto [m, n, k] = inner_shape(shape, rim);
          LaunchPlan plan = make_plan(policy_name<Selected>(), check_policy<Selected>(), alpha,
                                      part_of(left, 0, 0, m, k), part_of(right, 0, 0, k, n), beta,
                                      part_of(out, 0, 0, m, n),
                                      wanted_cut<Selected, LayoutLeft, LayoutRight>(
                                          {m, n, k}, choice.slices, Clusters && !choice.workspace));
          plan.transposed = exchanged;
          plan.programmatic = Clusters;
          if constexpr (has_rim<Policy>) {
            plan_rim<typename Policy::rim_policy>(plan, rim, choice.rim_slices, left, right, out);
          }
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

// C = alpha * A * B + beta * C, one product of a rim.
template <class Policy, bool Clusters, class ElementA, class LayoutA, class ElementB, class LayoutB>
Status launch_part_of_rim(const RimPlan& rim, float alpha, const MatrixView<ElementA, LayoutA>& a,
                          const MatrixView<ElementB, LayoutB>& b, float beta,
                          const MatrixView<float, RowMajor>& c, cudaStream_t stream) {
  return with_selected<Policy>({c.rows, c.cols, a.cols}, false, [&](auto tile) -> Status {
    using Tile = decltype(tile);
    LaunchPlan plan = make_plan(Tile::name, check_policy<Tile>(), alpha, a, b, beta, c,
                                {rim.slices, Clusters, rim.block_slices});
    plan.programmatic = Clusters;
    return launch_plan<Tile, LayoutA, LayoutB>(plan, make_arguments(plan, alpha, a, b, beta, c),
                                               stream);
  });
}

// The products of the plan's rim, until one is refused.
template <class Policy, bool Clusters, class ElementA, class LayoutA, class ElementB, class LayoutB>
Status launch_rim(const LaunchPlan& plan, float alpha, const MatrixView<ElementA, LayoutA>& a,
                  const MatrixView<ElementB, LayoutB>& b, float beta,
                  const MatrixView<float, RowMajor>& c, cudaStream_t stream) {
  Status status;
  for_each_part_of_rim({plan.rim_rows.extent, plan.rim_cols.extent}, a, b, c,
                       [&](RimPlan LaunchPlan::*part, index_t, const auto& left, const auto& right,
                           const auto& out) {
                         if (!status.ok()) return;
                         status = launch_part_of_rim<Policy, Clusters>(plan.*part, alpha, left,
                                                                       right, beta, out, stream);
                       });
  return status;
}

}  // namespace detail
}  // namespace tessera
