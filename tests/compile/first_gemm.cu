// A user's call, compiled with every warning an error and without --expt-relaxed-constexpr.
#include <tessera/gemm.cuh>

tessera::Status multiply(const float* a, const float* b, float* c, cudaStream_t stream) {
  return tessera::gemm(1.0f, tessera::row_major(a, 100, 70), tessera::col_major(b, 70, 90), 0.0f,
                       tessera::row_major(c, 100, 90), stream);
}
