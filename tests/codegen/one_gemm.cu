// A user's translation unit with one call, as in examples/01: what its compilation costs.
#include <tessera/gemm.cuh>

tessera::Status multiply(const float* a, const float* b, float* c, tessera::index_t size) {
  return tessera::gemm<tessera::policy::TESSERA_POLICY>(1.0f, tessera::row_major(a, size, size),
                                                        tessera::row_major(b, size, size), 0.0f,
                                                        tessera::row_major(c, size, size));
}
