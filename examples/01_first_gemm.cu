// The smallest program: one product of two matrices in device memory.
#include <cstdio>
#include <cstdlib>
#include <tessera/gemm.cuh>

void check(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
  std::exit(1);
}

int main() {
  constexpr int m = 2, n = 2, k = 3;
  const float a[m * k] = {1, 2, 3,  //
                          4, 5, 6};
  const float b[k * n] = {7,  8,   //
                          9,  10,  //
                          11, 12};
  float c[m * n];

  float *d_a, *d_b, *d_c;
  check(cudaMalloc(&d_a, sizeof a), "cudaMalloc of A");
  check(cudaMalloc(&d_b, sizeof b), "cudaMalloc of B");
  check(cudaMalloc(&d_c, sizeof c), "cudaMalloc of C");
  check(cudaMemcpy(d_a, a, sizeof a, cudaMemcpyHostToDevice), "copying A");
  check(cudaMemcpy(d_b, b, sizeof b, cudaMemcpyHostToDevice), "copying B");

  // C = 1 * A * B + 0 * C, on the default stream. A refused call says why and launches nothing.
  const tessera::Status status =
      tessera::gemm(1.0f, tessera::row_major(d_a, m, k), tessera::row_major(d_b, k, n), 0.0f,
                    tessera::row_major(d_c, m, n));
  if (!status.ok()) {
    std::fprintf(stderr, "gemm: %s\n", status.message());
    return 1;
  }

  // The copy waits for the kernel, so a fault while it ran shows here.
  check(cudaMemcpy(c, d_c, sizeof c, cudaMemcpyDeviceToHost), "gemm, or copying C");
  for (int i = 0; i < m; ++i) std::printf("%4g %4g\n", c[i * n], c[i * n + 1]);
#ifdef TESSERA_EMULATOR
  std::puts("(emulated: the kernel ran on the CPU)");
#endif

  check(cudaFree(d_a), "cudaFree of A");
  check(cudaFree(d_b), "cudaFree of B");
  check(cudaFree(d_c), "cudaFree of C");
}
