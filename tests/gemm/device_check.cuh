// Checks of large products on the device, where the host would take minutes: a double-precision
// reference with its bound, and comparisons that count.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "any_view.hpp"
#include "cuda_resources.hpp"
#include "reference.hpp"

namespace tessera::support {

struct StridedOperand {
  const float* data;
  index_t row_stride, col_stride;
};

inline StridedOperand strided(const AnyView<const float>& v) {
  const bool is_row_major = v.layout == Layout::row;
  return {v.data, is_row_major ? v.ld : 1, is_row_major ? 1 : v.ld};
}

// value = sum over k of a * b in double precision, scale = the sum of |a * b|; packed row-major.
// Threads 16 x 16, one element each.
static __global__ void double_product_kernel(StridedOperand a, StridedOperand b, int m, int n,
                                             int k, double* value, double* scale) {
  __shared__ float tile_a[16][17], tile_b[16][17];
  const int tx = static_cast<int>(threadIdx.x) % 16, ty = static_cast<int>(threadIdx.x) / 16;
  const int n_tiles = (n + 15) / 16;
  const int i = static_cast<int>(blockIdx.x) / n_tiles * 16 + ty;
  const int j = static_cast<int>(blockIdx.x) % n_tiles * 16 + tx;
  double sum = 0.0, magnitude = 0.0;
  for (int k0 = 0; k0 < k; k0 += 16) {
    const bool inside_a = i < m && k0 + tx < k, inside_b = k0 + ty < k && j < n;
    tile_a[ty][tx] = inside_a ? a.data[i * a.row_stride + (k0 + tx) * a.col_stride] : 0.0f;
    tile_b[ty][tx] = inside_b ? b.data[(k0 + ty) * b.row_stride + j * b.col_stride] : 0.0f;
    __syncthreads();
    for (int p = 0; p < 16; ++p) {
      const double term = static_cast<double>(tile_a[ty][p]) * static_cast<double>(tile_b[p][tx]);
      sum += term;
      magnitude += fabs(term);
    }
    __syncthreads();
  }
  if (i < m && j < n) {
    value[static_cast<index_t>(i) * n + j] = sum;
    scale[static_cast<index_t>(i) * n + j] = magnitude;
  }
}

// Counts elements of c (m x n) that are further than gamma * scale + absolute from `value`; a NaN
// counts.
static __global__ void count_outside_kernel(StridedOperand c, int m, int n, const double* value,
                                            const double* scale, double gamma, double absolute,
                                            unsigned long long* count) {
  const index_t at = static_cast<index_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (at >= static_cast<index_t>(m) * n) return;
  const double got = c.data[at / n * c.row_stride + at % n * c.col_stride];
  if (!(fabs(got - value[at]) <= gamma * scale[at] + absolute)) atomicAdd(count, 1ull);
}

// Counts elements whose bits differ.
static __global__ void count_differing_kernel(StridedOperand x, StridedOperand y, int m, int n,
                                              unsigned long long* count) {
  const index_t at = static_cast<index_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (at >= static_cast<index_t>(m) * n) return;
  const float of_x = x.data[at / n * x.row_stride + at % n * x.col_stride];
  const float of_y = y.data[at / n * y.row_stride + at % n * y.col_stride];
  if (__float_as_uint(of_x) != __float_as_uint(of_y)) atomicAdd(count, 1ull);
}

// The double-precision product of one problem with alpha = 1 and beta = 0.
class DeviceReference {
 public:
  DeviceReference(const AnyView<const float>& a, const AnyView<const float>& b)
      : m_(static_cast<int>(a.rows)),
        n_(static_cast<int>(b.cols)),
        k_(a.cols),
        value_(static_cast<std::size_t>(a.rows * b.cols)),
        scale_(value_.size()) {
    run_kernel(&double_product_kernel, ((m_ + 15) / 16) * ((n_ + 15) / 16), 256, 0, strided(a),
               strided(b), m_, n_, static_cast<int>(k_), value_.data(), scale_.data());
  }

  [[nodiscard]] unsigned long long count_outside(const AnyView<const float>& c) const {
    const DeviceBuffer<unsigned long long> count(std::vector<unsigned long long>{0});
    run_kernel(&count_outside_kernel, blocks(m_, n_), 256, 0, strided(c), m_, n_, value_.data(),
               scale_.data(), relative_bound(k_), absolute_bound(k_, 1.0f), count.data());
    return count.to_host()[0];
  }

  static int blocks(index_t m, index_t n) { return static_cast<int>((m * n + 255) / 256); }

 private:
  int m_, n_;
  index_t k_;
  DeviceBuffer<double> value_, scale_;
};

[[nodiscard]] inline unsigned long long count_differing(const AnyView<const float>& x,
                                                        const AnyView<const float>& y) {
  const DeviceBuffer<unsigned long long> count(std::vector<unsigned long long>{0});
  run_kernel(&count_differing_kernel, DeviceReference::blocks(x.rows, x.cols), 256, 0, strided(x),
             strided(y), static_cast<int>(x.rows), static_cast<int>(x.cols), count.data());
  return count.to_host()[0];
}

}  // namespace tessera::support
