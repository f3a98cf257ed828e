// ErasedPolicy: one policy behind an interface whose layouts are values, so that tests, the bench
// and the ladder example compile each policy's kernels once and share them.
#pragma once

#include <tessera/gemm.cuh>

namespace tessera::support {

enum class Layout : char { row = 'R', col = 'C' };

// MatrixView with the layout as a value.
template <class T>
struct AnyView {
  T* data;
  index_t rows, cols, ld;
  Layout layout;
};

// f(the MatrixView that v describes)
template <class T, class F>
auto with_layout(const AnyView<T>& v, const F& f) {
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

}  // namespace tessera::support
