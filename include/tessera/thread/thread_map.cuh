// Which elements of the block tile a CUDA thread owns.
#pragma once

#include "../arch/compiler.cuh"
#include "../tile/tile_config.hpp"

namespace tessera::thread {

// Along each mode the thread tile is cut into chunks: chunk c of the thread at position p covers
// chunk elements from (c * threads + p) * chunk on. Threads that are neighbours along a mode thus
// read neighbouring chunks of smem and write neighbouring chunks of C: no bank conflicts, whole
// 32-byte sectors.
template <class Policy>
struct ThreadMap {
  static constexpr TileConfig config = Policy::config;
  // k-major fragments are read along k, one row at a time, so their rows need not be neighbours.
  static constexpr int chunk_m = config.a_smem.major == Major::k ? 1 : config.vec_width.floats;
  static constexpr int chunk_n = config.vec_width.floats;
  static constexpr int lanes_m = config.lanes_m(), lanes_n = config.lanes_n();
  static constexpr int warps_n = config.threads.n / lanes_n;

  int m;  // position among config.threads.m
  int n;  // position among config.threads.n

  __device__ explicit ThreadMap(int thread) {
    const int warp = thread / 32, lane = thread % 32;
    constexpr bool m_first = config.lanes.m_first;
    m = warp / warps_n * lanes_m + (m_first ? lane % lanes_m : lane / lanes_n);
    n = warp % warps_n * lanes_n + (m_first ? lane / lanes_m : lane % lanes_n);
  }

  // Row and column inside the block tile of element i, j of the thread tile.
  __device__ __forceinline__ int row(int i) const {
    return (i / chunk_m * config.threads.m + m) * chunk_m + i % chunk_m;
  }
  __device__ __forceinline__ int col(int j) const {
    return (j / chunk_n * config.threads.n + n) * chunk_n + j % chunk_n;
  }
};

}  // namespace tessera::thread
