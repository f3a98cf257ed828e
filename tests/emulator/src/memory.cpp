// Host emulator: device and pinned memory, copies and fills.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <mutex>
#include <unordered_map>

#include "cuda_runtime_api.h"
#include "emulator/control.h"
#include "runtime_state.hpp"

namespace emulator {
namespace {

constexpr std::size_t kAlignment = 256;
// Larger allocations are pages that cost memory only when touched: a test of large strides touches
// a few cells of many GiB. They read as zero, not as NaN.
constexpr std::size_t kSparse = std::size_t{64} << 20;

enum class Kind { device, host };

struct Allocation {
  std::size_t bytes;
  Kind kind;
};

// Kept to tell a pointer of ours from others.
class AllocationTable {
 public:
  static AllocationTable& instance() {
    static AllocationTable table;
    return table;
  }

  cudaError_t allocate(void** pointer, std::size_t bytes, Kind kind) {
    if (pointer == nullptr) return cudaErrorInvalidValue;
    *pointer = nullptr;
    if (bytes == 0) return cudaSuccess;
    if (bytes > options.largest_allocation) return cudaErrorMemoryAllocation;
    void* memory = nullptr;
    if (bytes > kSparse) {
      memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
      if (memory == MAP_FAILED) return cudaErrorMemoryAllocation;
    } else {
      if (posix_memalign(&memory, kAlignment, bytes) != 0) return cudaErrorMemoryAllocation;
      std::memset(memory, 0xff, bytes);
    }
    const std::lock_guard lock(mutex_);
    allocations_[memory] = {bytes, kind};
    *pointer = memory;
    return cudaSuccess;
  }

  cudaError_t free(void* pointer, Kind kind) {
    if (pointer == nullptr) return cudaSuccess;
    std::size_t bytes = 0;
    {
      const std::lock_guard lock(mutex_);
      const auto found = allocations_.find(pointer);
      if (found == allocations_.end() || found->second.kind != kind) return cudaErrorInvalidValue;
      bytes = found->second.bytes;
      allocations_.erase(found);
    }
    if (bytes > kSparse) {
      munmap(pointer, bytes);
    } else {
      std::free(pointer);
    }
    return cudaSuccess;
  }

  std::size_t size() {
    const std::lock_guard lock(mutex_);
    return allocations_.size();
  }

 private:
  std::mutex mutex_;
  std::unordered_map<void*, Allocation> allocations_;
};

cudaError_t allocate(void** pointer, std::size_t bytes, Kind kind) {
  return record(AllocationTable::instance().allocate(pointer, bytes, kind));
}

cudaError_t free(void* pointer, Kind kind) {
  return record(AllocationTable::instance().free(pointer, kind));
}

bool is_kind(cudaMemcpyKind kind) {
  return kind >= cudaMemcpyHostToHost && kind <= cudaMemcpyDefault;
}

cudaError_t copy(void* dst, const void* src, std::size_t bytes, cudaMemcpyKind kind,
                 cudaStream_t stream) {
  if (!is_kind(kind)) return record(cudaErrorInvalidMemcpyDirection);
  if (!is_stream(stream)) return record(cudaErrorInvalidResourceHandle);
  if (bytes == 0) return cudaSuccess;
  if (dst == nullptr || src == nullptr) return record(cudaErrorInvalidValue);
  std::memmove(dst, src, bytes);
  return cudaSuccess;
}

cudaError_t copy_2d(void* dst, std::size_t dst_pitch, const void* src, std::size_t src_pitch,
                    std::size_t width, std::size_t height, cudaMemcpyKind kind,
                    cudaStream_t stream) {
  if (!is_kind(kind)) return record(cudaErrorInvalidMemcpyDirection);
  if (!is_stream(stream)) return record(cudaErrorInvalidResourceHandle);
  if (width > dst_pitch || width > src_pitch) return record(cudaErrorInvalidPitchValue);
  if (width == 0 || height == 0) return cudaSuccess;
  if (dst == nullptr || src == nullptr) return record(cudaErrorInvalidValue);
  for (std::size_t row = 0; row < height; ++row) {
    std::memmove(static_cast<char*>(dst) + row * dst_pitch,
                 static_cast<const char*>(src) + row * src_pitch, width);
  }
  return cudaSuccess;
}

cudaError_t fill_2d(void* dst, std::size_t pitch, int value, std::size_t width, std::size_t height,
                    cudaStream_t stream) {
  if (!is_stream(stream)) return record(cudaErrorInvalidResourceHandle);
  if (width == 0 || height == 0) return cudaSuccess;
  if (dst == nullptr || (height > 1 && width > pitch)) return record(cudaErrorInvalidValue);
  for (std::size_t row = 0; row < height; ++row) {
    std::memset(static_cast<char*>(dst) + row * pitch, value, width);
  }
  return cudaSuccess;
}

}  // namespace

std::size_t live_allocations() { return AllocationTable::instance().size(); }

}  // namespace emulator

using emulator::record;

cudaError_t cudaMalloc(void** pointer, std::size_t bytes) {
  return emulator::allocate(pointer, bytes, emulator::Kind::device);
}

cudaError_t cudaMallocAsync(void** pointer, std::size_t bytes, cudaStream_t stream) {
  if (!emulator::is_stream(stream)) return record(cudaErrorInvalidResourceHandle);
  return cudaMalloc(pointer, bytes);
}

cudaError_t cudaMallocManaged(void** pointer, std::size_t bytes, unsigned int) {
  return cudaMalloc(pointer, bytes);
}

cudaError_t cudaMallocPitch(void** pointer, std::size_t* pitch, std::size_t width,
                            std::size_t height) {
  if (pitch == nullptr) return record(cudaErrorInvalidValue);
  *pitch = (width + 511) / 512 * 512;
  return cudaMalloc(pointer, *pitch * height);
}

cudaError_t cudaMallocHost(void** pointer, std::size_t bytes) {
  return emulator::allocate(pointer, bytes, emulator::Kind::host);
}

cudaError_t cudaHostAlloc(void** pointer, std::size_t bytes, unsigned int) {
  return cudaMallocHost(pointer, bytes);
}

cudaError_t cudaFree(void* pointer) { return emulator::free(pointer, emulator::Kind::device); }

cudaError_t cudaFreeAsync(void* pointer, cudaStream_t stream) {
  if (!emulator::is_stream(stream)) return record(cudaErrorInvalidResourceHandle);
  return cudaFree(pointer);
}

cudaError_t cudaFreeHost(void* pointer) { return emulator::free(pointer, emulator::Kind::host); }

cudaError_t cudaMemGetInfo(std::size_t* free_bytes, std::size_t* total_bytes) {
  if (free_bytes == nullptr || total_bytes == nullptr) return record(cudaErrorInvalidValue);
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  *free_bytes = static_cast<std::size_t>(sysconf(_SC_AVPHYS_PAGES)) * page;
  *total_bytes = static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) * page;
  return cudaSuccess;
}

cudaError_t cudaMemcpy(void* dst, const void* src, std::size_t bytes, cudaMemcpyKind kind) {
  return emulator::copy(dst, src, bytes, kind, nullptr);
}

cudaError_t cudaMemcpyAsync(void* dst, const void* src, std::size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream) {
  return emulator::copy(dst, src, bytes, kind, stream);
}

cudaError_t cudaMemcpy2D(void* dst, std::size_t dst_pitch, const void* src, std::size_t src_pitch,
                         std::size_t width, std::size_t height, cudaMemcpyKind kind) {
  return emulator::copy_2d(dst, dst_pitch, src, src_pitch, width, height, kind, nullptr);
}

cudaError_t cudaMemcpy2DAsync(void* dst, std::size_t dst_pitch, const void* src,
                              std::size_t src_pitch, std::size_t width, std::size_t height,
                              cudaMemcpyKind kind, cudaStream_t stream) {
  return emulator::copy_2d(dst, dst_pitch, src, src_pitch, width, height, kind, stream);
}

cudaError_t cudaMemset(void* dst, int value, std::size_t bytes) {
  return emulator::fill_2d(dst, bytes, value, bytes, 1, nullptr);
}

cudaError_t cudaMemsetAsync(void* dst, int value, std::size_t bytes, cudaStream_t stream) {
  return emulator::fill_2d(dst, bytes, value, bytes, 1, stream);
}

cudaError_t cudaMemset2D(void* dst, std::size_t pitch, int value, std::size_t width,
                         std::size_t height) {
  return emulator::fill_2d(dst, pitch, value, width, height, nullptr);
}

cudaError_t cudaMemset2DAsync(void* dst, std::size_t pitch, int value, std::size_t width,
                              std::size_t height, cudaStream_t stream) {
  return emulator::fill_2d(dst, pitch, value, width, height, stream);
}
