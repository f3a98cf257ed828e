// main() of every test that runs kernels. Without a device it says so and returns 77, which ctest
// counts as skipped; it never passes silently.
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <cstdio>

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  if (testing::GTEST_FLAG(list_tests)) return RUN_ALL_TESTS();
#if defined(TESSERA_EMULATOR)
  std::printf("emulated: the kernels run on the CPU\n");
#else
  // Without a driver the call leaves `count` untouched.
  int count = 0;
  const cudaError_t error = cudaGetDeviceCount(&count);
  if (error != cudaSuccess || count == 0) {
    std::printf("SKIPPED: no CUDA device (%s); nothing was tested\n",
                error != cudaSuccess ? cudaGetErrorString(error) : "none found");
    return 77;
  }
#endif
  return RUN_ALL_TESTS();
}
