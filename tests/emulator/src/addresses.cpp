// Host emulator: addresses that device code hands over, checked: of cp.async, and of the shared
// memory of another block.
#include <cstdint>

#include "block_scheduler.hpp"

namespace emulator {

void BlockScheduler::cp_async(void* smem, const void* gmem, int bytes, int src_bytes) {
  expect_waited_for_launches("copied");
  if ((bytes != 4 && bytes != 8 && bytes != 16) || src_bytes < 0 || src_bytes > bytes) {
    stop(cudaErrorIllegalInstruction, "cp.async of an impossible size");
  }
  const auto misaligned = [bytes](const void* address) {
    return reinterpret_cast<std::uintptr_t>(address) % static_cast<unsigned int>(bytes) != 0;
  };
  if (misaligned(smem) || misaligned(gmem)) {
    stop(cudaErrorMisalignedAddress, "cp.async with a misaligned address");
  }
  const CopyQueue::Copy copy{smem, gmem, static_cast<std::size_t>(bytes),
                             static_cast<std::size_t>(src_bytes)};
  if (grid_->options.copy_at_issue) {
    copy.run();
  } else {
    copies().add(copy);
  }
}

const void* BlockScheduler::cluster_shared(const void* address, unsigned int rank,
                                           std::size_t bytes) {
  const auto offset =
      reinterpret_cast<std::uintptr_t>(address) - reinterpret_cast<std::uintptr_t>(shared());
  if (offset > grid_->shared_bytes || grid_->shared_bytes - offset < bytes) {
    stop(cudaErrorIllegalAddress,
         "an address to map lies outside the block's dynamic shared memory");
  }
  if (rank >= blocks_.size()) {
    stop(cudaErrorIllegalAddress, "an address to map is of a block that the cluster lacks");
  }
  return blocks_[rank].shared.get() + offset;
}

}  // namespace emulator
