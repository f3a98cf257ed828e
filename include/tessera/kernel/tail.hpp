// The tail: the last tiles of a product, cut along K into pieces that different blocks multiply one
// after another, so that SMs end together though their number does not divide that of the tiles. A
// piece goes on with the accumulators that the one before left in gmem: an element is the same fma
// chain as without.
#pragma once

#include "../arch/visibility.hpp"

namespace tessera {

// How it is cut. The order in which blocks take turns: the first piece of each tail tile; the whole
// tiles; then rounds of one short piece of each tail tile. A piece never waits for a later turn.
struct Tail {
  int tiles = 0;    // 0: none, every block multiplies a whole tile
  int rounds = 0;   // pieces of a tail tile beside its first
  int k_tiles = 0;  // of each of them
};

}  // namespace tessera
