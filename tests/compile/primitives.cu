// A part of a kernel on its own, with parameters that a policy could not reach: see refused.cmake.
#include <tessera/gemm.cuh>

using namespace tessera;

__global__ void kernel(float* gmem) {
  [[maybe_unused]] float reg[TEST_WIDTH] = {};
  TEST_STATEMENT;
}
