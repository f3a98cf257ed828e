// SmemTile and load_fragment: every element lands where it should, whichever mode is contiguous in
// shared memory, for every access width. One block.
#include <gtest/gtest.h>

#include <tessera/arch/shared_memory.cuh>
#include <tessera/tile/smem_tile.cuh>
#include <vector>

#include "cuda_resources.hpp"

namespace tessera {
namespace {

using support::DeviceBuffer;
using support::run_kernel;

constexpr int mn_extent = 12, k_extent = 8;
constexpr float untouched = -1.0f;

__host__ __device__ constexpr float value_at(int mn, int k) {
  return static_cast<float>(mn * 100 + k);
}

// Thread t writes the t-th access of `Width` floats along `along`; then the tile goes to gmem raw.
template <Major major, Major along, int Width>
__global__ void store_kernel(float* out) {
  using Tile = tile::SmemTile<mn_extent, k_extent, major>;
  Tile& tile = *reinterpret_cast<Tile*>(arch::dynamic_smem());
  const int thread = static_cast<int>(threadIdx.x), threads = static_cast<int>(blockDim.x);
  for (int i = thread; i < Tile::floats; i += threads) tile.data[i] = untouched;
  __syncthreads();

  constexpr int length = along == Major::mn ? mn_extent : k_extent;
  constexpr int per_line = length / Width;
  constexpr int accesses = mn_extent * k_extent / Width;
  if (thread < accesses) {
    const int line = thread / per_line, place = thread % per_line * Width;
    const int mn = along == Major::mn ? place : line, k = along == Major::mn ? line : place;
    float reg[Width];
    for (int v = 0; v < Width; ++v) {
      reg[v] = value_at(along == Major::mn ? mn + v : mn, along == Major::mn ? k : k + v);
    }
    tile.template store<along>(mn, k, reg);
  }
  __syncthreads();
  for (int i = thread; i < Tile::floats; i += threads) out[i] = tile.data[i];
}

template <Major major, Major along, int Width>
void expect_stored() {
  using Tile = tile::SmemTile<mn_extent, k_extent, major>;
  DeviceBuffer<float> out(Tile::floats);
  run_kernel(&store_kernel<major, along, Width>, 1, 96, sizeof(Tile), out.data());

  // Lines along the contiguous mode, 4 floats of padding after each: spelled out here rather than
  // asked of Tile::index.
  std::vector<float> expected(Tile::floats, untouched);
  for (int mn = 0; mn < mn_extent; ++mn) {
    for (int k = 0; k < k_extent; ++k) {
      const int at = major == Major::k ? mn * (k_extent + 4) + k : k * (mn_extent + 4) + mn;
      expected.at(static_cast<std::size_t>(at)) = value_at(mn, k);
    }
  }
  EXPECT_EQ(out.to_host(), expected);
}

template <Major major>
void expect_stored_all() {
  expect_stored<major, Major::k, 1>();
  expect_stored<major, Major::k, 2>();
  expect_stored<major, Major::k, 4>();
  expect_stored<major, Major::mn, 1>();
  expect_stored<major, Major::mn, 2>();
  expect_stored<major, Major::mn, 4>();
}

TEST(SmemTile, KMajorHoldsEveryElement) { expect_stored_all<Major::k>(); }
TEST(SmemTile, MnMajorHoldsEveryElement) { expect_stored_all<Major::mn>(); }

// Two threads; thread p owns chunks p, p + 2, ... of Chunk elements along mn: four of them.
template <Major major, int Chunk, int Steps>
__global__ void fragment_kernel(float* out) {
  using Tile = tile::SmemTile<8 * Chunk, k_extent, major>;
  Tile& tile = *reinterpret_cast<Tile*>(arch::dynamic_smem());
  const int thread = static_cast<int>(threadIdx.x);
  for (int i = thread; i < 8 * Chunk * k_extent; i += 2) {
    const int mn = i / k_extent, k = i % k_extent;
    tile.data[Tile::index(mn, k)] = value_at(mn, k);
  }
  __syncthreads();
  constexpr int extent = 4 * Chunk;
  const auto position = [&](int i) { return (i / Chunk * 2 + thread) * Chunk + i % Chunk; };
  for (int k = 0; k < k_extent; k += Steps) {
    float frag[Steps][extent];
    tile::load_fragment<Chunk>(frag, tile, k, position);
    for (int s = 0; s < Steps; ++s) {
      for (int i = 0; i < extent; ++i) out[(thread * k_extent + k + s) * extent + i] = frag[s][i];
    }
  }
}

template <Major major, int Chunk, int Steps>
void expect_fragments() {
  constexpr int extent = 4 * Chunk;
  DeviceBuffer<float> out(2 * k_extent * extent);
  run_kernel(&fragment_kernel<major, Chunk, Steps>, 1, 2,
             sizeof(tile::SmemTile<8 * Chunk, k_extent, major>), out.data());
  std::vector<float> expected;
  for (int thread = 0; thread < 2; ++thread) {
    for (int k = 0; k < k_extent; ++k) {
      for (int chunk = 0; chunk < 4; ++chunk) {
        for (int v = 0; v < Chunk; ++v) {
          expected.push_back(value_at((chunk * 2 + thread) * Chunk + v, k));
        }
      }
    }
  }
  EXPECT_EQ(out.to_host(), expected);
}

TEST(LoadFragment, FromMnMajorTilesInChunks) {
  expect_fragments<Major::mn, 1, 1>();
  expect_fragments<Major::mn, 2, 1>();
  expect_fragments<Major::mn, 4, 1>();
  expect_fragments<Major::mn, 4, 2>();
}

TEST(LoadFragment, FromKMajorTilesInSteps) {
  expect_fragments<Major::k, 1, 1>();
  expect_fragments<Major::k, 1, 2>();
  expect_fragments<Major::k, 1, 4>();
}

}  // namespace
}  // namespace tessera
