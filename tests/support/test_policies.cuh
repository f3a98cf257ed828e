// Policies that a user could write, chosen to be unlike the ladder's: their own types, odd shapes.
#pragma once

#include <tessera/gemm.cuh>

namespace tessera::support {

// 2-float accesses, 64 x 96 x 12: the accesses of a k-tile do not divide by the threads.
struct pairs {
  static constexpr const char* name = "pairs";
  static constexpr TileConfig config =
      with(policy::vectorized::config, Threads{8, 16}, ThreadTile{8, 6}, KTile{12}, VecWidth{2});
  template <class Variant>
  using mainloop = tessera::mainloop::single_stage<Variant>;
};

// 96 threads (3 warps along n), 64 x 96 x 4, A m-major under single_stage.
struct three_warps {
  static constexpr const char* name = "three_warps";
  static constexpr TileConfig config = with(policy::vectorized::config, Threads{4, 24}, Lanes{4, 8},
                                            ThreadTile{16, 4}, KTile{4}, ASmem{Major::mn});
  template <class Variant>
  using mainloop = tessera::mainloop::single_stage<Variant>;
};

// Scalar and double-buffered, one warp along n only, 32 x 32 x 2; inherits the mainloop.
struct scalar_buffered : policy::double_buffered {
  static constexpr const char* name = "scalar_buffered";
  static constexpr TileConfig config = with(policy::double_buffered::config, Threads{8, 32},
                                            Lanes{1, 32}, ThreadTile{4, 1}, KTile{2}, VecWidth{1});
};

// More than 48 KB of smem, which the launch must ask for.
struct large_smem : policy::double_buffered {
  static constexpr const char* name = "large_smem";
  static constexpr TileConfig config =
      with(policy::double_buffered::config, KTile{32}, MinBlocks{1});
};

// naive with a thread tile: the direct mainloop is not limited to 1 x 1.
struct direct_rectangle : policy::naive {
  static constexpr const char* name = "direct_rectangle";
  static constexpr TileConfig config = with(policy::naive::config, ThreadTile{3, 2});
};

}  // namespace tessera::support
