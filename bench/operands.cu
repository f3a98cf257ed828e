// The kernels behind operands.hpp.
#include "operands.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace tessera::bench {

using support::check;

namespace {

constexpr int block_threads = 256;
constexpr int most_blocks = 4096;  // of kernels that stride over their elements

// Element (row, col) of a view lies at data[row * row_step + col * col_step].
struct Strided {
  const float* data;
  index_t row_step, col_step;

  __device__ float operator()(index_t row, index_t col) const {
    return data[row * row_step + col * col_step];
  }
};

template <class T>
Strided strided(const support::AnyView<T>& v) {
  if (v.layout == support::Layout::row) return {v.data, v.ld, 1};
  return {v.data, 1, v.ld};
}

__device__ index_t thread_number() {
  return static_cast<index_t>(blockIdx.x) * block_threads + threadIdx.x;
}
__device__ index_t thread_total() { return static_cast<index_t>(gridDim.x) * block_threads; }

// splitmix64's output function: neighbouring inputs give unrelated outputs.
__device__ std::uint64_t scramble(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

// Odd multiples of 2^-24 below 1, exact in a float: never 0.
__global__ void fill_uniform_kernel(float* data, index_t size, std::uint64_t seed) {
  for (index_t i = thread_number(); i < size; i += thread_total()) {
    const std::uint64_t random = scramble((seed << 48) + static_cast<std::uint64_t>(i));
    const int centred = static_cast<int>(random >> 40) - (1 << 23);
    data[i] = (static_cast<float>(centred) + 0.5f) * 0x1p-23f;
  }
}

__global__ void read_all_kernel(const float* data, index_t size, float* never_written) {
  float sum = 0.0f;
  for (index_t i = thread_number(); i < size; i += thread_total()) sum += data[i];
  if (sum == 0x1p100f) *never_written = sum;  // keeps the loads: |sum| stays below `size`
}

// 16 x 16 threads, 4 x 4 elements each, of a 64 x 64 tile of C, along k in tiles of 16.
constexpr int tile = 64, k_tile = 16, per_thread = 4, threads_along = tile / per_thread;
static_assert(threads_along * threads_along == block_threads);

// smem[step][line] = operand(first_line + line, first_k + step), 0 outside; neighbouring threads
// read along the mode that is contiguous.
__device__ void stage(double (&smem)[k_tile][tile + 1], const Strided& operand, index_t first_line,
                      index_t lines, index_t first_k, index_t k) {
  const bool k_contiguous = operand.col_step == 1;
  for (int i = static_cast<int>(threadIdx.x); i < tile * k_tile; i += block_threads) {
    const int line = k_contiguous ? i / k_tile : i % tile;
    const int step = k_contiguous ? i % k_tile : i / tile;
    const bool inside = first_line + line < lines && first_k + step < k;
    smem[step][line] = inside ? operand(first_line + line, first_k + step) : 0.0;
  }
}

__global__ void reference_kernel(Strided a, Strided b_transposed, double* sum, double* magnitude,
                                 index_t m, index_t n, index_t k, index_t n_tiles) {
  __shared__ double smem_a[k_tile][tile + 1], smem_b[k_tile][tile + 1];
  const index_t first_m = static_cast<index_t>(blockIdx.x) / n_tiles * tile;
  const index_t first_n = static_cast<index_t>(blockIdx.x) % n_tiles * tile;
  const int thread_m = static_cast<int>(threadIdx.x) / threads_along;
  const int thread_n = static_cast<int>(threadIdx.x) % threads_along;
  double sums[per_thread][per_thread] = {}, magnitudes[per_thread][per_thread] = {};
  for (index_t first_k = 0; first_k < k; first_k += k_tile) {
    stage(smem_a, a, first_m, m, first_k, k);
    stage(smem_b, b_transposed, first_n, n, first_k, k);
    __syncthreads();
    for (int step = 0; step < k_tile; ++step) {
      for (int i = 0; i < per_thread; ++i) {
        const double value_a = smem_a[step][thread_m + i * threads_along];
        for (int j = 0; j < per_thread; ++j) {
          const double value_b = smem_b[step][thread_n + j * threads_along];
          sums[i][j] = fma(value_a, value_b, sums[i][j]);
          magnitudes[i][j] = fma(fabs(value_a), fabs(value_b), magnitudes[i][j]);
        }
      }
    }
    __syncthreads();
  }
  for (int i = 0; i < per_thread; ++i) {
    for (int j = 0; j < per_thread; ++j) {
      const index_t row = first_m + thread_m + i * threads_along;
      const index_t col = first_n + thread_n + j * threads_along;
      if (row >= m || col >= n) continue;
      sum[row * n + col] = sums[i][j];
      magnitude[row * n + col] = magnitudes[i][j];
    }
  }
}

__device__ double add_over_warp(double value) {
  for (int offset = 16; offset > 0; offset /= 2) {
    value += __shfl_down_sync(0xffffffffu, value, offset);
  }
  return value;
}

__device__ double max_over_warp(double value) {
  for (int offset = 16; offset > 0; offset /= 2) {
    value = fmax(value, __shfl_down_sync(0xffffffffu, value, offset));
  }
  return value;
}

// *bits becomes the larger of itself and `value`, both bits of doubles >= 0.
__device__ void raise_to(unsigned long long* bits, double value) {
  unsigned long long wanted;
  memcpy(&wanted, &value, sizeof wanted);
  unsigned long long seen = atomicAdd(bits, 0ull);
  while (seen < wanted) {
    const unsigned long long before = atomicCAS(bits, seen, wanted);
    if (before == seen) return;
    seen = before;
  }
}

__global__ void compare_kernel(Strided c, Strided other, const double* sum, const double* magnitude,
                               index_t m, index_t n, double gamma, Reference::Totals* totals) {
  double squared_error = 0.0, squared_sum = 0.0, max_scaled = 0.0;
  unsigned long long outside_bound = 0, different_bits = 0;
  for (index_t i = thread_number(); i < m * n; i += thread_total()) {
    const float value = c(i / n, i % n);
    const double error = fabs(value - sum[i]);
    squared_error += error * error;
    squared_sum += sum[i] * sum[i];
    max_scaled = fmax(max_scaled, error / magnitude[i]);
    if (!(error <= gamma * magnitude[i])) ++outside_bound;  // true for NaN
    if (__float_as_uint(value) != __float_as_uint(other(i / n, i % n))) ++different_bits;
  }
  squared_error = add_over_warp(squared_error);
  squared_sum = add_over_warp(squared_sum);
  max_scaled = max_over_warp(max_scaled);
  if (threadIdx.x % 32 == 0) {
    atomicAdd(&totals->squared_error, squared_error);
    atomicAdd(&totals->squared_sum, squared_sum);
    raise_to(&totals->max_scaled_bits, max_scaled);
  }
  if (outside_bound != 0) atomicAdd(&totals->outside_bound, outside_bound);
  if (different_bits != 0) atomicAdd(&totals->different_bits, different_bits);
}

template <class... Parameters, class... Arguments>
void launch(void (*kernel)(Parameters...), index_t blocks, cudaStream_t stream,
            Arguments... arguments) {
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(static_cast<unsigned>(blocks));
  config.blockDim = dim3(block_threads);
  config.stream = stream;
  check(cudaLaunchKernelEx(&config, kernel, static_cast<Parameters>(arguments)...),
        "cudaLaunchKernelEx");
}

index_t blocks_for(index_t elements) {
  return std::min<index_t>((elements + block_threads - 1) / block_threads, most_blocks);
}

}  // namespace

void fill_uniform(float* data, std::size_t size, std::uint64_t seed, cudaStream_t stream) {
  const auto elements = static_cast<index_t>(size);
  launch(&fill_uniform_kernel, blocks_for(elements), stream, data, elements, seed);
}

void read_all(const float* data, std::size_t size, cudaStream_t stream) {
  const auto elements = static_cast<index_t>(size);
  launch(&read_all_kernel, blocks_for(elements), stream, data, elements, nullptr);
}

void Reference::compute(const support::AnyView<const float>& a,
                        const support::AnyView<const float>& b, cudaStream_t stream) {
  const index_t m = a.rows, n = b.cols;
  k_ = a.cols;
  const Strided of_b = strided(b);
  const Strided b_transposed{of_b.data, of_b.col_step, of_b.row_step};
  const index_t m_tiles = (m + tile - 1) / tile, n_tiles = (n + tile - 1) / tile;
  launch(&reference_kernel, m_tiles * n_tiles, stream, strided(a), b_transposed, sum_.data(),
         magnitude_.data(), m, n, k_, n_tiles);
}

Deviation Reference::compare(const support::AnyView<float>& c, const support::AnyView<float>& other,
                             cudaStream_t stream) const {
  const double ku = static_cast<double>(k_) * 0x1p-24;
  check(cudaMemsetAsync(totals_.data(), 0, sizeof(Totals), stream), "cudaMemsetAsync");
  launch(&compare_kernel, blocks_for(c.rows * c.cols), stream, strided(c), strided(other),
         sum_.data(), magnitude_.data(), c.rows, c.cols, ku / (1.0 - ku), totals_.data());
  const Totals totals = totals_.to_host(stream)[0];
  return {totals.outside_bound, totals.different_bits,
          std::sqrt(totals.squared_error / totals.squared_sum),
          std::bit_cast<double>(totals.max_scaled_bits)};
}

}  // namespace tessera::bench
