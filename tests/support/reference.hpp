// Two references on the host: contract 1 to the letter, for equality; and double precision with an
// error bound, for results whose order of summation is not known (cuBLAS).
#pragma once

#include <tessera/host/plan.hpp>
#include <vector>

#include "host_matrix.hpp"

namespace tessera::support {

// How K is cut: slice s covers the k-tiles [s * T / slices, (s + 1) * T / slices) of T, rounded
// down. Each is cut in the same way into block_slices of its own.
struct SlicesOfK {
  index_t block_k = 1;
  index_t slices = 1;
  index_t block_slices = 1;
};

// alpha * A * B + beta * C as contract 1 and 2 have it: acc = fmaf(a, b, acc) for k ascending from
// acc = 0, then beta == 0 ? alpha * acc : fmaf(alpha, acc, beta * c). Without a product (alpha or k
// is 0): +0 if beta is 0, C's own bits if beta is 1, else beta * c. With several slices acc is the
// sum of theirs, ((s0 + s1) + s2) + ..., each of which is such an acc over its own k, or again such
// a sum. A: m x k, B: k x n, C: m x n.
[[nodiscard]] HostMatrix reference_gemm(float alpha, const HostMatrix& a, const HostMatrix& b,
                                        float beta, const HostMatrix& c, SlicesOfK cut = {});

// reference_gemm() with K cut as a plan cuts it, in C's rim maybe otherwise than elsewhere.
[[nodiscard]] HostMatrix reference_by(const LaunchPlan& plan, float alpha, const HostMatrix& a,
                                      const HostMatrix& b, float beta, const HostMatrix& c);

// Elements as HostMatrix has them.
struct BoundedReference {
  index_t rows = 0, cols = 0;
  std::vector<double> value;
  std::vector<double> bound;  // |result - value| may not exceed it
};

// Any order of summation with fma, or with separate products and sums: each of at most 2k + 2
// roundings is off by a factor 1 + d, |d| <= u = 2^-24, or by half the smallest subnormal. So
// |error| <= gamma * (|alpha| * (|A| |B|) + |beta| * |C|) + (2k + 2) * (1 + |alpha|) * 2^-149 with
// gamma = (2k + 2) u / (1 - (2k + 2) u).
[[nodiscard]] BoundedReference reference_gemm_double(float alpha, const HostMatrix& a,
                                                     const HostMatrix& b, float beta,
                                                     const HostMatrix& c);

// gamma of (2k + 2) roundings, and the absolute term, of the bound above.
[[nodiscard]] double relative_bound(index_t k);
[[nodiscard]] double absolute_bound(index_t k, float alpha);

}  // namespace tessera::support
