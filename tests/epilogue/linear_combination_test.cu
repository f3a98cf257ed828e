// LinearCombination: beta == 0 ? alpha * acc : fma(alpha, acc, beta * c), for the elements inside C
// only (contract 1, 2 and 7). One block.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <tessera/epilogue/linear_combination.cuh>
#include <vector>

#include "cuda_resources.hpp"
#include "fill.hpp"

namespace tessera {
namespace {

constexpr int TM = 2, TN = 8, threads_m = 4, threads_n = 2;
constexpr int block_m = threads_m * TM, block_n = threads_n * TN;

// Threads 4 x 2, columns in chunks of 4.
struct Map {
  int m, n;
  __device__ explicit Map(int thread) : m(thread / threads_n), n(thread % threads_n) {}
  __device__ int row(int i) const { return i * threads_m + m; }
  __device__ int col(int j) const { return (j / 4 * threads_n + n) * 4 + j % 4; }
};

template <int Width, bool Guarded>
__global__ void epilogue_kernel(const float* acc_of_block, epilogue::LinearCombination combination,
                                epilogue::OutputTile c) {
  const Map map(static_cast<int>(threadIdx.x));
  float acc[TM][TN];
  for (int i = 0; i < TM; ++i) {
    for (int j = 0; j < TN; ++j) acc[i][j] = acc_of_block[map.row(i) * block_n + map.col(j)];
  }
  combination.template operator()<Width, Guarded>(acc, map, c);
}

template <int Width, bool Guarded>
void expect_combined(float alpha, float beta, int rows, int cols, int ld, support::Fill fill) {
  const support::HostMatrix acc = support::filled(block_m, block_n, fill, 1);
  // A few floats more than the tile, so that writes beyond it show.
  std::vector<float> c = support::filled(1, block_m * ld + 8, fill, 2).data;
  const support::DeviceBuffer<float> device_acc(acc.data), device_c(c);
  support::run_kernel(&epilogue_kernel<Width, Guarded>, 1, threads_m * threads_n, 0,
                      device_acc.data(), epilogue::LinearCombination{alpha, beta},
                      epilogue::OutputTile{device_c.data(), ld, rows, cols});
  for (int i = 0; i < rows && i < block_m; ++i) {
    for (int j = 0; j < cols && j < block_n; ++j) {
      float& value = c[static_cast<std::size_t>(i * ld + j)];
      value = beta == 0.0f ? alpha * acc.at(i, j) : std::fmaf(alpha, acc.at(i, j), beta * value);
    }
  }
  const std::vector<float> got = device_c.to_host();
  for (std::size_t i = 0; i < c.size(); ++i) {
    if (std::isnan(got[i]) && std::isnan(c[i])) continue;
    ASSERT_EQ(std::bit_cast<std::uint32_t>(got[i]), std::bit_cast<std::uint32_t>(c[i]))
        << "float " << i << " of C, ld " << ld << ", " << rows << " x " << cols << " left, alpha "
        << alpha << ", beta " << beta << ", width " << Width << ": got " << got[i] << ", expected "
        << c[i];
  }
}

constexpr float nan = std::numeric_limits<float>::quiet_NaN();
constexpr float scalars[] = {0.0f, -0.0f, 1.0f, -1.0f, 0.5f, 1e-30f, nan};

TEST(LinearCombination, ExactTiles) {
  for (const float alpha : scalars) {
    for (const float beta : scalars) {
      for (const auto fill : {support::Fill::uniform, support::Fill::specials}) {
        expect_combined<1, false>(alpha, beta, block_m, block_n, block_n, fill);
        expect_combined<2, false>(alpha, beta, block_m, block_n, block_n + 2, fill);
        expect_combined<4, false>(alpha, beta, block_m, block_n, block_n + 4, fill);
      }
    }
  }
}

TEST(LinearCombination, RaggedTilesWriteInsideOnly) {
  for (int rows = 1; rows <= block_m + 1; ++rows) {
    for (int cols = 1; cols <= block_n + 1; ++cols) {
      for (const float beta : {0.0f, 0.5f}) {
        const auto fill = support::Fill::uniform;
        expect_combined<1, true>(1.5f, beta, rows, cols, block_n + 1, fill);
        // Vector accesses need rows of whole accesses.
        if (cols % 2 == 0) expect_combined<2, true>(1.5f, beta, rows, cols, block_n + 2, fill);
        if (cols % 4 == 0) expect_combined<4, true>(1.5f, beta, rows, cols, block_n + 4, fill);
      }
    }
  }
}

TEST(LinearCombination, BetaZeroDoesNotReadC) {
  expect_combined<4, false>(1.0f, 0.0f, block_m, block_n, block_n, support::Fill::uniform);
  // With C all NaN, anything read would survive.
  const support::HostMatrix acc = support::filled(block_m, block_n, support::Fill::uniform, 1);
  const support::DeviceBuffer<float> device_acc(acc.data);
  const support::DeviceBuffer<float> c(std::vector<float>(block_m * block_n, nan));
  support::run_kernel(&epilogue_kernel<4, false>, 1, threads_m * threads_n, 0, device_acc.data(),
                      epilogue::LinearCombination{1.0f, -0.0f},
                      epilogue::OutputTile{c.data(), block_n, block_m, block_n});
  EXPECT_EQ(c.to_host(), acc.data);
}

}  // namespace
}  // namespace tessera
