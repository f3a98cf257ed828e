// The policies: each one value (a TileConfig) and one mainloop. The first six are a ladder, every
// rung the one before with one change.
#pragma once

#include "host/chips/h200.hpp"
#include "host/cost_model.hpp"
#include "host/gemm_shape.hpp"
#include "host/streamed_slices.hpp"
#include "mainloop/direct.cuh"
#include "mainloop/double_buffered.cuh"
#include "mainloop/pipelined.cuh"
#include "mainloop/single_stage.cuh"
#include "mainloop/streamed.cuh"
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

// Idea    Warps of their own bring the tiles, so that those which multiply do nothing else.
// Change  Four producer warps, a thread tile of 16 x 8 (block tile 128 x 256), cp.async; on sm_90,
//         where A and B are contiguous along m and n and accesses wide, tensor copies. Where the
//         last wave of 132 blocks is not full, its tiles are cut along K: see kernel/tail.hpp.
// Cost    One block of 384 threads per SM. Built for sm_90a, producers leave their registers to the
//         others; built for sm_90 or sm_80 all have 168, and tiles stay whole. sm_75 has no
//         cp.async: double_buffered. A tail takes a workspace of 128 KB for each tile that is cut
//         (at most 264), allocated and freed on the stream, whatever the chip.
// Watch   smsp__inst_executed per FMA; smsp__average_warps_issue_stalled_barrier is zero.
struct pipelined {
  static constexpr const char* name = "pipelined";
  static constexpr TileConfig config =
      with(double_buffered::config, Threads{8, 32}, Lanes{4, 8, true}, ThreadTile{16, 8}, Stages{3},
           Producers{4}, MinBlocks{1}, EvenTail{132});
  template <class Variant>
  using mainloop = tessera::mainloop::pipelined<Variant>;
};

// Idea    Where C has fewer tiles than the chip has SMs, several blocks share one: slices of K.
// Change  K in up to 512 slices, on tiles of 64 x 64. Up to 8 are added by a cluster, through
//         distributed smem; more, and all on chips without clusters, in a workspace.
// Cost    The sum of an element is that of its slices, in their order. The workspace holds m x n
//         floats a slice, is allocated and freed on the stream, and a second kernel reads it.
// Watch   sm__warps_active: SMs that had no block have one.
struct split_k {
  static constexpr const char* name = "split_k";
  static constexpr TileConfig config = with(double_buffered::config, Threads{8, 16}, Lanes{4, 8},
                                            ThreadTile{8, 4}, MinBlocks{4}, Slices{512});
  template <class Variant>
  using mainloop = tessera::mainloop::double_buffered<Variant>;

  // One block for each SM of an H200, but two k-tiles for each slice.
  static constexpr int slices(const GemmShape& shape) {
    constexpr index_t sm_count = 132;
    const index_t tiles =
        detail::ceil_div(shape.m, config.block_m()) * detail::ceil_div(shape.n, config.block_n());
    const index_t of_k = shape.k / 2 / config.block_k();
    const index_t of_chip = sm_count / tiles;
    return static_cast<int>(of_chip < of_k ? of_chip : of_k);
  }
};

// The tiles of `skinny`: streams one operand, where C has at most `narrow` elements along the other
// mode (wider C: as many tiles as it takes).
template <Streamed operand, int narrow>
struct skinny_tile {
  static_assert(operand != Streamed::none && (narrow == 1 || narrow == 8),
                "skinny_tile streams A or B past 1 or 8 elements");
  static constexpr const char* name = "skinny";
  static constexpr bool b = operand == Streamed::b;
  static constexpr int threads = narrow == 1 ? 64 : 128;
  static constexpr TileConfig config = with(
      double_buffered::config, b ? Threads{1, threads} : Threads{threads, 1},
      b ? Lanes{1, 32} : Lanes{32, 1}, b ? ThreadTile{narrow, 1} : ThreadTile{1, narrow}, KTile{32},
      Stages{3}, MinBlocks{3}, Slices{1024}, operand, BlockSlices{narrow == 1 ? 16 : 4});
  template <class Variant>
  using mainloop = tessera::mainloop::streamed<Variant>;

  // `along`: the contiguous mode of the streamed operand in gmem.
  static constexpr StreamCut cut(const GemmShape& shape, Major along) {
    return detail::streamed_cut(config, shape, along);
  }
  static constexpr int slices(const GemmShape& shape) {  // in all, for the cost model
    const StreamCut of_k = cut(shape, Major::k);
    return of_k.slices * of_k.block_slices;
  }
};

// Idea    Where m or n is at most 8, the other operand's bytes are all that counts: read it once,
//         at memory speed.
// Change  Many k-tiles in flight, left in smem as they lie in gmem; K in slices that fill the chip.
// Cost    The sum of an element is that of its slices, and their workspace: see split_k.
// Watch   dram__throughput.
struct skinny {
  static constexpr const char* name = "skinny";

  template <class Function>
  static constexpr auto select(const GemmShape& shape, Function&& f) {
    if (shape.m <= shape.n) {
      if (shape.m <= 1) return f(skinny_tile<Streamed::b, 1>{});
      return f(skinny_tile<Streamed::b, 8>{});
    }
    if (shape.n <= 1) return f(skinny_tile<Streamed::a, 1>{});
    return f(skinny_tile<Streamed::a, 8>{});
  }
};

// The tiles of `narrow`, named by their block tile. Guards cost them nothing.
template <Threads threads, Lanes lanes, ThreadTile thread_tile, MinBlocks blocks>
struct narrow_tile {
  static constexpr const char* name = "narrow";
  static constexpr TileConfig config = with(double_buffered::config, threads, lanes, thread_tile,
                                            blocks, Slices{512}, ExactVariant{false});
  template <class Variant>
  using mainloop = tessera::mainloop::double_buffered<Variant>;

  // Its constants in a Chip.
  static constexpr const TileCost& cost(const Chip& chip) {
    constexpr int narrow =
        config.block_m() < config.block_n() ? config.block_m() : config.block_n();
    return chip.narrow[narrow / 16 - 1];
  }
  static constexpr int slices(const GemmShape& shape) {
    return detail::best_slices(chips::h200, cost(chips::h200), config, shape);
  }
};
struct narrow_16x128 : narrow_tile<Threads{2, 32}, Lanes{2, 16}, ThreadTile{8, 4}, MinBlocks{8}> {};
struct narrow_128x16 : narrow_tile<Threads{16, 4}, Lanes{8, 4}, ThreadTile{8, 4}, MinBlocks{8}> {};
struct narrow_32x64 : narrow_tile<Threads{4, 16}, Lanes{4, 8}, ThreadTile{8, 4}, MinBlocks{8}> {};
struct narrow_64x32 : narrow_tile<Threads{8, 8}, Lanes{4, 8}, ThreadTile{8, 4}, MinBlocks{8}> {};
struct narrow_48x96 : narrow_tile<Threads{4, 24}, Lanes{4, 8}, ThreadTile{12, 4}, MinBlocks{4}> {};
struct narrow_96x48 : narrow_tile<Threads{8, 12}, Lanes{8, 4}, ThreadTile{12, 4}, MinBlocks{4}> {};

// Idea    Where C is 9 to 48 wide in one mode, most of a square tile is beyond it.
// Change  As split_k, on tiles as narrow as C, of two or three warps: where some blocks of an SM
//         wait at their barrier, others multiply.
// Cost    That of split_k, and each k-tile of the longer operand serves few columns of the other.
// Watch   smsp__inst_executed_pipe_fma falls to what C needs; smsp__warps_active rises.
struct narrow {
  static constexpr const char* name = "narrow";

  template <class Function>
  static constexpr auto select(const GemmShape& shape, Function&& f) {
    if (shape.m <= shape.n) {
      if (shape.m <= 16) return f(narrow_16x128{});
      if (shape.m <= 32) return f(narrow_32x64{});
      return f(narrow_48x96{});
    }
    if (shape.n <= 16) return f(narrow_128x16{});
    if (shape.n <= 32) return f(narrow_64x32{});
    return f(narrow_96x48{});
  }
};

// Idea    As split_k, where tiles twice as large are not too few: a thread tile of 8 x 8 reads a
//         third less smem for each FMA.
// Change  The thread tile (block tile 64 x 128). k-tiles of 8 leave it the registers: four blocks
//         on an SM, as before.
// Cost    That of split_k, and a barrier each 8 k.
// Watch   sm__warps_active, and against split_k smsp__inst_executed per FMA.
struct split_k_wide {
  static constexpr const char* name = "split_k_wide";
  static constexpr TileConfig config =
      with(split_k::config, Lanes{2, 16}, ThreadTile{8, 8}, KTile{8});
  template <class Variant>
  using mainloop = tessera::mainloop::double_buffered<Variant>;

  static constexpr int slices(const GemmShape& shape) {
    return detail::best_slices(chips::h200, chips::h200.split_k_wide, config, shape);
  }
};

// Idea    As split_k_wide, where C is too narrow for it or the last tiles along n nearly empty.
// Change  The block tile: 128 x 64.
// Cost    That of split_k_wide.
// Watch   As split_k_wide.
struct split_k_tall {
  static constexpr const char* name = "split_k_tall";
  static constexpr TileConfig config = with(split_k_wide::config, Threads{16, 8}, Lanes{4, 8});
  template <class Variant>
  using mainloop = tessera::mainloop::double_buffered<Variant>;

  static constexpr int slices(const GemmShape& shape) {
    return detail::best_slices(chips::h200, chips::h200.split_k_tall, config, shape);
  }
};

// The tiles of `split_k_pipelined`, named by their block tile.
template <Threads threads>
struct split_k_pipelined_tile {
  static constexpr const char* name = "split_k_pipelined";
  static constexpr TileConfig config = with(pipelined::config, threads, EvenTail{0}, Slices{512});
  template <class Variant>
  using mainloop = tessera::mainloop::pipelined<Variant>;

  static constexpr int slices(const GemmShape& shape) {
    return detail::best_slices(chips::h200, chips::h200.split_k_pipelined, config, shape);
  }
};
struct split_k_pipelined_128x256 : split_k_pipelined_tile<Threads{8, 32}> {};
struct split_k_pipelined_256x128 : split_k_pipelined_tile<Threads{16, 16}> {};

// Idea    As split_k, on the widest thread tile: for a C whose tiles do not fill the chip, and K
//         long enough that each slice has 16 k-tiles or more.
// Change  pipelined's threads and tiles (256 x 128 where C is no wider); slices instead of a tail.
// Cost    Slices go through a workspace, also where a cluster could hold them. No tensor copies. A
//         block begins and ends alone on its SM.
// Watch   As pipelined.
struct split_k_pipelined {
  static constexpr const char* name = "split_k_pipelined";

  template <class Function>
  static constexpr auto select(const GemmShape& shape, Function&& f) {
    if (shape.n <= 128) return f(split_k_pipelined_256x128{});
    return f(split_k_pipelined_128x256{});
  }
};

}  // namespace tessera::policy
