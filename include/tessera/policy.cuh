// The policies: each one value (a TileConfig) and one mainloop. The first six are a ladder, every
// rung the one before with one change.
#pragma once

#include "host/plan.hpp"
#include "mainloop/direct.cuh"
#include "mainloop/double_buffered.cuh"
#include "mainloop/single_stage.cuh"
#include "tile/tile_config.hpp"

namespace tessera::policy {

// Idea    One thread computes one element of C, straight from gmem.
// Change  -
// Cost    Two loads per FMA; each element of A and B is fetched by every thread that needs it.
// Watch   l1tex__t_requests: the load pipe is full while the FMA pipe waits.
struct naive {
  static constexpr const char* name = "naive";
  static constexpr TileConfig config{.stages = {0}};
  template <class Variant>
  using mainloop = tessera::mainloop::direct<Variant>;
};

// Idea    A block fetches each element of its tiles once and shares it through smem.
// Change  The mainloop stages tiles of A and B.
// Cost    Two barriers per k-tile; still two (smem) loads per FMA.
// Watch   lts__t_bytes falls by the block tile's width.
struct smem_tile {
  static constexpr const char* name = "smem_tile";
  static constexpr TileConfig config = with(naive::config, Stages{1});
  template <class Variant>
  using mainloop = tessera::mainloop::single_stage<Variant>;
};

// Idea    A thread owns a column of outputs, so one element of B serves eight FMAs from a register.
// Change  ThreadTile.
// Cost    Eight accumulators; fewer, larger blocks.
// Watch   smem loads per FMA fall from 2 to 1.1.
struct register_tile_1d {
  static constexpr const char* name = "register_tile_1d";
  static constexpr TileConfig config = with(smem_tile::config, ThreadTile{8, 1});
  template <class Variant>
  using mainloop = tessera::mainloop::single_stage<Variant>;
};

// Idea    A thread owns a rectangle: an outer product of two fragments, 64 FMAs for 16 loads.
// Change  ThreadTile.
// Cost    64 accumulators: 128 registers a thread, two blocks an SM.
// Watch   smsp__inst_executed_pipe_fma share of issue slots.
struct register_tile_2d {
  static constexpr const char* name = "register_tile_2d";
  static constexpr TileConfig config = with(register_tile_1d::config, ThreadTile{8, 8});
  template <class Variant>
  using mainloop = tessera::mainloop::single_stage<Variant>;
};

// Idea    One instruction moves 16 bytes, so the same bytes take a quarter of the issue slots.
// Change  VecWidth.
// Cost    Only for operands whose pointer and ld are multiples of 16 bytes.
// Watch   LDS.128, LDG.128 and STG.128 in the SASS; issue slots left for FFMA.
struct vectorized {
  static constexpr const char* name = "vectorized";
  static constexpr TileConfig config = with(register_tile_2d::config, VecWidth{4});
  template <class Variant>
  using mainloop = tessera::mainloop::single_stage<Variant>;
};

// Idea    Nobody waits: the next k-tile travels while this one multiplies.
// Change  The mainloop; A lies m-major in smem, so that a fragment is two 16-byte loads.
// Cost    Twice the smem, and registers for a tile in flight.
// Watch   stalls on long_scoreboard and barrier vanish.
struct double_buffered {
  static constexpr const char* name = "double_buffered";
  static constexpr TileConfig config = with(vectorized::config, ASmem{Major::mn}, Stages{2});
  template <class Variant>
  using mainloop = tessera::mainloop::double_buffered<Variant>;
};

// Chooses among true-FP32 policies by shape: a pure function, no device is asked.
struct automatic {
  static constexpr const char* name = "automatic";
  // Calls f with the chosen policy.
  template <class F>
  static constexpr auto select(const GemmShape& shape, F&& f) {
    // 128x128 block tiles starve the chip when C has few of them: 16x16 ones then win.
    if (shape.m * shape.n >= 64 * 1024) return f(double_buffered{});
    return f(smem_tile{});
  }
};

}  // namespace tessera::policy
