// Host emulator: what a CUDA source includes. Found in front of the toolkit's header of this name,
// it turns the source into plain C++ whose kernels run on the CPU.
#pragma once

#if defined(__CUDACC__)
#error "The host emulator's cuda_runtime.h is not for nvcc: its folder is on nvcc's include path."
#endif

#include <cstddef>
#include <utility>

#include "cuda_runtime_api.h"
#include "device_launch_parameters.h"
#include "driver_types.h"
#include "emulator/control.h"
#include "emulator/device_functions.h"
#include "host_defines.h"
#include "vector_functions.h"
#include "vector_types.h"

template <class Value>
cudaError_t cudaMalloc(Value** pointer, std::size_t bytes) {
  return cudaMalloc(reinterpret_cast<void**>(pointer), bytes);
}

template <class Value>
cudaError_t cudaMallocAsync(Value** pointer, std::size_t bytes, cudaStream_t stream) {
  return cudaMallocAsync(reinterpret_cast<void**>(pointer), bytes, stream);
}

template <class Value>
cudaError_t cudaMallocManaged(Value** pointer, std::size_t bytes,
                              unsigned int flags = cudaMemAttachGlobal) {
  return cudaMallocManaged(reinterpret_cast<void**>(pointer), bytes, flags);
}

template <class Value>
cudaError_t cudaMallocPitch(Value** pointer, std::size_t* pitch, std::size_t width,
                            std::size_t height) {
  return cudaMallocPitch(reinterpret_cast<void**>(pointer), pitch, width, height);
}

template <class Value>
cudaError_t cudaMallocHost(Value** pointer, std::size_t bytes) {
  return cudaMallocHost(reinterpret_cast<void**>(pointer), bytes);
}

template <class Value>
cudaError_t cudaHostAlloc(Value** pointer, std::size_t bytes, unsigned int flags) {
  return cudaHostAlloc(reinterpret_cast<void**>(pointer), bytes, flags);
}

template <class Symbol>
cudaError_t cudaMemcpyToSymbol(Symbol& symbol, const void* src, std::size_t bytes,
                               std::size_t offset = 0,
                               cudaMemcpyKind kind = cudaMemcpyHostToDevice) {
  return cudaMemcpy(reinterpret_cast<char*>(&symbol) + offset, src, bytes, kind);
}

template <class Symbol>
cudaError_t cudaMemcpyFromSymbol(void* dst, const Symbol& symbol, std::size_t bytes,
                                 std::size_t offset = 0,
                                 cudaMemcpyKind kind = cudaMemcpyDeviceToHost) {
  return cudaMemcpy(dst, reinterpret_cast<const char*>(&symbol) + offset, bytes, kind);
}

template <class... Params>
cudaError_t cudaFuncSetAttribute(void (*kernel)(Params...), cudaFuncAttribute attribute,
                                 int value) {
  return cudaFuncSetAttribute(reinterpret_cast<const void*>(kernel), attribute, value);
}

template <class... Params>
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, void (*kernel)(Params...)) {
  return cudaFuncGetAttributes(attributes, reinterpret_cast<const void*>(kernel));
}

// The launch. Every thread of the grid calls the kernel with its own copy of the arguments.
template <class... Params, class... Args>
cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t* config, void (*kernel)(Params...),
                               Args&&... args) {
  return [&](Params... params) {
    const auto thread = [&] { kernel(params...); };
    using Thread = decltype(thread);
    return emulator::detail::launch(
        config, reinterpret_cast<const void*>(kernel),
        [](const void* closure) { (*static_cast<Thread*>(closure))(); }, &thread);
  }(std::forward<Args>(args)...);
}
