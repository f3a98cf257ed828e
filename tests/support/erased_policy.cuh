// ErasedPolicy: one policy behind the registry's interface. Instantiates its kernels for all
// layouts.
#pragma once

#include <tessera/gemm.cuh>

#include "registry.hpp"

namespace tessera::support {

// f(the MatrixView that v describes)
template <class Element, class Function>
auto with_layout(const AnyView<Element>& v, const Function& f) {
  if (v.layout == Layout::row) return f(row_major(v.data, v.rows, v.cols, v.ld));
  return f(col_major(v.data, v.rows, v.cols, v.ld));
}

template <class Policy>
struct ErasedPolicy {
  static Status gemm(float alpha, const AnyView<const float>& a, const AnyView<const float>& b,
                     float beta, const AnyView<float>& c, cudaStream_t stream) {
    return with_layout(a, [&](auto va) {
      return with_layout(b, [&](auto vb) {
        return with_layout(
            c, [&](auto vc) { return tessera::gemm<Policy>(alpha, va, vb, beta, vc, stream); });
      });
    });
  }

  static LaunchPlan plan(float alpha, const AnyView<const float>& a, const AnyView<const float>& b,
                         float beta, const AnyView<float>& c) {
    return with_layout(a, [&](auto va) {
      return with_layout(b, [&](auto vb) {
        return with_layout(c,
                           [&](auto vc) { return tessera::plan<Policy>(alpha, va, vb, beta, vc); });
      });
    });
  }
};

template <class Policy>
constexpr PolicyEntry ladder_entry() {
  return {Policy::name, true, false, &ErasedPolicy<Policy>::gemm, &ErasedPolicy<Policy>::plan};
}
template <class Policy>
constexpr PolicyEntry library_entry() {
  return {Policy::name, false, false, &ErasedPolicy<Policy>::gemm, &ErasedPolicy<Policy>::plan};
}
template <class Policy>
constexpr PolicyEntry user_entry() {
  return {Policy::name, false, true, &ErasedPolicy<Policy>::gemm, &ErasedPolicy<Policy>::plan};
}

}  // namespace tessera::support
