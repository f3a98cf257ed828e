// A policy of one's own: a value (a TileConfig) and a mainloop, next to the library's on one
// problem.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <tessera/gemm.cuh>
#include <vector>

namespace {

// double_buffered with half the threads and thread tiles twice as tall: the same 128 x 128 block
// tile, but a thread's k-step reads 24 floats of smem for 128 FMAs rather than 16 for 64. The
// mainloop is inherited. (Try ThreadTile{16, 6}: the compiler says what is wrong with it.)
struct tall_threads : tessera::policy::double_buffered {
  static constexpr const char* name = "tall_threads";
  static constexpr tessera::TileConfig config =
      with(tessera::policy::double_buffered::config, tessera::Threads{8, 16},
           tessera::ThreadTile{16, 8});
};

void check(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
  std::exit(1);
}

constexpr int m = 300, n = 260, k = 100;

// A * B under one policy.
template <class Policy>
std::vector<float> product(const float* d_a, const float* d_b) {
  std::vector<float> c(m * n);
  const std::size_t bytes = c.size() * sizeof(float);
  float* d_c;
  check(cudaMalloc(&d_c, bytes), "cudaMalloc of C");
  check(cudaMemset(d_c, 0xff, bytes), "filling C with NaN");

  const auto a_view = tessera::row_major(d_a, m, k);
  const auto b_view = tessera::row_major(d_b, k, n);
  const auto c_view = tessera::row_major(d_c, m, n);
  std::cout << tessera::plan<Policy>(1.0f, a_view, b_view, 0.0f, c_view) << std::endl;
  const tessera::Status status = tessera::gemm<Policy>(1.0f, a_view, b_view, 0.0f, c_view);
  if (!status.ok()) {
    std::fprintf(stderr, "gemm: %s\n", status.message());
    std::exit(1);
  }
  check(cudaMemcpy(c.data(), d_c, bytes, cudaMemcpyDeviceToHost), "gemm, or copying C");
  check(cudaFree(d_c), "cudaFree of C");
  return c;
}

// Device memory that holds 1/1, 1/2, 1/3 ...: products of these are never exact.
float* reciprocals(int count) {
  std::vector<float> values;
  for (int i = 1; i <= count; ++i) values.push_back(1.0f / static_cast<float>(i));
  const std::size_t bytes = values.size() * sizeof(float);
  float* data;
  check(cudaMalloc(&data, bytes), "cudaMalloc");
  check(cudaMemcpy(data, values.data(), bytes, cudaMemcpyHostToDevice), "copying an operand");
  return data;
}

}  // namespace

int main() {
  float* d_a = reciprocals(m * k);
  float* d_b = reciprocals(k * n);
  const std::vector<float> mine = product<tall_threads>(d_a, d_b);
  const std::vector<float> naive = product<tessera::policy::naive>(d_a, d_b);
  check(cudaFree(d_a), "cudaFree of A");
  check(cudaFree(d_b), "cudaFree of B");

#ifdef TESSERA_EMULATOR
  std::puts("(emulated: the kernels ran on the CPU)");
#endif
  // Every policy sums in the same order, so their results are the same bits, not merely close.
  std::size_t different = 0;
  for (std::size_t i = 0; i < mine.size(); ++i) {
    if (std::memcmp(&mine[i], &naive[i], sizeof(float)) != 0) ++different;
  }
  std::printf("%zu of %zu elements differ from policy naive's\n", different, mine.size());
  return different == 0 ? 0 : 1;
}
