// Host emulator: tensor maps, and the copies of boxes that they describe.
#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <string>

#include "block_scheduler.hpp"
#include "cuda.h"
#include "sanitizer.hpp"

namespace emulator {
namespace {

constexpr std::uint64_t kIsMap = 0x7e55e7a;
constexpr std::uint64_t kLargestBox = 256, kStrideUnit = 16, kSmemUnit = 128;
constexpr int kFirstUnit = 4;  // elements

// What an encoded map holds. Extents, and sides of a box, are elements; the stride is bytes.
struct Map {
  std::uint64_t is_map;
  const float* gmem;
  std::uint64_t extents[2];
  std::uint64_t stride;
  std::uint64_t box[2];
};
static_assert(sizeof(Map) <= sizeof(CUtensorMap));

bool is_multiple(const void* address, std::uint64_t unit) {
  return reinterpret_cast<std::uintptr_t>(address) % unit == 0;
}

}  // namespace

void BlockScheduler::Box::run() const {
  for (unsigned int line = 0; line < lines; ++line) {
    const std::int64_t at = first_line + line;
    const bool inside = at >= 0 && at < line_limit;
    const auto place = [&](std::int64_t element) {
      return std::clamp<std::int64_t>(element - first, 0, width);
    };
    const std::int64_t begin = inside ? place(0) : width, end = inside ? place(limit) : width;
    float* const to = smem + std::int64_t{line} * width;
    std::memset(to, 0, static_cast<std::size_t>(begin) * sizeof(float));
    if (begin < end) {
      const auto* from =
          reinterpret_cast<const float*>(reinterpret_cast<const char*>(gmem) + at * stride);
      std::memcpy(to + begin, from + first + begin,
                  static_cast<std::size_t>(end - begin) * sizeof(float));
    }
    std::memset(to + end, 0, static_cast<std::size_t>(width - end) * sizeof(float));
  }
}

void BlockScheduler::copy_box(void* smem, const void* encoded, int first, int first_line,
                              void* address) {
  expect_waited_for_launches("copied a box");
  Map map;
  std::memcpy(&map, encoded, sizeof map);
  if (map.is_map != kIsMap) stop(cudaErrorIllegalInstruction, "a tensor map was not encoded");
  if (!is_multiple(smem, kSmemUnit)) {
    stop(cudaErrorMisalignedAddress, "a box's shared memory is not a multiple of 128");
  }
  if (first % kFirstUnit != 0) {
    stop(cudaErrorMisalignedAddress, "a box does not begin at a multiple of 16 bytes of its line");
  }
  const std::uint64_t bytes = map.box[0] * map.box[1] * sizeof(float);
  const auto offset =
      reinterpret_cast<std::uintptr_t>(smem) - reinterpret_cast<std::uintptr_t>(shared());
  if (offset > grid_->shared_bytes || grid_->shared_bytes - offset < bytes) {
    stop(cudaErrorIllegalAddress, "a box lies outside the block's dynamic shared memory");
  }
  SharedBarrier& barrier = open_barrier(address);
  const Box box{static_cast<float*>(smem),
                map.gmem,
                static_cast<std::int64_t>(map.box[0]),
                static_cast<unsigned int>(map.box[1]),
                first,
                first_line,
                static_cast<std::int64_t>(map.extents[0]),
                static_cast<std::int64_t>(map.extents[1]),
                static_cast<std::int64_t>(map.stride)};
  barrier.bytes_left -= static_cast<std::int64_t>(bytes);
  if (grid_->options.copy_at_issue) {
    box.run();
  } else {
    if (barrier.boxes == kMostBoxes) {
      stop(cudaErrorNotSupported, "more boxes for one phase of a barrier than the emulator holds");
    }
    // The hardware may write at any time from here on.
    sanitizer::note_write(smem, bytes);
    barrier.box[barrier.boxes++] = box;
  }
  try_complete(barrier);
}

}  // namespace emulator

CUresult cuTensorMapEncodeTiled(CUtensorMap* map, CUtensorMapDataType type, cuuint32_t dimensions,
                                void* gmem, const cuuint64_t* extents, const cuuint64_t* strides,
                                const cuuint32_t* box, const cuuint32_t* steps,
                                CUtensorMapInterleave, CUtensorMapSwizzle, CUtensorMapL2promotion,
                                CUtensorMapFloatOOBfill) {
  using emulator::is_multiple;
  using emulator::kLargestBox;
  constexpr std::uint64_t largest_extent = std::uint64_t{1} << 32;
  constexpr std::uint64_t largest_stride = std::uint64_t{1} << 40;
  bool valid = is_multiple(map, alignof(CUtensorMap)) && type == CU_TENSOR_MAP_DATA_TYPE_FLOAT32 &&
               dimensions == 2 && gmem != nullptr && is_multiple(gmem, emulator::kStrideUnit) &&
               strides[0] % emulator::kStrideUnit == 0 && strides[0] < largest_stride &&
               box[0] * sizeof(float) % emulator::kStrideUnit == 0;
  for (int i = 0; i < 2; ++i) {
    valid = valid && extents[i] > 0 && extents[i] <= largest_extent && box[i] > 0 &&
            box[i] <= kLargestBox && steps[i] == 1;
  }
  if (!valid) return CUDA_ERROR_INVALID_VALUE;
  const emulator::Map encoded{emulator::kIsMap,
                              static_cast<const float*>(gmem),
                              {extents[0], extents[1]},
                              strides[0],
                              {box[0], box[1]}};
  std::memcpy(map, &encoded, sizeof encoded);
  return CUDA_SUCCESS;
}
