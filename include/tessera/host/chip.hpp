// Chip: what the cost model (host/cost_model.hpp) knows of one GPU. Times are microseconds.
#pragma once

#include "../arch/cluster_limit.hpp"

namespace tessera {

// A policy, with MinBlocks of its blocks on an SM at once.
struct TileCost {
  static constexpr int most_blocks = 4;  // on an SM

  double launch = 0.0;  // a launch whose blocks do nothing
  // Of a block while it shares its SM with none, one, two, three others: all that it does once
  // (prologue, epilogue), and one k-tile.
  double block[most_blocks] = {};
  double k_tile[most_blocks] = {};
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
  TileCost pipelined{}, split_k_wide{}, split_k_tall{}, split_k{};
  TileCost skinny[2] = {};  // C up to 8, 16 elements wide
};

}  // namespace tessera
