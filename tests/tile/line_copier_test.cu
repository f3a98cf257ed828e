// LineCopier: what a block copies to smem is the operand's tile in gmem's orientation, padded
// beyond the end of k; nothing outside the operand is read. One block.
#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <tessera/arch/shared_memory.cuh>
#include <tessera/tile/line_copier.cuh>
#include <vector>

#include "cuda_resources.hpp"

namespace tessera {
namespace {

using support::DeviceBuffer;
using support::run_kernel;

constexpr int mn_extent = 64, k_extent = 16;

// Copies `k_tiles` k-tiles one after the other; writes each as [k_tile][mn][k].
template <Major along, int Threads, int Width>
__global__ void copy_kernel(tile::GmemTile source, float padding, int k_tiles, float* out) {
  using Copier = tile::LineCopier<along, mn_extent, k_extent, Threads, Width>;
  using Tile = typename Copier::Smem;
  Tile& smem = *reinterpret_cast<Tile*>(arch::dynamic_smem());
  const int thread = static_cast<int>(threadIdx.x);
  Copier copier(source, thread);
  for (int t = 0; t < k_tiles; ++t) {
    copier.copy(smem, padding);
    arch::end_copy_group();
    arch::wait_for_copies_but<0>();
    __syncthreads();
    for (int i = thread; i < mn_extent * k_extent; i += Threads) {
      out[t * mn_extent * k_extent + i] = smem.data[Tile::index(i / k_extent, i % k_extent)];
    }
    __syncthreads();
  }
}

constexpr float value_at(int mn, int k) { return static_cast<float>(1 + mn * 1000 + k); }

template <Major along, int Threads, int Width>
void expect_copied(int mn_left, int k_left, int ld_extra, float padding) {
  const int lines = along == Major::k ? mn_left : k_left;
  const int length = along == Major::k ? k_left : mn_left;
  const index_t ld = length + ld_extra;
  // Ends with its last element, so that a sanitizer sees a read beyond it.
  std::vector<float> gmem(static_cast<std::size_t>((lines - 1) * ld + length), 0.5f);
  for (int mn = 0; mn < mn_left; ++mn) {
    for (int k = 0; k < k_left; ++k) {
      const index_t at = along == Major::k ? mn * ld + k : k * ld + mn;
      gmem.at(static_cast<std::size_t>(at)) = value_at(mn, k);
    }
  }
  const DeviceBuffer<float> source(gmem);
  const int k_tiles = (k_left + k_extent - 1) / k_extent;
  DeviceBuffer<float> out(static_cast<std::size_t>(k_tiles * mn_extent * k_extent));
  run_kernel(&copy_kernel<along, Threads, Width>, 1, Threads,
             sizeof(tile::SmemTile<mn_extent, k_extent, along>),
             tile::GmemTile{source.data(), ld, mn_left, k_left}, padding, k_tiles, out.data());

  const std::vector<float> got = out.to_host();
  for (int t = 0; t < k_tiles; ++t) {
    // Beyond mn_left, whatever: nobody stores what it is multiplied into.
    for (int mn = 0; mn < mn_extent && mn < mn_left; ++mn) {
      for (int k = 0; k < k_extent; ++k) {
        const int of_k = t * k_extent + k;
        const float expected = of_k < k_left ? value_at(mn, of_k) : padding;
        const float value = got[static_cast<std::size_t>((t * mn_extent + mn) * k_extent + k)];
        ASSERT_EQ(std::bit_cast<std::uint32_t>(value), std::bit_cast<std::uint32_t>(expected))
            << "mn " << mn << ", k " << of_k << ": got " << value << " of " << mn_left << " x "
            << k_left << ", ld " << ld << ", width " << Width << ", " << Threads << " threads";
      }
    }
  }
}

// A line in several rounds, a line at a time, several lines, more threads than lines.
template <Major along, int Width>
void expect_copied_by_any_block(int mn_left, int k_left, int ld_extra, float padding = -0.0f) {
  expect_copied<along, 8, Width>(mn_left, k_left, ld_extra, padding);
  expect_copied<along, 32, Width>(mn_left, k_left, ld_extra, padding);
  expect_copied<along, 64, Width>(mn_left, k_left, ld_extra, padding);
  expect_copied<along, 512, Width>(mn_left, k_left, ld_extra, padding);
}

TEST(LineCopier, WholeTiles) {
  for (const int ld_extra : {0, 4}) {
    expect_copied_by_any_block<Major::k, 4>(mn_extent, 3 * k_extent, ld_extra);
    expect_copied_by_any_block<Major::mn, 4>(mn_extent, 3 * k_extent, ld_extra);
  }
  for (const int ld_extra : {0, 1}) {
    expect_copied_by_any_block<Major::k, 1>(mn_extent, 3 * k_extent, ld_extra);
    expect_copied_by_any_block<Major::mn, 1>(mn_extent, 3 * k_extent, ld_extra);
  }
}

TEST(LineCopier, ResidueOfMn) {
  for (int mn = 1; mn < mn_extent + 3; mn += 3) {
    expect_copied_by_any_block<Major::k, 1>(mn, k_extent, 1);
    expect_copied_by_any_block<Major::mn, 1>(mn, k_extent, 1);
    expect_copied_by_any_block<Major::k, 4>(mn, k_extent, 4);
    if (mn % 4 == 0) expect_copied_by_any_block<Major::mn, 4>(mn, k_extent, 4);
  }
}

TEST(LineCopier, ResidueOfK) {
  for (int k = 1; k <= 2 * k_extent; ++k) {
    for (const float padding : {0.0f, -0.0f}) {
      expect_copied_by_any_block<Major::k, 1>(mn_extent - 1, k, 3, padding);
      expect_copied_by_any_block<Major::mn, 1>(mn_extent - 1, k, 0, padding);
      if (k % 4 == 0) expect_copied_by_any_block<Major::k, 4>(mn_extent - 1, k, 0, padding);
      expect_copied_by_any_block<Major::mn, 4>(mn_extent - 4, k, 4, padding);
    }
  }
}

}  // namespace
}  // namespace tessera
