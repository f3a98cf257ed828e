// A program whose two units use the same kernels: it links, and both compute.
#include <cstdio>

#include "tests/support/device_present.hpp"
#include "two_units.hpp"

namespace {

// {1, ..., 6} (2 x 3) times {7, ..., 12} (3 x 2).
constexpr float expected[4] = {58, 64, 139, 154};

bool is_expected(const float* d_c) {
  float c[4] = {};
  if (cudaMemcpy(c, d_c, sizeof c, cudaMemcpyDeviceToHost) != cudaSuccess) return false;
  for (int i = 0; i < 4; ++i) {
    if (c[i] != expected[i]) return false;
  }
  return cudaMemset(const_cast<float*>(d_c), 0, sizeof c) == cudaSuccess;
}

}  // namespace

int main() {
  if (!tessera::support::device_present_else_say("tested")) {
    return tessera::support::exit_no_device;
  }
  const float values[12] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
  float *inputs = nullptr, *c = nullptr;
  if (cudaMalloc(&inputs, sizeof values) != cudaSuccess ||
      cudaMalloc(&c, sizeof expected) != cudaSuccess ||
      cudaMemcpy(inputs, values, sizeof values, cudaMemcpyHostToDevice) != cudaSuccess) {
    return 1;
  }
  const float *a = inputs, *b = inputs + 6;
  const tessera::Status here = tessera::gemm<tessera::policy::smem_tile>(
      1.0f, tessera::row_major(a, 2, 3), tessera::row_major(b, 3, 2), 0.0f,
      tessera::row_major(c, 2, 2));
  const bool here_right = here.ok() && is_expected(c);
  const tessera::Status there = multiply_in_other_unit(a, b, c);
  const bool there_right = there.ok() && is_expected(c);
  std::printf("main unit: %s\nother unit: %s\n", here_right ? "right" : "wrong",
              there_right ? "right" : "wrong");
  cudaFree(inputs);
  cudaFree(c);
  return here_right && there_right ? 0 : 1;
}
