// GmemBox: one operand of one block tile in gmem, as tensor copies see it.
#pragma once

#include "../arch/tensor_copy.cuh"

namespace tessera::tile {

// The operand is contiguous along mn; its map is of boxes of one k-tile.
struct GmemBox {
  const arch::TensorMap* map;
  int mn, k;  // where the block's first k-tile begins. k < 0: before the operand there are zeros
};

}  // namespace tessera::tile
