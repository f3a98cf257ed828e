// A shared library, built for one chip only, that uses the same kernel as its twin for another.
#include "shared_library.hpp"

#include <tessera/gemm.cuh>

extern "C" [[gnu::visibility("default")]] Outcome TEST_EXPORT(const float* a, const float* b,
                                                              float* c) {
  const tessera::Status status = tessera::gemm<tessera::policy::smem_tile>(
      1.0f, tessera::row_major(a, 2, 3), tessera::row_major(b, 3, 2), 0.0f,
      tessera::row_major(c, 2, 2));
  return {status.ok(), status.cuda_error(), status.message()};
}
