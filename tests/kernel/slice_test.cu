// Slices of K: which k-tiles a block gets, and the kernels that sum the slices of a workspace.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <tessera/kernel/slice.cuh>
#include <tessera/kernel/sum_many_slices_kernel.cuh>
#include <tessera/kernel/sum_slices_kernel.cuh>
#include <vector>

#include "cuda_resources.hpp"
#include "fill.hpp"

namespace tessera {
namespace {

template <bool FewDivisions>
__global__ void slices_kernel(kernel::Slice* out, int blocks, int slices, int k, int k_tiles,
                              int block_k) {
  for (int i = 0; i < blocks; ++i) {
    out[i] = kernel::slice_of<true, FewDivisions>(i, slices, k, k_tiles, block_k);
  }
}

bool are_equal(const kernel::Slice& x, const kernel::Slice& y) {
  return x.tile == y.tile && x.number == y.number && x.k == y.k && x.k_left == y.k_left &&
         x.k_tiles == y.k_tiles;
}

std::vector<kernel::Slice> slices_of(int tiles, int slices, int k, int block_k) {
  const int k_tiles = static_cast<int>((index_t{k} + block_k - 1) / block_k);
  const support::DeviceBuffer<kernel::Slice> out(static_cast<std::size_t>(tiles * slices));
  const auto found_by = [&](auto* slices_of_k) {
    support::run_kernel(slices_of_k, 1, 1, 0, out.data(), tiles * slices, slices, k, k_tiles,
                        block_k);
    return out.to_host();
  };
  const auto found = found_by(&slices_kernel<false>), by_few = found_by(&slices_kernel<true>);
  EXPECT_TRUE(std::equal(found.begin(), found.end(), by_few.begin(), by_few.end(), &are_equal))
      << "32-bit divisions: k " << k << " in " << slices << " slices of k-tiles of " << block_k;
  return found;
}

// Every tile: consecutive slices from 0 to k, each of whole k-tiles but for the end of k, of which
// no two differ by more than one in length.
TEST(SliceOf, CoversKInOrder) {
  for (const int block_k : {1, 8, 16}) {
    for (const int slices : {1, 2, 3, 5, 7, 8, 31, 32, 512}) {
      for (const int k : {slices * block_k, slices * block_k + 1, 100 * block_k - 1, 32 * block_k,
                          333 * block_k + block_k / 2}) {
        if (k < slices * block_k) continue;
        const auto all = slices_of(3, slices, k, block_k);
        index_t next = 0;
        for (int i = 0; i < 3 * slices; ++i) {
          const kernel::Slice& s = all[static_cast<std::size_t>(i)];
          if (i % slices == 0) next = 0;
          ASSERT_EQ(s.tile, i / slices);
          ASSERT_EQ(s.number, i % slices);
          ASSERT_EQ(s.k, next);
          ASSERT_EQ(s.k % block_k, 0);
          ASSERT_EQ(s.k_tiles, (s.k_left + block_k - 1) / block_k);
          const int k_tiles = (k + block_k - 1) / block_k;
          ASSERT_GE(s.k_tiles, k_tiles / slices);
          ASSERT_LE(s.k_tiles, (k_tiles + slices - 1) / slices);
          next += s.k_left;
          if (i % slices == slices - 1) {
            ASSERT_EQ(next, k);
          }
        }
      }
    }
  }
}

// As documented: the bits depend on it.
TEST(SliceOf, BoundariesAreRoundedDown) {
  const auto all = slices_of(1, 3, 8 * 4 + 2, 4);  // 9 k-tiles, the last of 2
  EXPECT_EQ(all[1].k, 3 * 4);
  EXPECT_EQ(all[2].k, 6 * 4);
  const auto uneven = slices_of(1, 5, 8 * 4, 4);  // 8 k-tiles
  for (int s = 0; s < 5; ++s) EXPECT_EQ(uneven[static_cast<std::size_t>(s)].k, s * 8 / 5 * 4);
}

TEST(SliceOf, LargestKDoesNotOverflow) {
  const int k = 2147483647;
  const auto all = slices_of(1, 32, k, 1);
  EXPECT_EQ(all[31].k, index_t{k} * 31 / 32);
  EXPECT_EQ(all[31].k + all[31].k_left, k);
  const auto rounded = slices_of(1, 2, k, 1 << 30);  // the end of the last k-tile is 2^31
  EXPECT_EQ(rounded[1].k, 1 << 30);
  EXPECT_EQ(rounded[1].k_left, (1 << 30) - 1);
  const auto most = slices_of(1, 65536, k, 1);
  EXPECT_EQ(most[65535].k, index_t{k} * 65535 / 65536);
  EXPECT_EQ(most[65535].k + most[65535].k_left, k);
}

// ---- sum_slices_kernel, sum_many_slices_kernel

using SumKernel = void (*)(kernel::SumSlicesArguments);

void expect_summed(SumKernel sum_kernel, int grid, int m, int n, int slices, index_t ldc,
                   float alpha, float beta, support::Fill fill) {
  const auto partials = support::filled(slices * m, n, fill, 1).data;
  auto c = support::filled(1, m * ldc + 8, fill, 2).data;
  const support::DeviceBuffer<float> device_partials(partials), device_c(c);
  support::run_kernel(
      sum_kernel, grid, kernel::sum_slices_threads, 0,
      kernel::SumSlicesArguments{
          device_partials.data(), device_c.data(), ldc, m, n, slices, {alpha, beta}});
  for (int i = 0; i < m; ++i) {
    for (int j = 0; j < n; ++j) {
      const auto of_slice = [&](int s) {
        return partials[static_cast<std::size_t>((s * m + i) * n + j)];
      };
      float sum = of_slice(0);
      for (int s = 1; s < slices; ++s) sum += of_slice(s);
      float& value = c[static_cast<std::size_t>(i * ldc + j)];
      value = beta == 0.0f ? alpha * sum : std::fmaf(alpha, sum, beta * value);
    }
  }
  const std::vector<float> got = device_c.to_host();
  for (std::size_t i = 0; i < c.size(); ++i) {
    if (std::isnan(got[i]) && std::isnan(c[i])) continue;
    ASSERT_EQ(std::bit_cast<std::uint32_t>(got[i]), std::bit_cast<std::uint32_t>(c[i]))
        << "float " << i << " of C, grid " << grid << ", " << m << " x " << n << ", slices "
        << slices;
  }
}

template <int Width>
void expect_summed(int grid, int m, int n, int slices, index_t ldc, float alpha, float beta,
                   support::Fill fill) {
  expect_summed(&kernel::sum_slices_kernel<Width>, grid, m, n, slices, ldc, alpha, beta, fill);
}

TEST(SumSlices, AscendingThenTheEpilogueOnce) {
  for (const auto fill : {support::Fill::uniform, support::Fill::specials, support::Fill::tiny}) {
    for (const int slices : {2, 3, 4, 5, 9, 32}) {
      expect_summed<1>(2, 5, 7, slices, 9, 0.75f, -1.5f, fill);
      expect_summed<2>(1, 5, 6, slices, 8, 1.0f, 0.0f, fill);
      expect_summed<4>(1, 3, 8, slices, 12, -2.0f, 1.0f, fill);
    }
  }
}

TEST(SumSlices, AnyGridCoversC) {
  for (const int grid : {1, 2, 3, 7}) {
    expect_summed<1>(grid, 37, 53, 3, 53, 1.0f, 0.0f, support::Fill::uniform);
    expect_summed<4>(grid, 37, 52, 3, 56, 1.0f, 1.0f, support::Fill::uniform);
  }
}

TEST(SumSlices, MinusZeroStays) {
  std::vector<float> zeros(3, -0.0f);
  const support::DeviceBuffer<float> partials(zeros), c(std::vector<float>{1.0f});
  support::run_kernel(&kernel::sum_slices_kernel<1>, 1, kernel::sum_slices_threads, 0,
                      kernel::SumSlicesArguments{partials.data(), c.data(), 1, 1, 1, 3, {1, 0}});
  EXPECT_TRUE(std::signbit(c.to_host()[0]));
}

template <int Width>
void expect_many_summed(int m, int n, int slices, index_t ldc, float alpha, float beta,
                        support::Fill fill) {
  const auto grid = static_cast<int>(kernel::many_slices_grid(index_t{m} * n));
  expect_summed(&kernel::sum_many_slices_kernel<Width>, grid, m, n, slices, ldc, alpha, beta, fill);
}

// Slices of several passes through smem, whole and not; a last block of few elements.
TEST(SumManySlices, AscendingThenTheEpilogueOnce) {
  for (const auto fill : {support::Fill::uniform, support::Fill::specials, support::Fill::tiny}) {
    for (const int slices : {2, 13, 63, 64, 65, 256, 257, 600}) {
      expect_many_summed<1>(5, 7, slices, 9, 0.75f, -1.5f, fill);
      expect_many_summed<2>(5, 6, slices, 8, 1.0f, 0.0f, fill);
      expect_many_summed<4>(9, 8, slices, 12, -2.0f, 1.0f, fill);
    }
  }
}

TEST(SumManySlices, AreAskedForWhereCIsSmallAndSlicesAreMany) {
  EXPECT_TRUE(kernel::are_many_slices(128 * 128, 264));
  EXPECT_FALSE(kernel::are_many_slices(256 * 256, 33));
  EXPECT_FALSE(kernel::are_many_slices(1, 12));
  EXPECT_TRUE(kernel::are_many_slices(1, 13));
  EXPECT_EQ(kernel::many_slices_grid(32), 1);
  EXPECT_EQ(kernel::many_slices_grid(33), 2);
}

}  // namespace
}  // namespace tessera
