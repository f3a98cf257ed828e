// How to cut the tail (kernel/tail.hpp), by the numbers of tiles and k-tiles alone.
#pragma once

#include "../arch/visibility.hpp"
#include "../kernel/tail.hpp"
#include "gemm_shape.hpp"

namespace tessera {
namespace TESSERA_HIDDEN detail {

// The tail of tiles x k_tiles where `blocks` run at once. The tiles of the last wave and, if there
// are others before it, of a whole wave more are cut, so that a block that ends early finds short
// pieces to take: as many as fill the wave, and to make up for the SMs' different speeds (5 % on an
// H200). Within one wave nothing is cut: the pieces of a tile cannot run at once.
constexpr Tail even_tail(index_t tiles, index_t k_tiles, index_t blocks) {
  constexpr index_t most_rounds = 8;
  const index_t piece_k_tiles = tiles > 2 * blocks ? 40 : 16;  // 100 or 40 us; a piece costs 7
  constexpr index_t least_gain = 6;                            // k-tiles
  if (tiles <= blocks) return {};
  const index_t waves = (tiles - 1) / blocks, rest = tiles - waves * blocks;
  const index_t empty = k_tiles * (blocks - rest) / blocks;  // of the last wave, per block
  index_t cut = 0, short_k_tiles = 0;  // tiles; k-tiles of one for short pieces
  if (waves == 1) {
    // Their short pieces follow one another, on the blocks that have no first piece.
    cut = rest;
    short_k_tiles = 2 * rest > blocks ? empty : k_tiles / 2;
  } else {
    // Blocks with waves + 1 of the tiles have two first pieces and those with one less have one.
    cut = rest + blocks;
    const index_t by_speed = k_tiles * tiles / blocks / 100;
    short_k_tiles = (empty + (by_speed < k_tiles / 2 ? by_speed : k_tiles / 2)) / 2;
  }
  if (short_k_tiles < least_gain) return {};
  index_t rounds = (short_k_tiles + piece_k_tiles / 2) / piece_k_tiles;
  if (rounds < 1 || (waves == 1 && 2 * rest <= blocks)) rounds = 1;
  if (rounds > most_rounds) rounds = most_rounds;
  return {static_cast<int>(cut), static_cast<int>(rounds),
          static_cast<int>(short_k_tiles / rounds)};
}

// Whole tiles that a block multiplies one after another, as long as all together take with that
// tail. A piece costs as much as 3 k-tiles; blocks end within a short piece of each other.
constexpr double waves_with_tail(const Tail& tail, index_t tiles, index_t k_tiles, int blocks) {
  const double shorts = static_cast<double>(tail.tiles) * tail.rounds;
  const double mean =
      (static_cast<double>(tiles) * static_cast<double>(k_tiles) + 3.0 * shorts) / blocks;
  // The pieces of a tile follow one another, beside one whole tile at least. That is all where half
  // of the blocks or fewer have a first piece: the short ones find others idle.
  const double chain = static_cast<double>(k_tiles) + (tail.k_tiles + 3.0) * tail.rounds;
  const double even = 2 * tail.tiles <= blocks ? 0.0 : mean + 0.6 * tail.k_tiles;
  return (even > chain ? even : chain) / static_cast<double>(k_tiles);
}

// Workspace of a tail, in bytes: accumulators, turns, progress.
constexpr index_t tail_bytes(const Tail& tail, int block_m, int block_n, int warps) {
  if (tail.tiles == 0) return 0;
  return static_cast<index_t>(sizeof(float)) *
         (index_t{tail.tiles} * (index_t{block_m} * block_n + warps) + 1);
}

}  // namespace detail
}  // namespace tessera
