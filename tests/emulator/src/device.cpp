// Host emulator: the one device, its properties, and the attributes of kernels.
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <mutex>
#include <unordered_map>

#include "cuda.h"
#include "cuda_runtime_api.h"
#include "emulator/control.h"
#include "limits.hpp"
#include "runtime_state.hpp"

namespace emulator {
namespace {

class FunctionTable {
 public:
  static FunctionTable& instance() {
    static FunctionTable table;
    return table;
  }

  void set_max_dynamic_shared(const void* kernel, std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    max_dynamic_shared_[kernel] = bytes;
  }

  std::size_t max_dynamic_shared(const void* kernel) {
    const std::lock_guard lock(mutex_);
    const auto found = max_dynamic_shared_.find(kernel);
    // Without the attribute the limit is 48 KiB; the attribute can only raise it.
    if (found == max_dynamic_shared_.end()) return limits::kSharedPerBlock;
    return found->second > limits::kSharedPerBlock ? found->second : limits::kSharedPerBlock;
  }

 private:
  std::mutex mutex_;
  std::unordered_map<const void*, std::size_t> max_dynamic_shared_;
};

// -1 for an attribute that the emulator does not know.
int device_attribute(cudaDeviceAttr attribute) {
  switch (attribute) {
    case cudaDevAttrMaxThreadsPerBlock:
      return static_cast<int>(limits::kBlockThreads);
    case cudaDevAttrMaxBlockDimX:
      return static_cast<int>(limits::kBlockX);
    case cudaDevAttrMaxBlockDimY:
      return static_cast<int>(limits::kBlockY);
    case cudaDevAttrMaxBlockDimZ:
      return static_cast<int>(limits::kBlockZ);
    case cudaDevAttrMaxGridDimX:
      return static_cast<int>(limits::kGridX);
    case cudaDevAttrMaxGridDimY:
      return static_cast<int>(limits::kGridY);
    case cudaDevAttrMaxGridDimZ:
      return static_cast<int>(limits::kGridZ);
    case cudaDevAttrMaxSharedMemoryPerBlock:
      return static_cast<int>(limits::kSharedPerBlock);
    case cudaDevAttrMaxSharedMemoryPerBlockOptin:
      return static_cast<int>(limits::kSharedPerBlockOptin);
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
      return static_cast<int>(limits::kSharedPerMultiprocessor);
    case cudaDevAttrReservedSharedMemoryPerBlock:
      return static_cast<int>(limits::kSharedReserved);
    case cudaDevAttrMaxRegistersPerBlock:
    case cudaDevAttrMaxRegistersPerMultiprocessor:
      return limits::kRegisters;
    case cudaDevAttrMaxThreadsPerMultiProcessor:
      return limits::kThreadsPerMultiprocessor;
    case cudaDevAttrMaxBlocksPerMultiprocessor:
      return limits::kBlocksPerMultiprocessor;
    case cudaDevAttrTotalConstantMemory:
      return 64 * 1024;
    case cudaDevAttrWarpSize:
      return 32;
    case cudaDevAttrMultiProcessorCount:
      return options.multiprocessors;
    case cudaDevAttrL2CacheSize:
      return limits::kL2Bytes;
    case cudaDevAttrComputeCapabilityMajor:
      return limits::kMajor;
    case cudaDevAttrComputeCapabilityMinor:
      return limits::kMinor;
    // No number of a real part would mean anything.
    case cudaDevAttrClockRate:
    case cudaDevAttrMemoryClockRate:
      return 1;
    case cudaDevAttrGlobalMemoryBusWidth:
      return 8;
    case cudaDevAttrIntegrated:
    case cudaDevAttrConcurrentKernels:
    case cudaDevAttrEccEnabled:
    case cudaDevAttrCooperativeLaunch:
      return 0;
    case cudaDevAttrClusterLaunch:
    case cudaDevAttrUnifiedAddressing:
    case cudaDevAttrManagedMemory:
    case cudaDevAttrMemoryPoolsSupported:
      return 1;
  }
  return -1;
}

}  // namespace

std::size_t max_dynamic_shared(const void* kernel) {
  return FunctionTable::instance().max_dynamic_shared(kernel);
}

}  // namespace emulator

using emulator::record;

cudaError_t cudaGetDeviceCount(int* count) {
  if (count == nullptr) return record(cudaErrorInvalidValue);
  *count = 1;
  return cudaSuccess;
}

cudaError_t cudaGetDevice(int* device) {
  if (device == nullptr) return record(cudaErrorInvalidValue);
  *device = 0;
  return cudaSuccess;
}

cudaError_t cudaSetDevice(int device) {
  return device == 0 ? cudaSuccess : record(cudaErrorInvalidDevice);
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  namespace limits = emulator::limits;
  if (properties == nullptr) return record(cudaErrorInvalidValue);
  if (device != 0) return record(cudaErrorInvalidDevice);
  cudaDeviceProp p{};
  std::snprintf(p.name, sizeof p.name, "Tessera emulator");
  p.totalGlobalMem = static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) *
                     static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  p.sharedMemPerBlock = limits::kSharedPerBlock;
  p.sharedMemPerBlockOptin = limits::kSharedPerBlockOptin;
  p.sharedMemPerMultiprocessor = limits::kSharedPerMultiprocessor;
  p.reservedSharedMemPerBlock = limits::kSharedReserved;
  p.regsPerBlock = limits::kRegisters;
  p.regsPerMultiprocessor = limits::kRegisters;
  p.warpSize = 32;
  p.memPitch = 0x7fffffff;
  p.maxThreadsPerBlock = static_cast<int>(limits::kBlockThreads);
  p.maxThreadsDim[0] = static_cast<int>(limits::kBlockX);
  p.maxThreadsDim[1] = static_cast<int>(limits::kBlockY);
  p.maxThreadsDim[2] = static_cast<int>(limits::kBlockZ);
  p.maxGridSize[0] = static_cast<int>(limits::kGridX);
  p.maxGridSize[1] = static_cast<int>(limits::kGridY);
  p.maxGridSize[2] = static_cast<int>(limits::kGridZ);
  p.totalConstMem = 64 * 1024;
  p.major = limits::kMajor;
  p.minor = limits::kMinor;
  p.multiProcessorCount = emulator::options.multiprocessors;
  p.unifiedAddressing = 1;
  p.managedMemory = 1;
  p.memoryBusWidth = 8;
  p.l2CacheSize = limits::kL2Bytes;
  p.maxThreadsPerMultiProcessor = limits::kThreadsPerMultiprocessor;
  p.maxBlocksPerMultiProcessor = limits::kBlocksPerMultiprocessor;
  *properties = p;
  return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
  if (value == nullptr) return record(cudaErrorInvalidValue);
  if (device != 0) return record(cudaErrorInvalidDevice);
  const int found = emulator::device_attribute(attribute);
  if (found < 0) return record(cudaErrorInvalidValue);
  *value = found;
  return cudaSuccess;
}

cudaError_t cudaDeviceSynchronize() { return cudaSuccess; }

cudaError_t cudaDeviceReset() { return cudaSuccess; }

cudaError_t cudaDriverGetVersion(int* version) {
  if (version == nullptr) return record(cudaErrorInvalidValue);
  *version = emulator::limits::kDriverVersion;
  return cudaSuccess;
}

cudaError_t cudaRuntimeGetVersion(int* version) {
  if (version == nullptr) return record(cudaErrorInvalidValue);
  *version = CUDART_VERSION;
  return cudaSuccess;
}

cudaError_t cudaGetDriverEntryPoint(const char* name, void** function, unsigned long long flags,
                                    cudaDriverEntryPointQueryResult* result) {
  if (name == nullptr || function == nullptr || flags != cudaEnableDefault) {
    return record(cudaErrorInvalidValue);
  }
  const bool known = std::strcmp(name, "cuTensorMapEncodeTiled") == 0;
  *function = known ? reinterpret_cast<void*>(&cuTensorMapEncodeTiled) : nullptr;
  if (result != nullptr) {
    *result = known ? cudaDriverEntryPointSuccess : cudaDriverEntryPointSymbolNotFound;
  }
  return cudaSuccess;
}

cudaError_t cudaFuncSetAttribute(const void* function, cudaFuncAttribute attribute, int value) {
  if (function == nullptr) return record(cudaErrorInvalidDeviceFunction);
  if (attribute == cudaFuncAttributePreferredSharedMemoryCarveout) {
    return value >= -1 && value <= 100 ? cudaSuccess : record(cudaErrorInvalidValue);
  }
  const bool legal = attribute == cudaFuncAttributeMaxDynamicSharedMemorySize && value >= 0 &&
                     static_cast<std::size_t>(value) <= emulator::limits::kSharedPerBlockOptin;
  if (!legal) return record(cudaErrorInvalidValue);
  emulator::FunctionTable::instance().set_max_dynamic_shared(function,
                                                             static_cast<std::size_t>(value));
  return cudaSuccess;
}

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void* function) {
  if (attributes == nullptr) return record(cudaErrorInvalidValue);
  if (function == nullptr) return record(cudaErrorInvalidDeviceFunction);
  cudaFuncAttributes result{};
  result.maxThreadsPerBlock = static_cast<int>(emulator::limits::kBlockThreads);
  // Registers mean nothing here; this count limits no block.
  result.numRegs = 32;
  result.ptxVersion = emulator::limits::kMajor * 10 + emulator::limits::kMinor;
  result.binaryVersion = result.ptxVersion;
  result.maxDynamicSharedSizeBytes = static_cast<int>(emulator::max_dynamic_shared(function));
  result.preferredShmemCarveout = cudaSharedmemCarveoutDefault;
  *attributes = result;
  return cudaSuccess;
}
