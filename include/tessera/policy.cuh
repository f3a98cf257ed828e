// The policies: each one value (a TileConfig) and one mainloop. The first six are a ladder, every
// rung the one before with one change.
#pragma once

#include "host/gemm_shape.hpp"
#include "mainloop/direct.cuh"
#include "mainloop/double_buffered.cuh"
#include "mainloop/single_stage.cuh"
#include "tile/tile_config.hpp"

namespace tessera::policy {

// Idea    One thread computes one element of C, straight from gmem.
// Change  -
// Cost    Two loads per FMA; each element of A and B is fetched by every thread that needs it.
// Watch   l1tex__throughput: the load pipe is full while the FMA pipe waits.
struct naive {
  static constexpr const char* name = "naive";
  static constexpr TileConfig config{.threads = {32, 32}, .thread_tile = {1, 1}, .k_tile = {1}};
  template <class Variant>
  using mainloop = tessera::mainloop::direct<Variant>;
};

// Idea    A block fetches each element of its tiles once and shares it through smem.
// Change  k-tiles of 32 are staged.
// Cost    Two barriers per k-tile; still two loads per FMA, now from smem.
// Watch   l1tex__t_requests_pipe_lsu_mem_global_op_ld falls to a thirty-second.
struct smem_tile {
  static constexpr const char* name = "smem_tile";
  static constexpr TileConfig config = with(naive::config, KTile{32}, Stages{1});
  template <class Variant>
  using mainloop = tessera::mainloop::single_stage<Variant>;
};

// Idea    A thread owns a column of outputs: an element of B in a register serves eight FMAs.
// Change  The thread tile (a quarter of the threads make a 64 x 32 block tile).
// Cost    Eight accumulators a thread.
// Watch   smsp__inst_executed_op_shared_ld per FMA falls from 2 to 1.1.
struct register_tile_1d {
  static constexpr const char* name = "register_tile_1d";
  static constexpr TileConfig config = with(smem_tile::config, Threads{8, 32}, ThreadTile{8, 1});
  template <class Variant>
  using mainloop = tessera::mainloop::single_stage<Variant>;
};

// Idea    A thread owns a rectangle: an outer product of two fragments, 64 FMAs for 16 loads.
// Change  The thread tile (256 threads make a 128 x 128 block tile).
// Cost    64 accumulators: 128 registers a thread, two blocks an SM.
// Watch   sm__inst_executed_pipe_fma: the FMA pipe is busy for the first time.
struct register_tile_2d {
  static constexpr const char* name = "register_tile_2d";
  static constexpr TileConfig config =
      with(register_tile_1d::config, Threads{16, 16}, ThreadTile{8, 8}, KTile{16});
  template <class Variant>
  using mainloop = tessera::mainloop::single_stage<Variant>;
};

// Idea    One instruction moves 16 bytes, so the same bytes take a quarter of the issue slots.
// Change  The vector width.
// Cost    Only for operands whose pointer and ld are multiples of 16 bytes; wider fragments.
// Watch   smsp__inst_executed per FMA; LDG.128, LDS.128 and STG.128 in the SASS.
struct vectorized {
  static constexpr const char* name = "vectorized";
  static constexpr TileConfig config = with(register_tile_2d::config, VecWidth{4});
  template <class Variant>
  using mainloop = tessera::mainloop::single_stage<Variant>;
};

// Idea    Nobody waits: the next k-tile travels while this one multiplies.
// Change  Two stages, and A m-major in smem, so that one k-step's fragment is two 16-byte loads.
// Cost    Twice the smem, and registers for the tile in flight.
// Watch   smsp__average_warps_issue_stalled_long_scoreboard and _barrier vanish.
struct double_buffered {
  static constexpr const char* name = "double_buffered";
  static constexpr TileConfig config = with(vectorized::config, Stages{2}, ASmem{Major::mn});
  template <class Variant>
  using mainloop = tessera::mainloop::double_buffered<Variant>;
};

// Chooses among true-FP32 policies by shape: a pure function, no device is asked.
struct automatic {
  static constexpr const char* name = "automatic";

  // Calls f with the policy whose waves of blocks take less time.
  template <class Function>
  static constexpr auto select(const GemmShape& shape, Function&& f) {
    // Microseconds that one wave, a block on every SM, takes for k = 1024: measured on an H200 at
    // 512^3 (bench/results/nvidia-h200.json).
    constexpr double wide_wave = 94.0, narrow_wave = 38.0;
    const double wide = wide_wave * waves(shape, double_buffered::config);
    const double narrow = narrow_wave * waves(shape, register_tile_1d::config);
    return wide <= narrow ? f(double_buffered{}) : f(register_tile_1d{});
  }

 private:
  // Blocks per SM of an H200, in whole waves. Another chip's count would move the switch between
  // the two, not the results.
  static constexpr double waves(const GemmShape& shape, const TileConfig& config) {
    constexpr index_t sm_count = 132;
    const index_t tiles =
        detail::ceil_div(shape.m, config.block_m()) * detail::ceil_div(shape.n, config.block_n());
    return static_cast<double>(detail::ceil_div(tiles, sm_count));
  }
};

}  // namespace tessera::policy
