// TileLoader: what a block brings from gmem to smem is the operand's k-tiles, of which the first is
// padded; for both orientations in gmem and in smem, every width, exact and guarded, through
// registers and by copies. One block.
#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <tessera/arch/async_copy.cuh>
#include <tessera/arch/shared_memory.cuh>
#include <tessera/tile/tile_loader.cuh>
#include <vector>

#include "cuda_resources.hpp"

namespace tessera {
namespace {

using support::DeviceBuffer;
using support::run_kernel;

constexpr int mn_extent = 24, k_extent = 8;

// Loads `k_tiles` k-tiles one after the other, the first with its padding or without; writes each
// as [k_tile][mn][k].
template <Major along, Major smem_major, int Threads, int Width, bool Guarded, bool Copies>
__global__ void load_kernel(tile::GmemTile source, float padding, bool padded, int k_tiles,
                            float* out) {
  using Tile = tile::SmemTile<mn_extent, k_extent, smem_major>;
  Tile& smem = *reinterpret_cast<Tile*>(arch::dynamic_smem());
  const int thread = static_cast<int>(threadIdx.x);
  tile::TileLoader<along, Tile, Threads, Width, Guarded> loader(source, thread, padding);
  for (int t = 0; t < k_tiles; ++t) {
    if constexpr (Copies && arch::has_async_copy) {
      __syncthreads();
      loader.gmem_to_smem(smem);
      loader.next();
      arch::wait_for_copies();
    } else {
      if (padded || t > 0) {
        loader.gmem_to_reg();
      } else {
        loader.gmem_to_reg_behind_padding();
      }
      loader.next();
      __syncthreads();
      loader.reg_to_smem(smem);
    }
    __syncthreads();
    for (int i = thread; i < mn_extent * k_extent; i += Threads) {
      out[t * mn_extent * k_extent + i] = smem.data[Tile::index(i / k_extent, i % k_extent)];
    }
  }
}

// An operand of mn x k elements in gmem that ends with its last element.
struct Operand {
  int mn, k;
  index_t ld;
};

constexpr float value_at(int mn, int k) { return static_cast<float>(1 + mn * 1000 + k); }

// One kernel, and what it is made for.
struct Loading {
  void (*kernel)(tile::GmemTile, float, bool, int, float*);
  Major along;
  int threads;
  std::size_t smem_bytes;
  const char* what;
};

// No template: with one for each kernel g++ takes 35 s for this file, not 12.
void expect_loaded(const Loading& loading, Operand operand, float padding, bool padded) {
  const Major along = loading.along;
  const int lines = along == Major::k ? operand.mn : operand.k;
  const int length = along == Major::k ? operand.k : operand.mn;
  std::vector<float> gmem(static_cast<std::size_t>((lines - 1) * operand.ld + length), 0.5f);
  for (int mn = 0; mn < operand.mn; ++mn) {
    for (int k = 0; k < operand.k; ++k) {
      const index_t at = along == Major::k ? mn * operand.ld + k : k * operand.ld + mn;
      gmem.at(static_cast<std::size_t>(at)) = value_at(mn, k);
    }
  }
  const DeviceBuffer<float> source(gmem);
  const int k_tiles = (operand.k + k_extent - 1) / k_extent;
  DeviceBuffer<float> out(static_cast<std::size_t>(k_tiles * mn_extent * k_extent));
  run_kernel(loading.kernel, 1, loading.threads, loading.smem_bytes,
             tile::GmemTile{source.data(), operand.ld, operand.mn, operand.k}, padding, padded,
             k_tiles, out.data());

  // The first k-tile begins with so much padding that the last one ends with the operand. Beyond
  // its mn stands anything, and in the padding too where nobody reads it.
  const int k_padding = k_tiles * k_extent - operand.k;
  const std::vector<float> got = out.to_host();
  for (int t = 0; t < k_tiles; ++t) {
    for (int mn = 0; mn < operand.mn; ++mn) {
      for (int i = 0; i < k_extent; ++i) {
        const int k = t * k_extent + i - k_padding;
        if (k < 0 && !padded) continue;
        const float expected = k >= 0 ? value_at(mn, k) : padding;
        const float loaded = got.at(static_cast<std::size_t>((t * mn_extent + mn) * k_extent + i));
        ASSERT_EQ(std::bit_cast<std::uint32_t>(loaded), std::bit_cast<std::uint32_t>(expected))
            << "mn " << mn << ", k " << k << ": got " << loaded << " of " << operand.mn << " x "
            << operand.k << ", ld " << operand.ld << ", " << loading.threads << " threads, "
            << loading.what;
      }
    }
  }
}

template <Major along, Major smem_major, int Threads, int Width, bool Guarded, bool Copies>
void expect_loaded(Operand operand, float padding) {
  const Loading loading{&load_kernel<along, smem_major, Threads, Width, Guarded, Copies>, along,
                        Threads, sizeof(tile::SmemTile<mn_extent, k_extent, smem_major>),
                        Copies       ? "copies"
                        : Width == 1 ? "width 1"
                        : Width == 2 ? "width 2"
                                     : "width 4"};
  expect_loaded(loading, operand, padding, true);
  if (Guarded && !Copies) expect_loaded(loading, operand, padding, false);
}

// 12 and 24 threads take a line in rounds; 32 and 48 take several lines at once, whole or, where
// they do not divide the threads, in parts; 96 and 160 leave some idle where there are fewer
// accesses.
template <Major along, Major smem_major, int Width, bool Guarded, bool Copies = false>
void expect_loaded_by_any_block(Operand operand, float padding = 0.0f) {
  expect_loaded<along, smem_major, 12, Width, Guarded, Copies>(operand, padding);
  expect_loaded<along, smem_major, 24, Width, Guarded, Copies>(operand, padding);
  expect_loaded<along, smem_major, 32, Width, Guarded, Copies>(operand, padding);
  expect_loaded<along, smem_major, 48, Width, Guarded, Copies>(operand, padding);
  expect_loaded<along, smem_major, 96, Width, Guarded, Copies>(operand, padding);
  expect_loaded<along, smem_major, 160, Width, Guarded, Copies>(operand, padding);
  if constexpr (Width == 1 && !Copies) {
    expect_loaded_by_any_block<along, smem_major, 1, Guarded, true>(operand, padding);
  }
}

template <int Width, bool Guarded>
void expect_loaded_in_any_orientation(int mn, int k, int ld_extra, float padding = 0.0f) {
  const Operand k_major{mn, k, k + ld_extra}, mn_major{mn, k, mn + ld_extra};
  expect_loaded_by_any_block<Major::k, Major::k, Width, Guarded>(k_major, padding);
  expect_loaded_by_any_block<Major::k, Major::mn, Width, Guarded>(k_major, padding);
  expect_loaded_by_any_block<Major::mn, Major::k, Width, Guarded>(mn_major, padding);
  expect_loaded_by_any_block<Major::mn, Major::mn, Width, Guarded>(mn_major, padding);
}

TEST(TileLoader, ExactTiles) {
  expect_loaded_in_any_orientation<1, false>(mn_extent, 3 * k_extent, 0);
  expect_loaded_in_any_orientation<2, false>(mn_extent, 3 * k_extent, 0);
  expect_loaded_in_any_orientation<4, false>(mn_extent, 3 * k_extent, 0);
}

TEST(TileLoader, LdBeyondTheExtent) {
  expect_loaded_in_any_orientation<1, false>(mn_extent, 2 * k_extent, 3);
  expect_loaded_in_any_orientation<2, false>(mn_extent, 2 * k_extent, 2);
  expect_loaded_in_any_orientation<4, false>(mn_extent, 2 * k_extent, 4);
}

TEST(TileLoader, GuardedTilesThatAreFull) {
  expect_loaded_in_any_orientation<1, true>(mn_extent, 2 * k_extent, 0);
  expect_loaded_in_any_orientation<4, true>(mn_extent, 2 * k_extent, 4);
}

TEST(TileLoader, ResidueOfMn) {
  for (int mn = 1; mn < mn_extent; ++mn) {
    expect_loaded_in_any_orientation<1, true>(mn, 2 * k_extent, 1);
    // Vector accesses need lines of whole accesses.
    expect_loaded_by_any_block<Major::k, Major::mn, 4, true>({mn, 2 * k_extent, 20});
    if (mn % 2 == 0) {
      expect_loaded_by_any_block<Major::mn, Major::mn, 2, true>({mn, 2 * k_extent, 24});
    }
    if (mn % 4 == 0) {
      expect_loaded_by_any_block<Major::mn, Major::k, 4, true>({mn, 2 * k_extent, 28});
    }
  }
}

TEST(TileLoader, ResidueOfK) {
  for (int k = 1; k <= 2 * k_extent; ++k) {
    expect_loaded_in_any_orientation<1, true>(mn_extent, k, 1);
    expect_loaded_by_any_block<Major::mn, Major::mn, 4, true>({mn_extent, k, 24});
    if (k % 2 == 0) {
      expect_loaded_by_any_block<Major::k, Major::mn, 2, true>({mn_extent, k, 18});
    }
    if (k % 4 == 0) {
      expect_loaded_by_any_block<Major::k, Major::k, 4, true>({mn_extent, k, 20});
    }
  }
}

// Beyond the ends A reads +0 and B -0, so that their product leaves an accumulator of -0 alone.
TEST(TileLoader, PaddingKeepsItsSign) {
  for (const float padding : {0.0f, -0.0f}) {
    expect_loaded_in_any_orientation<1, true>(5, 3, 0, padding);
    expect_loaded_by_any_block<Major::k, Major::k, 4, true>({5, 4, 4}, padding);
    expect_loaded_by_any_block<Major::mn, Major::mn, 4, true>({4, 3, 8}, padding);
  }
}

}  // namespace
}  // namespace tessera
