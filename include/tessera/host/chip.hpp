// Chip: what the cost model (host/cost_model.hpp) knows of one GPU. Times are microseconds.
#pragma once

#include "../arch/cluster_limit.hpp"

namespace tessera {

// A policy, with MinBlocks of its blocks on an SM at once.
struct TileCost {
  static constexpr int most_blocks = 8;  // on an SM

  double launch = 0.0;  // a launch whose blocks do nothing
  // Of a block while it shares its SM with none, one, two, ... others: all that it does once
  // (prologue, epilogue), and one k-tile.
  double block[most_blocks] = {};
  double k_tile[most_blocks] = {};
  // A k-tile at least, of operands that come from memory.
  double far_k_tile = 0.0;
  // Where some tile is ragged: more for each k-tile, and where lines of C are no whole cache lines,
  // an epilogue longer by so many k-tiles, but none in clusters. Where accesses are scalar: the
  // same, whatever the lines, and in clusters a number of its own.
  double guarded_k_tile = 0.0, guarded_k_tiles = 0.0;
  double scalar_k_tile = 0.0, scalar_k_tiles = 0.0, scalar_cluster_k_tiles = 0.0;
  // A byte that blocks store at the end, of C or of slices for a workspace.
  double store_byte = 0.0;
  // The sum of the slices of K: by a cluster, each wave; in a workspace, its allocation and the
  // second kernel, more for each byte that this reads, and for each time that its threads wait for
  // loads.
  double cluster = 0.0;
  double workspace = 0.0, workspace_byte = 0.0, workspace_wait = 0.0;
};

struct Chip {
  const char* name = "";
  int sm_count = 0;
  // SMs that blocks in clusters of so many can use at once (0: all). A cluster lies within one GPC,
  // and GPCs have few SMs more than whole clusters.
  int cluster_sm_count[arch::max_cluster + 1] = {};
  double byte = 0.0;  // read from or written to memory
  // Of operands that the L2 still holds at the next launch: up to so many bytes all, from so many
  // on nothing. What several blocks read fills it sooner, as if half of it were held twice (once
  // for the SMs at each half of the L2): its bytes count `copies` times. By hand, from the k-tiles
  // of blocks alone on an SM: an H200's 50 MB hold 39 MB that are read once and not 48, and 24 MB
  // that several read and not 32.
  double cached_bytes = 3.8e7, missed_bytes = 5.6e7, copies = 1.6;
  TileCost pipelined{}, split_k_wide{}, split_k_tall{}, split_k{}, split_k_pipelined{};
  TileCost skinny{};
  TileCost narrow[3] = {};  // its tiles for C up to 16, 32, 48 wide
};

}  // namespace tessera
