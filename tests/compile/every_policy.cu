// Every policy that the command line names, under every combination of layouts (or one, with
// TEST_ONE_LAYOUT): what the strict compilers and the linters read.
#include <ostream>
#include <tessera/gemm.cuh>

#include "every_policy.hpp"  // generated: TEST_POLICIES

namespace {

using tessera::ColMajor;
using tessera::MatrixView;
using tessera::RowMajor;

template <class Policy, class LayoutA, class LayoutB, class LayoutC>
bool multiply(const float* a, const float* b, float* c, std::ostream& os) {
  constexpr tessera::index_t extent = 100;
  const MatrixView<const float, LayoutA> view_a{a, extent, extent, extent};
  const MatrixView<const float, LayoutB> view_b{b, extent, extent, extent};
  const MatrixView<float, LayoutC> view_c{c, extent, extent, extent};
  os << tessera::plan<Policy>(1.0f, view_a, view_b, 0.0f, view_c);
  return tessera::gemm<Policy>(1.0f, view_a, view_b, 0.0f, view_c).ok();
}

template <class... Policies>
bool multiply_all(const float* a, const float* b, float* c, std::ostream& os) {
  bool done = true;
  const auto each = [&]<class Policy>(Policy) {
    done = done && multiply<Policy, RowMajor, RowMajor, RowMajor>(a, b, c, os);
#if !defined(TEST_ONE_LAYOUT)
    done = done && multiply<Policy, RowMajor, RowMajor, ColMajor>(a, b, c, os) &&
           multiply<Policy, RowMajor, ColMajor, RowMajor>(a, b, c, os) &&
           multiply<Policy, RowMajor, ColMajor, ColMajor>(a, b, c, os) &&
           multiply<Policy, ColMajor, RowMajor, RowMajor>(a, b, c, os) &&
           multiply<Policy, ColMajor, RowMajor, ColMajor>(a, b, c, os) &&
           multiply<Policy, ColMajor, ColMajor, RowMajor>(a, b, c, os) &&
           multiply<Policy, ColMajor, ColMajor, ColMajor>(a, b, c, os);
#endif
  };
  (each(Policies{}), ...);
  return done;
}

}  // namespace

bool multiply_all(const float* a, const float* b, float* c, std::ostream& os) {
  using namespace tessera::policy;
  return multiply_all<TEST_POLICIES>(a, b, c, os);
}
