// Tests of the emulator's host side: errors, launch checks, memory, streams, events, attributes.
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "launch.hpp"

namespace {

using emulator_test::launch;

struct Runtime : testing::Test {
  // A test that leaves an error behind would disturb the next.
  void SetUp() override { ASSERT_EQ(cudaGetLastError(), cudaSuccess); }
  void TearDown() override { cudaGetLastError(); }
};

__global__ void nothing() {}
__global__ void store(const double* in, double* out, double value) { *out = *in + value; }

TEST_F(Runtime, LastErrorIsKeptUntilRead) {
  EXPECT_EQ(cudaSetDevice(999), cudaErrorInvalidDevice);
  EXPECT_EQ(launch(1, 32, 0, nothing), cudaSuccess);
  EXPECT_EQ(cudaPeekAtLastError(), cudaErrorInvalidDevice);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidDevice);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
}

TEST_F(Runtime, LastErrorBelongsToTheHostThread) {
  EXPECT_EQ(cudaSetDevice(1), cudaErrorInvalidDevice);
  cudaError_t seen = cudaErrorUnknown;
  std::thread([&seen] { seen = cudaGetLastError(); }).join();
  EXPECT_EQ(seen, cudaSuccess);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidDevice);
}

TEST_F(Runtime, ErrorsHaveNamesAndTexts) {
  EXPECT_STREQ(cudaGetErrorName(cudaErrorInvalidValue), "cudaErrorInvalidValue");
  EXPECT_STREQ(cudaGetErrorString(cudaSuccess), "no error");
  EXPECT_STREQ(cudaGetErrorString(cudaErrorInvalidConfiguration), "invalid configuration argument");
  EXPECT_STREQ(cudaGetErrorString(cudaErrorNoKernelImageForDevice),
               "no kernel image is available for execution on the device");
  EXPECT_STREQ(cudaGetErrorName(static_cast<cudaError_t>(997)), "unrecognized error code");
}

TEST_F(Runtime, GridLimits) {
  for (const dim3 bad :
       {dim3(0), dim3(1, 0), dim3(1, 1, 0), dim3(0x80000000u), dim3(1, 65536), dim3(1, 1, 65536)}) {
    EXPECT_EQ(launch(bad, 1, 0, nothing), cudaErrorInvalidConfiguration) << bad.x << "," << bad.y;
    EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidConfiguration);
  }
  EXPECT_EQ(launch(dim3(1, 65535), 1, 0, nothing), cudaSuccess);
  EXPECT_EQ(launch(dim3(1, 1, 65535), 1, 0, nothing), cudaSuccess);
}

TEST_F(Runtime, BlockLimits) {
  for (const dim3 bad : {dim3(0), dim3(1, 0), dim3(1, 1, 0), dim3(1025), dim3(33, 32),
                         dim3(1, 1, 65), dim3(0x10000, 0x10000)}) {
    EXPECT_EQ(launch(1, bad, 0, nothing), cudaErrorInvalidConfiguration) << bad.x << "," << bad.y;
  }
  EXPECT_EQ(launch(1, 1024, 0, nothing), cudaSuccess);
  EXPECT_EQ(launch(1, dim3(1, 1024), 0, nothing), cudaSuccess);
  EXPECT_EQ(launch(1, dim3(16, 1, 64), 0, nothing), cudaSuccess);
}

__global__ void wants_much_shared() {}

TEST_F(Runtime, DynamicSharedMemoryLimits) {
  EXPECT_EQ(launch(1, 1, 48 * 1024, wants_much_shared), cudaSuccess);
  EXPECT_EQ(launch(1, 1, 48 * 1024 + 1, wants_much_shared), cudaErrorInvalidValue);
  const auto set = [](int bytes) {
    return cudaFuncSetAttribute(wants_much_shared, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                bytes);
  };
  EXPECT_EQ(set(227 * 1024 + 1), cudaErrorInvalidValue);
  EXPECT_EQ(set(-1), cudaErrorInvalidValue);
  EXPECT_EQ(set(100 * 1024), cudaSuccess);
  EXPECT_EQ(launch(1, 1, 100 * 1024, wants_much_shared), cudaSuccess);
  EXPECT_EQ(launch(1, 1, 100 * 1024 + 1, wants_much_shared), cudaErrorInvalidValue);
  // Of this kernel only.
  EXPECT_EQ(launch(1, 1, 100 * 1024, nothing), cudaErrorInvalidValue);
  cudaFuncAttributes attributes{};
  EXPECT_EQ(cudaFuncGetAttributes(&attributes, wants_much_shared), cudaSuccess);
  EXPECT_EQ(attributes.maxDynamicSharedSizeBytes, 100 * 1024);
  EXPECT_EQ(attributes.maxThreadsPerBlock, 1024);
}

TEST_F(Runtime, LaunchRefusesMissingPieces) {
  cudaLaunchConfig_t config{};
  EXPECT_EQ(cudaLaunchKernelEx(nullptr, nothing), cudaErrorInvalidValue);
  void (*const no_kernel)() = nullptr;
  EXPECT_EQ(cudaLaunchKernelEx(&config, no_kernel), cudaErrorInvalidDeviceFunction);
  int other = 0;
  config.stream = reinterpret_cast<cudaStream_t>(&other);
  EXPECT_EQ(cudaLaunchKernelEx(&config, nothing), cudaErrorInvalidResourceHandle);
}

TEST_F(Runtime, LaunchConvertsArguments) {
  double value = 1.0;
  EXPECT_EQ(launch(1, 1, 0, store, &value, &value, 3), cudaSuccess);
  EXPECT_EQ(value, 4.0);
}

TEST_F(Runtime, LaunchAttributes) {
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributePriority;
  cudaLaunchConfig_t config{};
  config.attrs = &attribute;
  config.numAttrs = 1;
  EXPECT_EQ(cudaLaunchKernelEx(&config, nothing), cudaSuccess);
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim.x = 2;
  attribute.val.clusterDim.y = 1;
  attribute.val.clusterDim.z = 1;
  // The grid is one block.
  EXPECT_EQ(cudaLaunchKernelEx(&config, nothing), cudaErrorInvalidConfiguration);
  config.gridDim.x = 4;
  EXPECT_EQ(cudaLaunchKernelEx(&config, nothing), cudaSuccess);
  attribute.val.clusterDim.x = 9;
  config.gridDim.x = 9;
  EXPECT_EQ(cudaLaunchKernelEx(&config, nothing), cudaErrorInvalidClusterSize);
  attribute.val.clusterDim.x = 0;
  EXPECT_EQ(cudaLaunchKernelEx(&config, nothing), cudaErrorInvalidClusterSize);
}

__global__ void launches_another(cudaError_t* result) { *result = launch(1, 1, 0, nothing); }

TEST_F(Runtime, KernelCannotLaunch) {
  cudaError_t result = cudaSuccess;
  EXPECT_EQ(launch(1, 1, 0, launches_another, &result), cudaSuccess);
  EXPECT_EQ(result, cudaErrorNotSupported);
}

TEST_F(Runtime, Devices) {
  int count = 0;
  EXPECT_EQ(cudaGetDeviceCount(&count), cudaSuccess);
  EXPECT_EQ(count, 1);
  int device = -1;
  EXPECT_EQ(cudaGetDevice(&device), cudaSuccess);
  EXPECT_EQ(device, 0);
  cudaDeviceProp properties{};
  EXPECT_EQ(cudaGetDeviceProperties(&properties, 0), cudaSuccess);
  EXPECT_STREQ(properties.name, "Tessera emulator");
  EXPECT_EQ(cudaGetDeviceProperties(&properties, 1), cudaErrorInvalidDevice);
  int value = 0;
  EXPECT_EQ(cudaDeviceGetAttribute(&value, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0),
            cudaSuccess);
  EXPECT_EQ(value, 227 * 1024);
  EXPECT_EQ(cudaDeviceGetAttribute(&value, cudaDevAttrMultiProcessorCount, 0), cudaSuccess);
  EXPECT_EQ(value, properties.multiProcessorCount);
  EXPECT_EQ(cudaDeviceGetAttribute(&value, static_cast<cudaDeviceAttr>(127), 0),
            cudaErrorInvalidValue);
  EXPECT_EQ(cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, 3), cudaErrorInvalidDevice);
  EXPECT_EQ(cudaDriverGetVersion(&value), cudaSuccess);
  EXPECT_GE(value, 12000);
}

TEST_F(Runtime, MemoryIsAlignedAndStartsAsNan) {
  float* memory = nullptr;
  ASSERT_EQ(cudaMalloc(&memory, 5 * sizeof(float)), cudaSuccess);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory) % 256, 0u);
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(std::isnan(memory[i]));
  EXPECT_EQ(cudaFree(memory), cudaSuccess);
  EXPECT_EQ(cudaFree(memory), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFree(nullptr), cudaSuccess);
  int other = 0;
  EXPECT_EQ(cudaFree(&other), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMalloc(&memory, 0), cudaSuccess);
  EXPECT_EQ(memory, nullptr);
}

TEST_F(Runtime, MemoryKindsAreNotMixed) {
  void* device = nullptr;
  void* host = nullptr;
  ASSERT_EQ(cudaMallocAsync(&device, 16, nullptr), cudaSuccess);
  ASSERT_EQ(cudaMallocHost(&host, 16), cudaSuccess);
  EXPECT_EQ(cudaFreeHost(device), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFree(host), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFreeAsync(device, nullptr), cudaSuccess);
  EXPECT_EQ(cudaFreeHost(host), cudaSuccess);
}

TEST_F(Runtime, HugeSparseAllocation) {
  float* memory = nullptr;
  const std::size_t count = std::size_t{1} << 31;
  ASSERT_EQ(cudaMalloc(&memory, count * sizeof(float)), cudaSuccess);
  memory[0] = 1.0f;
  memory[count - 1] = 2.0f;
  EXPECT_EQ(memory[count - 1], 2.0f);
  EXPECT_EQ(cudaFree(memory), cudaSuccess);
}

TEST_F(Runtime, Copies) {
  const std::vector<int> in{1, 2, 3, 4, 5, 6};
  std::vector<int> out(6);
  int* memory = nullptr;
  ASSERT_EQ(cudaMalloc(&memory, 24), cudaSuccess);
  EXPECT_EQ(cudaMemcpy(memory, in.data(), 24, cudaMemcpyHostToDevice), cudaSuccess);
  EXPECT_EQ(cudaMemcpyAsync(out.data(), memory, 24, cudaMemcpyDefault), cudaSuccess);
  EXPECT_EQ(out, in);
  EXPECT_EQ(cudaMemset(memory, 0, 12), cudaSuccess);
  EXPECT_EQ(cudaMemcpy(out.data(), memory, 24, cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_EQ(out, (std::vector<int>{0, 0, 0, 4, 5, 6}));
  // The left two columns of a 2 x 3 matrix.
  std::vector<int> narrow(4);
  EXPECT_EQ(cudaMemcpy2D(narrow.data(), 8, memory, 12, 8, 2, cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_EQ(narrow, (std::vector<int>{0, 0, 4, 5}));
  EXPECT_EQ(cudaMemset2D(memory, 12, 0xff, 4, 2), cudaSuccess);
  EXPECT_EQ(memory[0], -1);
  EXPECT_EQ(memory[1], 0);
  EXPECT_EQ(memory[3], -1);
  EXPECT_EQ(cudaMemcpy2D(narrow.data(), 4, memory, 12, 8, 2, cudaMemcpyDeviceToHost),
            cudaErrorInvalidPitchValue);
  EXPECT_EQ(cudaMemcpy(nullptr, memory, 4, cudaMemcpyDefault), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(memory, in.data(), 4, static_cast<cudaMemcpyKind>(7)),
            cudaErrorInvalidMemcpyDirection);
  EXPECT_EQ(cudaFree(memory), cudaSuccess);
}

__constant__ float factors[3];
__global__ void read_constant(float* out) { *out = factors[1]; }

TEST_F(Runtime, Symbols) {
  const float values[] = {1.0f, 2.0f, 3.0f};
  ASSERT_EQ(cudaMemcpyToSymbol(factors, values, sizeof values), cudaSuccess);
  float out = 0.0f;
  ASSERT_EQ(launch(1, 1, 0, read_constant, &out), cudaSuccess);
  EXPECT_EQ(out, 2.0f);
}

TEST_F(Runtime, Streams) {
  cudaStream_t stream = nullptr;
  ASSERT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
  EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  EXPECT_EQ(cudaStreamQuery(stream), cudaSuccess);
  int called = 0;
  EXPECT_EQ(cudaLaunchHostFunc(
                stream, [](void* data) { ++*static_cast<int*>(data); }, &called),
            cudaSuccess);
  EXPECT_EQ(called, 1);
  EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
  EXPECT_EQ(cudaStreamSynchronize(stream), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaStreamDestroy(stream), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaStreamSynchronize(cudaStreamPerThread), cudaSuccess);
}

TEST_F(Runtime, Events) {
  cudaEvent_t start = nullptr;
  cudaEvent_t stop = nullptr;
  ASSERT_EQ(cudaEventCreate(&start), cudaSuccess);
  ASSERT_EQ(cudaEventCreate(&stop), cudaSuccess);
  float elapsed = -1.0f;
  EXPECT_EQ(cudaEventElapsedTime(&elapsed, start, stop), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaEventRecord(start), cudaSuccess);
  EXPECT_EQ(cudaEventRecord(stop, nullptr), cudaSuccess);
  EXPECT_EQ(cudaEventSynchronize(stop), cudaSuccess);
  EXPECT_EQ(cudaEventQuery(stop), cudaSuccess);
  EXPECT_EQ(cudaStreamWaitEvent(nullptr, stop), cudaSuccess);
  EXPECT_EQ(cudaEventElapsedTime(&elapsed, start, stop), cudaSuccess);
  EXPECT_GE(elapsed, 0.0f);
  EXPECT_EQ(cudaEventDestroy(start), cudaSuccess);
  EXPECT_EQ(cudaEventDestroy(stop), cudaSuccess);
  EXPECT_EQ(cudaEventDestroy(stop), cudaErrorInvalidResourceHandle);
}

}  // namespace
