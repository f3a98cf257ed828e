// Host emulator: what the runtime keeps and the launch has to consult.
#pragma once

#include <cstddef>

#include "driver_types.h"

namespace emulator {

// Remembers an error as the calling host thread's last one, and returns it.
cudaError_t record(cudaError_t error);

// The dynamic shared memory that a kernel may ask for: 48 KiB, or its attribute.
std::size_t max_dynamic_shared(const void* kernel);

// Whether this is the default stream or one that exists.
bool is_stream(cudaStream_t stream);

}  // namespace emulator
