// arch::fma, mul and add: one IEEE rounding, subnormals kept, signs of zero kept (contract 1, 2).
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <tessera/arch/math.cuh>
#include <vector>

#include "cuda_resources.hpp"
#include "fill.hpp"

namespace tessera {
namespace {

__global__ void math_kernel(const float* x, const float* y, const float* z, float* fma, float* mul,
                            float* add, int count) {
  for (int i = 0; i < count; ++i) {
    fma[i] = arch::fma(x[i], y[i], z[i]);
    mul[i] = arch::mul(x[i], y[i]);
    add[i] = arch::add(x[i], y[i]);
  }
}

void expect_same(float got, float expected, float x, float y, float z) {
  if (std::isnan(expected)) {
    EXPECT_TRUE(std::isnan(got)) << x << " * " << y << " + " << z << ": " << got;
  } else {
    EXPECT_EQ(std::bit_cast<std::uint32_t>(got), std::bit_cast<std::uint32_t>(expected))
        << x << " * " << y << " + " << z << ": " << got << ", expected " << expected;
  }
}

void expect_ieee(const std::vector<float>& x, const std::vector<float>& y,
                 const std::vector<float>& z) {
  const support::DeviceBuffer<float> dx(x), dy(y), dz(z), fma(x.size()), mul(x.size()),
      add(x.size());
  support::run_kernel(&math_kernel, 1, 1, 0, dx.data(), dy.data(), dz.data(), fma.data(),
                      mul.data(), add.data(), static_cast<int>(x.size()));
  const std::vector<float> got_fma = fma.to_host(), got_mul = mul.to_host(),
                           got_add = add.to_host();
  for (std::size_t i = 0; i < x.size(); ++i) {
    expect_same(got_fma[i], std::fmaf(x[i], y[i], z[i]), x[i], y[i], z[i]);
    const volatile float product = x[i] * y[i];
    expect_same(got_mul[i], product, x[i], y[i], -0.0f);
    const volatile float sum = x[i] + y[i];
    expect_same(got_add[i], sum, x[i], 1.0f, y[i]);
  }
}

TEST(Math, EveryTripleOfEdgeValues) {
  using limits = std::numeric_limits<float>;
  const float edges[] = {0.0f,
                         -0.0f,
                         1.0f,
                         -1.5f,
                         limits::denorm_min(),
                         -limits::denorm_min(),
                         limits::min(),
                         -limits::min() / 2,
                         1e-30f,
                         -1e-30f,
                         1.0f + limits::epsilon(),
                         limits::max(),
                         -limits::max(),
                         limits::infinity(),
                         -limits::infinity(),
                         limits::quiet_NaN()};
  std::vector<float> x, y, z;
  for (const float a : edges) {
    for (const float b : edges) {
      for (const float c : edges) x.push_back(a), y.push_back(b), z.push_back(c);
    }
  }
  expect_ieee(x, y, z);
}

TEST(Math, RandomTriples) {
  for (const auto fill : {support::Fill::uniform, support::Fill::tiny, support::Fill::specials}) {
    expect_ieee(support::filled(1, 1000, fill, 1).data, support::filled(1, 1000, fill, 2).data,
                support::filled(1, 1000, fill, 3).data);
  }
}

TEST(Math, MulKeepsTheSignOfAZeroProduct) {
  expect_ieee({0.0f, -0.0f, 1e-30f, 1e-30f}, {-1.0f, -1.0f, 1e-30f, -1e-30f}, {0, 0, 0, 0});
}

}  // namespace
}  // namespace tessera
