// Random operands on the device, and the checks of a product there: its double-precision reference,
// and how far results are from it. Also what the timing needs of kernels: an L2 full of other data.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tests/support/any_view.hpp"
#include "tests/support/cuda_resources.hpp"

namespace tessera::bench {

// Uniform over (-1, 1), a function of seed and position alone.
void fill_uniform(float* data, std::size_t size, std::uint64_t seed, cudaStream_t stream);

// Reads `size` floats, so that the L2 holds them and nothing has to be written back later.
void read_all(const float* data, std::size_t size, cudaStream_t stream);

struct Deviation {
  // Elements (NaN among them) that no order of summing A * B in FP32 can explain:
  //     |c - sum a b| > k u / (1 - k u) * sum |a b|,   u = 2^-24, sums in double precision.
  unsigned long long outside_bound = 0;
  unsigned long long different_bits = 0;  // from the other result
  double relative_frobenius = 0.0;        // ||C - AB|| / ||AB||
  double max_scaled = 0.0;                // max |c - sum a b| / sum |a b|
};

// A * B in double precision, element by element, with the sums of absolute values.
class Reference {
 public:
  explicit Reference(std::size_t elements) : sum_(elements), magnitude_(elements), totals_(1) {}

  void compute(const support::AnyView<const float>& a, const support::AnyView<const float>& b,
               cudaStream_t stream);
  // All elements of `c` against the reference, and bit for bit against `other`.
  [[nodiscard]] Deviation compare(const support::AnyView<float>& c,
                                  const support::AnyView<float>& other, cudaStream_t stream) const;

  struct Totals {
    double squared_error, squared_sum;
    unsigned long long max_scaled_bits;  // of a double >= 0, whose order the integers share
    unsigned long long outside_bound, different_bits;
  };

 private:
  support::DeviceBuffer<double> sum_, magnitude_;
  support::DeviceBuffer<Totals> totals_;
  index_t k_ = 0;
};

}  // namespace tessera::bench
