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

// Producers unlike those of the library's policy: one warp for two that multiply, two stages,
// scalar copies that take several rounds; 32 x 64 x 8. A tail wherever there are four tiles and
// k is 96.
struct small_pipelined : policy::pipelined {
  static constexpr const char* name = "small_pipelined";
  static constexpr TileConfig config =
      with(policy::pipelined::config, Threads{8, 8}, Lanes{4, 8, true}, ThreadTile{4, 8}, KTile{8},
           Stages{2}, Producers{1}, MinBlocks{2}, EvenTail{3});
};

// Its tiles with K in slices, few enough for a cluster, which nevertheless go through a workspace;
// one where k is short.
struct pipelined_slices : policy::pipelined {
  static constexpr const char* name = "pipelined_slices";
  static constexpr TileConfig config = with(small_pipelined::config, EvenTail{0}, Slices{5});
  static constexpr int slices(const GemmShape&) { return 5; }
};

// K in 2 to 8 slices of different lengths, which the shape decides, on 32 x 32 x 8: clusters where
// there are some. Pairs: an odd number of accesses for the blocks of a cluster to share.
struct cluster_slices : policy::double_buffered {
  static constexpr const char* name = "cluster_slices";
  static constexpr TileConfig config =
      with(policy::double_buffered::config, Threads{8, 8}, Lanes{4, 8}, ThreadTile{6, 4}, KTile{8},
           VecWidth{2}, Slices{8});
  static constexpr int slices(const GemmShape& shape) {
    return 2 + static_cast<int>((shape.m + shape.n + shape.k) % 7);
  }
};

// As many slices as allowed, more than a cluster has blocks wherever K is long: a workspace. The
// mainloop is another.
struct workspace_slices : policy::vectorized {
  static constexpr const char* name = "workspace_slices";
  static constexpr TileConfig config = with(policy::vectorized::config, Threads{8, 8}, Lanes{4, 8},
                                            ThreadTile{4, 4}, KTile{4}, Slices{13});
  static constexpr int slices(const GemmShape&) { return 99; }
};

// The mainloop that counts k-steps, not k-tiles; fewer accesses of a thread tile than slices.
struct direct_slices : policy::naive {
  static constexpr const char* name = "direct_slices";
  static constexpr TileConfig config =
      with(policy::naive::config, Threads{8, 16}, ThreadTile{1, 2}, Slices{3});
  static constexpr int slices(const GemmShape&) { return 3; }
};

// Up to 8 rows and columns beyond whole tiles of 32 x 32 are products of their own, whatever that
// costs; a single one only beyond two tiles, so that one ragged tile remains possible.
struct small_rim {
  static constexpr const char* name = "small_rim";
  using rim_policy = policy::skinny;

  template <class Function>
  static constexpr auto select(const GemmShape& shape, Function&& f) {
    const auto beyond = [](index_t extent) {
      const index_t rest = extent % 32;
      return rest <= 8 && extent > (rest > 1 ? 32 : 64) ? rest : 0;
    };
    return f(scalar_buffered{}, Choice{.rim = {beyond(shape.m), beyond(shape.n)}});
  }
};

}  // namespace tessera::support
