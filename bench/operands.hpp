// Random operands on the device, and the check of a product there.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tests/support/any_view.hpp"

namespace tessera::bench {

// Uniform over (-1, 1), a function of seed and position alone.
void fill_uniform(float* data, std::size_t size, std::uint64_t seed, cudaStream_t stream);

// Elements of x and y, `size` each, whose bits differ.
unsigned long long count_different_bits(const float* x, const float* y, std::size_t size,
                                        cudaStream_t stream);

// Elements of C that no order of summing A * B in FP32 can explain: those (NaN among them) with
//     |c - sum a b| > k u / (1 - k u) * sum |a b|,   u = 2^-24, sums in double precision.
unsigned long long count_outside_bound(const support::AnyView<const float>& a,
                                       const support::AnyView<const float>& b,
                                       const support::AnyView<float>& c, cudaStream_t stream);

}  // namespace tessera::bench
