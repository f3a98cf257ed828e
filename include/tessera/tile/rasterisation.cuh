// Rasterisation: block number -> block tile, so that blocks which run together share operands in
// L2.
#pragma once

#include "../arch/compiler.cuh"

namespace tessera::tile {

struct TileCoord {
  int m, n;
};

// Groups of 8 m-tiles, walked along n; inside a group m runs fastest. A wave of 264 blocks then
// covers about 8 x 33 tiles rather than a strip one tile high.
__device__ __forceinline__ TileCoord rasterise(int block, int m_tiles, int n_tiles) {
  constexpr int group_limit = 8;
  const int full = m_tiles < group_limit ? m_tiles : group_limit;  // full * n_tiles cannot overflow
  const int first_m = block / (full * n_tiles) * full;
  const int in_group = block - first_m * n_tiles;
  const int height = m_tiles - first_m < full ? m_tiles - first_m : full;
  return {first_m + in_group % height, in_group / height};
}

}  // namespace tessera::tile
