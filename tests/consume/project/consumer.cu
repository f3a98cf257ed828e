// gemm() from a user's CUDA source. Without a device the call must say so.
#include <cstdio>
#include <tessera/gemm.cuh>

int main() {
  constexpr int extent = 64;
  float* data = nullptr;
  const bool device = cudaMalloc(&data, extent * extent * sizeof(float)) == cudaSuccess;
  // Nothing reads the contents; without a device, nothing reads the memory.
  float* const c = device ? data : reinterpret_cast<float*>(16);
  const auto view = tessera::row_major(c, extent, extent);
  const tessera::Status status =
      tessera::gemm<tessera::policy::smem_tile>(0.0f, view, view, 0.0f, view);
  std::printf("%s\n", status.message());
  const bool right = device ? status.ok() : status.reason() == tessera::Reason::cuda_error;
  cudaFree(data);
  return right ? 0 : 1;
}
