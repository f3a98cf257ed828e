// Which piece of which tile a block multiplies where the tail is cut (see tail.hpp), and how one
// block hands its accumulators to the next.
#pragma once

#include "../arch/progress.cuh"
#include "../arch/vector_access.cuh"
#include "../arch/visibility.hpp"
#include "../epilogue/linear_combination.cuh"
#include "slice.cuh"
#include "tail.hpp"

namespace tessera {
namespace TESSERA_HIDDEN kernel {

// Whether a block may go on with the accumulators of another: on some chips, with some mainloops.
template <class Mainloop>
inline constexpr bool can_resume = false;
template <class Mainloop>
requires requires { Mainloop::resumes; }
inline constexpr bool can_resume<Mainloop> = Mainloop::resumes;

// k-tiles [first, last) of a tile.
struct Piece {
  int tile;
  int first, last;
};

// The piece of a turn, of tiles + tail.tiles * tail.rounds turns.
__device__ __forceinline__ Piece piece_of(int turn, const Tail& tail, int tiles, int k_tiles) {
  const int whole = tiles - tail.tiles, cut = k_tiles - tail.rounds * tail.k_tiles;
  if (turn < tail.tiles) return {whole + turn, 0, cut};
  turn -= tail.tiles;
  if (turn < whole) return {turn, 0, k_tiles};
  turn -= whole;
  const int round = turn / tail.tiles, first = cut + round * tail.k_tiles;
  return {whole + turn - round * tail.tiles, first, first + tail.k_tiles};
}

// The part of K that a piece covers. Counted from the end: the first k-tile is the ragged one.
__device__ __forceinline__ Slice slice_of(const Piece& piece, int k, int k_tiles, int block_k) {
  const auto edge = [&](int k_tile) {
    return k_tile == 0 ? 0 : k - index_t{k_tiles - k_tile} * block_k;
  };
  const index_t begin = edge(piece.first), end = edge(piece.last);
  return {piece.tile, 0, begin, static_cast<int>(end - begin), piece.last - piece.first};
}

// In gmem, for the blocks of one launch.
struct TailMemory {
  float* accumulators;  // block_m x block_n for each tail tile
  int* turns;           // taken so far; 0 before the launch
  int* k_tiles_done;    // of each tail tile, by each warp; 0 before the launch
};

// What a piece of a tail tile leaves to the next one.
template <class V>
struct TailTile {
  TailMemory memory;
  int number;

  __device__ __forceinline__ epilogue::OutputTile accumulators() const {
    constexpr index_t size = index_t{V::block_m} * V::block_n;
    return {memory.accumulators + number * size, V::block_n, V::block_m, V::block_n};
  }
  // By the calling warp.
  __device__ __forceinline__ int* k_tiles_done() const {
    const int warp = number * (V::threads / 32) + static_cast<int>(threadIdx.x) / 32;
    return memory.k_tiles_done + warp;
  }
};

// Blocks take turns in the order in which they start, which need not be that of their numbers: so
// no piece waits for one that has not begun.
__device__ __forceinline__ void take_turn(int& turn, const TailMemory& memory) {
  if (threadIdx.x == 0) turn = atomicAdd(memory.turns, 1);
  __syncthreads();
}

// acc = what the pieces before left, once they have multiplied so many k-tiles. A warp takes what
// the same warp of another block has written, and waits for it alone. Float by float: in pairs or
// quads, accumulators get neighbouring registers, and half of them the bank of their operand (47
// TFLOPS instead of 57).
template <class V>
__device__ __forceinline__ void resume(typename V::Accumulator& acc, const typename V::Map& map,
                                       const TailTile<V>& tile, int k_tiles) {
  arch::wait_until(tile.k_tiles_done(), k_tiles);
  const float* from = tile.accumulators().data;
#pragma unroll
  for (int i = 0; i < V::thread_m; ++i) {
#pragma unroll
    for (int j = 0; j < V::thread_n; ++j) {
      arch::mem_to_reg<1>(&acc[i][j], from + (map.row(i) * V::block_n + map.col(j)));
    }
  }
}

}  // namespace kernel
}  // namespace tessera
