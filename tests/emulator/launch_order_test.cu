// Tests of the emulator's programmatic dependent launches, whose threads must wait for the launches
// before theirs.
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <cstring>
#include <string>

namespace {

cudaError_t launch(void (*kernel)(float*), bool programmatic, float* memory) {
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = programmatic ? 1 : 0;
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(2);
  config.blockDim = dim3(33);
  config.dynamicSmemBytes = 33 * sizeof(float);
  config.attrs = &attribute;
  config.numAttrs = 1;
  const cudaError_t error = cudaLaunchKernelEx(&config, kernel, memory);
  cudaGetLastError();
  return error;
}

// To each thread's own place.
__device__ void copy(const float* memory) {
  emulator::cp_async(emulator::dynamic_shared() + threadIdx.x * sizeof(float), memory, 4, 4);
}

__global__ void waits(float* memory) {
  emulator::wait_for_launches_before();
  copy(memory);
}
__global__ void one_thread_does_not(float*) {
  if (threadIdx.x != 32) emulator::wait_for_launches_before();
}
__global__ void copies_first(float* memory) {
  copy(memory);
  emulator::wait_for_launches_before();
}
__global__ void publishes_first(float* memory) {
  emulator::publish(reinterpret_cast<int*>(memory), 1);
  emulator::wait_for_launches_before();
}

TEST(LaunchOrder, ThreadsOfAProgrammaticLaunchMustWait) {
  alignas(16) float memory[4] = {};
  EXPECT_EQ(launch(waits, true, memory), cudaSuccess);
  EXPECT_TRUE(emulator::last_launch_was_programmatic());
  const auto expect_report = [&](void (*kernel)(float*), const char* what) {
    EXPECT_EQ(launch(kernel, true, memory), cudaErrorLaunchFailure);
    EXPECT_NE(emulator::last_report().find(what), std::string::npos) << emulator::last_report();
    EXPECT_NE(emulator::last_report().find("has not waited"), std::string::npos);
  };
  expect_report(one_thread_does_not, "returned");
  expect_report(copies_first, "copied");
  expect_report(publishes_first, "published");
}

TEST(LaunchOrder, ThreadsOfOthersNeedNot) {
  alignas(16) float memory[4] = {};
  for (const auto kernel : {waits, one_thread_does_not, copies_first, publishes_first}) {
    EXPECT_EQ(launch(kernel, false, memory), cudaSuccess) << emulator::last_report();
    EXPECT_FALSE(emulator::last_launch_was_programmatic());
  }
}

}  // namespace
