// The kernels behind operands.hpp: one thread an element.
#include "operands.hpp"

#include "tests/support/cuda_resources.hpp"

namespace tessera::bench {

using support::check;

namespace {

constexpr int block_threads = 256;

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

// splitmix64's output function: neighbouring inputs give unrelated outputs.
__device__ std::uint64_t scramble(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

// Odd multiples of 2^-24 below 1, exact in a float: never 0.
__global__ void fill_uniform_kernel(float* data, index_t size, std::uint64_t seed) {
  const index_t i = thread_number();
  if (i >= size) return;
  const std::uint64_t random = scramble((seed << 48) + static_cast<std::uint64_t>(i));
  const int centred = static_cast<int>(random >> 40) - (1 << 23);
  data[i] = (static_cast<float>(centred) + 0.5f) * 0x1p-23f;
}

__global__ void count_different_bits_kernel(const float* x, const float* y, index_t size,
                                            unsigned long long* count) {
  const index_t i = thread_number();
  if (i < size && __float_as_uint(x[i]) != __float_as_uint(y[i])) atomicAdd(count, 1ull);
}

__global__ void count_outside_bound_kernel(Strided a, Strided b, Strided c, index_t m, index_t n,
                                           index_t k, unsigned long long* count) {
  const index_t i = thread_number();
  if (i >= m * n) return;
  const index_t row = i / n, col = i % n;
  double sum = 0.0, magnitude = 0.0;
  for (index_t step = 0; step < k; ++step) {
    const double product = static_cast<double>(a(row, step)) * b(step, col);  // exact
    sum += product;
    magnitude += fabs(product);
  }
  const double ku = static_cast<double>(k) * 0x1p-24;
  const double bound = ku / (1.0 - ku) * magnitude;
  if (!(fabs(c(row, col) - sum) <= bound)) atomicAdd(count, 1ull);  // true for NaN
}

template <class... Parameters, class... Arguments>
void launch(void (*kernel)(Parameters...), index_t threads, cudaStream_t stream,
            Arguments... arguments) {
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(static_cast<unsigned>((threads + block_threads - 1) / block_threads));
  config.blockDim = dim3(block_threads);
  config.stream = stream;
  check(cudaLaunchKernelEx(&config, kernel, arguments...), "cudaLaunchKernelEx");
}

// What `launch_counting(counter)` counts.
template <class F>
unsigned long long count(const F& launch_counting, cudaStream_t stream) {
  const support::DeviceBuffer<unsigned long long> counter(1);
  check(cudaMemsetAsync(counter.data(), 0, sizeof(unsigned long long), stream), "cudaMemsetAsync");
  launch_counting(counter.data());
  return counter.to_host(stream)[0];
}

}  // namespace

void fill_uniform(float* data, std::size_t size, std::uint64_t seed, cudaStream_t stream) {
  const auto elements = static_cast<index_t>(size);
  launch(&fill_uniform_kernel, elements, stream, data, elements, seed);
}

unsigned long long count_different_bits(const float* x, const float* y, std::size_t size,
                                        cudaStream_t stream) {
  const auto elements = static_cast<index_t>(size);
  return count(
      [&](unsigned long long* counter) {
        launch(&count_different_bits_kernel, elements, stream, x, y, elements, counter);
      },
      stream);
}

unsigned long long count_outside_bound(const support::AnyView<const float>& a,
                                       const support::AnyView<const float>& b,
                                       const support::AnyView<float>& c, cudaStream_t stream) {
  return count(
      [&](unsigned long long* counter) {
        launch(&count_outside_bound_kernel, c.rows * c.cols, stream, strided(a), strided(b),
               strided(c), c.rows, c.cols, a.cols, counter);
      },
      stream);
}

}  // namespace tessera::bench
