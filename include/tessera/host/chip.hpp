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
  // A k-tile at least, where memory's latency shows: operands that the L2 does not hold.
  double far_k_tile = 0.0;
  // Where some tile is ragged, and where accesses are scalar: a factor on k_tile, and how many
  // k-tiles the prologue and the epilogue cost more.
  double guarded = 1.0, guarded_k_tiles = 0.0;
  double scalar = 1.0, scalar_k_tiles = 0.0;
  // The sum of the slices of K: by a cluster, each wave, and more for each slice; in a workspace
  // (its allocation and the second kernel), and more for each byte of it.
  double cluster = 0.0, cluster_slice = 0.0;
  double workspace = 0.0, workspace_byte = 0.0;
};

struct Chip {
  const char* name = "";
  int sm_count = 0;
  // SMs that blocks in clusters of so many can use at once (0: all). A cluster lies within one GPC,
  // and GPCs have few SMs more than whole clusters.
  int cluster_sm_count[arch::max_cluster + 1] = {};
  double byte = 0.0;  // read from or written to memory
  // Of operands that the L2 still holds at the next launch. By hand: of an H200's 50 MB it holds 39
  // MB of operands and not 48.
  double cached_bytes = 4.4e7;
  TileCost pipelined{}, split_k_wide{}, split_k_tall{}, split_k{};
  TileCost skinny{};
  TileCost narrow[3] = {};  // its tiles for C up to 16, 32, 48 wide
};

}  // namespace tessera
