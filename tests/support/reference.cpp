// The host references. The loops run over n in blocks, so that the compiler can vectorize them; the
// order over k, which decides the bits, is ascending for every element.
#include "reference.hpp"

#include <algorithm>
#include <cmath>
#include <thread>
#include <utility>

namespace tessera::support {

namespace {

constexpr index_t block_n = 64;

// C = A * B for `rows` rows: A rows x k, B k x n in blocks of block_n columns, zeros beyond n.
__attribute__((always_inline)) inline void multiply_rows(const float* a, const float* b, float* c,
                                                         index_t rows, index_t k, index_t n) {
  for (index_t j0 = 0; j0 < n; j0 += block_n) {
    for (index_t i = 0; i < rows; ++i) {
      float acc[block_n] = {};
      const float* b_row = b + j0 * k;
      for (index_t p = 0; p < k; ++p, b_row += block_n) {
        for (index_t j = 0; j < block_n; ++j) acc[j] = std::fmaf(a[i * k + p], b_row[j], acc[j]);
      }
      std::copy_n(acc, std::min(block_n, n - j0), c + i * n + j0);
    }
  }
}

using Multiply = void (*)(const float*, const float*, float*, index_t, index_t, index_t);

void multiply_portable(const float* a, const float* b, float* c, index_t rows, index_t k,
                       index_t n) {
  multiply_rows(a, b, c, rows, k, n);
}

#if defined(__x86_64__) && defined(__GNUC__)
// The same loop where fmaf is one instruction rather than a call.
__attribute__((target("avx2,fma"))) void multiply_fma(const float* a, const float* b, float* c,
                                                      index_t rows, index_t k, index_t n) {
  multiply_rows(a, b, c, rows, k, n);
}

Multiply pick_multiply() {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? multiply_fma
                                                                         : multiply_portable;
}
#else
Multiply pick_multiply() { return multiply_portable; }
#endif

// B in blocks of block_n columns, each block k x block_n.
std::vector<float> pack(const HostMatrix& b) {
  const index_t blocks = (b.cols + block_n - 1) / block_n;
  std::vector<float> packed(static_cast<std::size_t>(blocks * block_n * b.rows));
  for (index_t p = 0; p < b.rows; ++p) {
    for (index_t j = 0; j < b.cols; ++j) {
      const index_t block = j / block_n;
      packed[static_cast<std::size_t>((block * b.rows + p) * block_n + j % block_n)] = b.at(p, j);
    }
  }
  return packed;
}

HostMatrix product(const HostMatrix& a, const HostMatrix& b) {
  HostMatrix c(a.rows, b.cols);
  if (c.data.empty()) return c;
  const std::vector<float> packed = pack(b);
  const Multiply multiply = pick_multiply();
  const double work =
      static_cast<double>(a.rows) * static_cast<double>(b.cols) * static_cast<double>(a.cols);
  const index_t limit = std::max(1u, std::thread::hardware_concurrency());
  const index_t threads = work < 1e8 ? 1 : std::min(limit, a.rows);
  std::vector<std::thread> workers;
  for (index_t t = 0; t < threads; ++t) {
    const index_t first = a.rows * t / threads, last = a.rows * (t + 1) / threads;
    const auto part = [=, &a, &c, &packed] {
      multiply(a.data.data() + first * a.cols, packed.data(), c.data.data() + first * c.cols,
               last - first, a.cols, c.cols);
    };
    if (t + 1 < threads) {
      workers.emplace_back(part);
    } else {
      part();
    }
  }
  for (std::thread& worker : workers) worker.join();
  return c;
}

// Columns [first, last) of A, rows [first, last) of B.
HostMatrix columns(const HostMatrix& a, index_t first, index_t last) {
  HostMatrix part(a.rows, last - first);
  for (index_t i = 0; i < a.rows; ++i) {
    std::copy_n(a.data.begin() + i * a.cols + first, last - first,
                part.data.begin() + i * part.cols);
  }
  return part;
}
HostMatrix rows(const HostMatrix& b, index_t first, index_t last) {
  return {last - first, b.cols,
          std::vector<float>(b.data.begin() + first * b.cols, b.data.begin() + last * b.cols)};
}

HostMatrix sum_of_slices(const HostMatrix& a, const HostMatrix& b, SlicesOfK cut) {
  const bool inner = cut.slices == 1;  // the slices of a block
  const index_t slices = inner ? cut.block_slices : cut.slices;
  if (slices == 1) return product(a, b);
  const SlicesOfK next{cut.block_k, 1, inner ? 1 : cut.block_slices};
  const index_t k_tiles = (a.cols + cut.block_k - 1) / cut.block_k;
  HostMatrix sum;
  for (index_t s = 0; s < slices; ++s) {
    const index_t first = std::min(s * k_tiles / slices * cut.block_k, a.cols);
    const index_t last = std::min((s + 1) * k_tiles / slices * cut.block_k, a.cols);
    const HostMatrix part = sum_of_slices(columns(a, first, last), rows(b, first, last), next);
    if (s == 0) {
      sum = part;
    } else {
      for (std::size_t i = 0; i < sum.data.size(); ++i) sum.data[i] += part.data[i];
    }
  }
  return sum;
}

}  // namespace

HostMatrix reference_gemm(float alpha, const HostMatrix& a, const HostMatrix& b, float beta,
                          const HostMatrix& c, SlicesOfK cut) {
  if (alpha == 0.0f || a.cols == 0) {
    HostMatrix out = c;
    if (beta == 1.0f) return out;
    for (float& value : out.data) value = beta == 0.0f ? 0.0f : beta * value;
    return out;
  }
  HostMatrix out = sum_of_slices(a, b, cut);
  for (std::size_t i = 0; i < out.data.size(); ++i) {
    const float acc = out.data[i];
    out.data[i] = beta == 0.0f ? alpha * acc : std::fmaf(alpha, acc, beta * c.data[i]);
  }
  return out;
}

HostMatrix reference_by(const LaunchPlan& plan, float alpha, const HostMatrix& a,
                        const HostMatrix& b, float beta, const HostMatrix& c) {
  RimPlan rows = plan.rim_rows, cols = plan.rim_cols;
  if (plan.transposed) std::swap(rows, cols);
  HostMatrix out(c.rows, c.cols);
  const auto multiply = [&](index_t row, index_t col, index_t m, index_t n, SlicesOfK cut) {
    const HostMatrix part =
        reference_gemm(alpha, part_of(a, row, 0, m, a.cols), part_of(b, 0, col, b.rows, n), beta,
                       part_of(c, row, col, m, n), cut);
    for (index_t i = 0; i < m; ++i) {
      for (index_t j = 0; j < n; ++j) out.at(row + i, col + j) = part.at(i, j);
    }
  };
  const auto cut_of = [](const RimPlan& rim) {
    return SlicesOfK{rim.block_k, rim.slices, rim.block_slices};
  };
  const index_t m = c.rows - rows.extent, n = c.cols - cols.extent;
  multiply(0, 0, m, n, {plan.config.block_k(), plan.slices, plan.block_slices});
  // The rows of the problem as computed have its corner.
  multiply(m, 0, rows.extent, plan.transposed ? n : c.cols, cut_of(rows));
  multiply(0, n, plan.transposed ? c.rows : m, cols.extent, cut_of(cols));
  return out;
}

double relative_bound(index_t k) {
  const double roundings = 2.0 * static_cast<double>(k) + 2.0;
  const double u = 0x1p-24;
  return roundings * u / (1.0 - roundings * u);
}

double absolute_bound(index_t k, float alpha) {
  return (2.0 * static_cast<double>(k) + 2.0) * (1.0 + std::fabs(static_cast<double>(alpha))) *
         0x1p-149;
}

BoundedReference reference_gemm_double(float alpha, const HostMatrix& a, const HostMatrix& b,
                                       float beta, const HostMatrix& c) {
  BoundedReference reference;
  reference.rows = c.rows;
  reference.cols = c.cols;
  const bool reads_ab = alpha != 0.0f, reads_c = beta != 0.0f;
  for (index_t i = 0; i < c.rows; ++i) {
    for (index_t j = 0; j < c.cols; ++j) {
      double sum = 0.0, magnitude = 0.0;
      for (index_t p = 0; reads_ab && p < a.cols; ++p) {
        const double term = static_cast<double>(a.at(i, p)) * static_cast<double>(b.at(p, j));
        sum += term;
        magnitude += std::fabs(term);
      }
      const double scaled_c = reads_c ? static_cast<double>(beta) * c.at(i, j) : 0.0;
      reference.value.push_back((reads_ab ? static_cast<double>(alpha) * sum : 0.0) + scaled_c);
      const double scale = (reads_ab ? std::fabs(static_cast<double>(alpha)) * magnitude : 0.0) +
                           std::fabs(scaled_c);
      reference.bound.push_back(relative_bound(a.cols) * scale + absolute_bound(a.cols, alpha));
    }
  }
  return reference;
}

}  // namespace tessera::support
