// thread_mma: acc += outer product of two fragments, one fma per element, the bits of std::fmaf.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <tessera/thread/thread_mma.cuh>
#include <vector>

#include "cuda_resources.hpp"
#include "fill.hpp"

namespace tessera {
namespace {

template <int TM, int TN>
__global__ void mma_kernel(const float* a, const float* b, float* c, int steps) {
  float acc[TM][TN], frag_a[TM], frag_b[TN];
  for (int i = 0; i < TM; ++i) {
    for (int j = 0; j < TN; ++j) acc[i][j] = c[i * TN + j];
  }
  for (int k = 0; k < steps; ++k) {
    for (int i = 0; i < TM; ++i) frag_a[i] = a[k * TM + i];
    for (int j = 0; j < TN; ++j) frag_b[j] = b[k * TN + j];
    thread::thread_mma(acc, frag_a, frag_b);
  }
  for (int i = 0; i < TM; ++i) {
    for (int j = 0; j < TN; ++j) c[i * TN + j] = acc[i][j];
  }
}

template <int TM, int TN>
void expect_outer_products(support::Fill fill) {
  constexpr int steps = 5;
  const auto a = support::filled(steps, TM, fill, 1), b = support::filled(steps, TN, fill, 2);
  auto c = support::filled(TM, TN, fill, 3);
  const support::DeviceBuffer<float> device_a(a.data), device_b(b.data), device_c(c.data);
  support::run_kernel(&mma_kernel<TM, TN>, 1, 1, 0, device_a.data(), device_b.data(),
                      device_c.data(), steps);
  const std::vector<float> got = device_c.to_host();
  for (int i = 0; i < TM; ++i) {
    for (int j = 0; j < TN; ++j) {
      for (int k = 0; k < steps; ++k) c.at(i, j) = std::fmaf(a.at(k, i), b.at(k, j), c.at(i, j));
      const float value = got[static_cast<std::size_t>(i * TN + j)];
      if (std::isnan(c.at(i, j)) && std::isnan(value)) continue;
      ASSERT_EQ(std::bit_cast<std::uint32_t>(value), std::bit_cast<std::uint32_t>(c.at(i, j)))
          << i << ", " << j << " of " << TM << " x " << TN << ": " << value;
    }
  }
}

TEST(ThreadMma, AllThreadTiles) {
  for (const auto fill : {support::Fill::uniform, support::Fill::tiny, support::Fill::specials}) {
    expect_outer_products<1, 1>(fill);
    expect_outer_products<8, 1>(fill);
    expect_outer_products<1, 4>(fill);
    expect_outer_products<3, 2>(fill);
    expect_outer_products<8, 8>(fill);
    expect_outer_products<16, 4>(fill);
  }
}

}  // namespace
}  // namespace tessera
