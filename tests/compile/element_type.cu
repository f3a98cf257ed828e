// A call whose element types the command line names.
#include <tessera/gemm.cuh>

#if !defined(TEST_A)
#define TEST_A float
#endif
#if !defined(TEST_B)
#define TEST_B float
#endif
#if !defined(TEST_C)
#define TEST_C float
#endif

tessera::Status multiply(TEST_A* a, TEST_B* b, TEST_C* c) {
  return tessera::gemm<tessera::policy::naive>(1.0f, tessera::row_major(a, 8, 8),
                                               tessera::row_major(b, 8, 8), 0.0f,
                                               tessera::row_major(c, 8, 8));
}
