// The pieces of a cut tail: which k-tiles of which tile a turn gets, and which part of K they are.
#include <gtest/gtest.h>

#include <cstddef>
#include <tessera/kernel/tail.cuh>
#include <vector>

#include "cuda_resources.hpp"

namespace tessera {
namespace {

using kernel::Piece;
using kernel::Slice;

struct Turn {
  Piece piece;
  Slice slice;
};

__global__ void pieces_kernel(Turn* out, int first, int turns, Tail tail, int tiles, int k,
                              int k_tiles, int block_k) {
  for (int i = 0; i < turns; ++i) {
    out[i].piece = kernel::piece_of(first + i, tail, tiles, k_tiles);
    out[i].slice = kernel::slice_of(out[i].piece, k, k_tiles, block_k);
  }
}

// Of the turns [first, first + turns).
std::vector<Turn> turns_of(int first, int turns, const Tail& tail, int tiles, int k, int block_k) {
  const int k_tiles = static_cast<int>((index_t{k} + block_k - 1) / block_k);
  const support::DeviceBuffer<Turn> out(static_cast<std::size_t>(turns));
  support::run_kernel(&pieces_kernel, 1, 1, 0, out.data(), first, turns, tail, tiles, k, k_tiles,
                      block_k);
  return out.to_host();
}

// Over all turns: every tile's k-tiles once, ascending, so that the piece before has a lower turn;
// and the same of k, of which the first k-tile has the residue.
void expect_all_of_k(const Tail& tail, int tiles, int k, int block_k) {
  const int turns = tiles + tail.tiles * tail.rounds;
  const int k_tiles = (k + block_k - 1) / block_k;
  std::vector<int> next(static_cast<std::size_t>(tiles));
  std::vector<index_t> next_k(next.size());
  int turn = 0;
  for (const auto& [piece, slice] : turns_of(0, turns, tail, tiles, k, block_k)) {
    ASSERT_TRUE(piece.tile >= 0 && piece.tile < tiles) << "turn " << turn;
    const auto tile = static_cast<std::size_t>(piece.tile);
    ASSERT_EQ(piece.first, next[tile]) << "turn " << turn << ", tile " << tile;
    ASSERT_GT(piece.last, piece.first);
    next[tile] = piece.last;

    ASSERT_EQ(slice.tile, piece.tile);
    ASSERT_EQ(slice.k, next_k[tile]) << "turn " << turn << ", tile " << tile;
    ASSERT_EQ(slice.k_tiles, piece.last - piece.first);
    const int residue = k - (k_tiles - 1) * block_k;
    ASSERT_EQ(slice.k_left, (slice.k_tiles - 1) * block_k + (piece.first == 0 ? residue : block_k));
    next_k[tile] += slice.k_left;

    // Whole tiles are those before the tail, all in turns between its first and its short pieces.
    const bool whole = piece.first == 0 && piece.last == k_tiles;
    ASSERT_EQ(whole, turn >= tail.tiles && turn < tiles);
    ASSERT_EQ(whole, piece.tile < tiles - tail.tiles);
    ++turn;
  }
  for (std::size_t tile = 0; tile < next.size(); ++tile) {
    EXPECT_EQ(next[tile], k_tiles) << "tile " << tile;
    EXPECT_EQ(next_k[tile], k) << "tile " << tile;
  }
}

TEST(PieceOf, CoversEveryTileInAscendingTurns) {
  for (const int block_k : {1, 8, 16}) {
    for (const int residue : {1, block_k / 2, block_k}) {
      if (residue == 0) continue;
      const int k = 99 * block_k + residue;
      for (const Tail tail : {Tail{1, 1, 1}, {1, 1, 99}, {2, 2, 12}, {3, 8, 12}, {5, 3, 33}}) {
        for (const int tiles : {tail.tiles, tail.tiles + 1, 3 * tail.tiles, 40}) {
          expect_all_of_k(tail, tiles, k, block_k);
        }
      }
    }
  }
}

// A short piece is of the round of its turn, tile after tile.
TEST(PieceOf, ByHand) {
  // 5 tiles of 72 k-tiles on 3 blocks.
  const auto turns = turns_of(0, 9, {2, 2, 12}, 5, 571, 8);
  const Piece expected[] = {{3, 0, 48},  {4, 0, 48},  {0, 0, 72},  {1, 0, 72}, {2, 0, 72},
                            {3, 48, 60}, {4, 48, 60}, {3, 60, 72}, {4, 60, 72}};
  for (std::size_t i = 0; i < turns.size(); ++i) {
    EXPECT_EQ(turns[i].piece.tile, expected[i].tile) << i;
    EXPECT_EQ(turns[i].piece.first, expected[i].first) << i;
    EXPECT_EQ(turns[i].piece.last, expected[i].last) << i;
  }
  // The first k-tile has 3 of 8.
  EXPECT_EQ(turns[0].slice.k, 0);
  EXPECT_EQ(turns[0].slice.k_left, 48 * 8 - 5);
  EXPECT_EQ(turns[5].slice.k, 48 * 8 - 5);
  EXPECT_EQ(turns[5].slice.k_left, 12 * 8);
  EXPECT_EQ(turns[8].slice.k + turns[8].slice.k_left, 571);
}

TEST(PieceOf, LargestExtentsDoNotOverflow) {
  const int most = 2147483647;
  // All turns of a grid of 2^31 - 1 blocks: the last 264 * 8 are short pieces.
  const Tail tail{264, 8, 1000};
  const int tiles = most - 264 * 8, k_tiles = (1 << 27);
  const auto last = turns_of(most - 1, 1, tail, tiles, most, 16);
  EXPECT_EQ(last[0].piece.tile, tiles - 1);
  EXPECT_EQ(last[0].piece.first, k_tiles - 1000);
  EXPECT_EQ(last[0].piece.last, k_tiles);
  EXPECT_EQ(last[0].slice.k, index_t{most} - 16 * 1000);
  EXPECT_EQ(last[0].slice.k_left, 16 * 1000);
  const auto before = turns_of(tiles - 1, 2, tail, tiles, most, 16);
  EXPECT_EQ(before[0].piece.tile, tiles - 264 - 1);
  EXPECT_EQ(before[0].slice.k_left, most);
  EXPECT_EQ(before[1].piece.tile, tiles - 264);
  EXPECT_EQ(before[1].piece.first, k_tiles - 8 * 1000);
}

}  // namespace
}  // namespace tessera
