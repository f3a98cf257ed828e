// Everything is asynchronous on the caller's stream and nowhere else; contract 8: calls from many
// threads, streams and devices are independent.
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "compare.hpp"
#include "problem.hpp"
#include "reference.hpp"

namespace tessera::support {
namespace {

class Streams : public PolicyTest {};

void sleep_on_stream(void* milliseconds) {
  std::this_thread::sleep_for(std::chrono::milliseconds(*static_cast<int*>(milliseconds)));
}

LaunchPlan plan_by(const PolicyEntry& policy, const GuardedMatrix& a, const GuardedMatrix& b,
                   const GuardedMatrix& c) {
  return policy.plan(1.0f, a.const_view(), b.const_view(), 0.0f, c.view());
}

// A writer of A that is late, then gemm, on a stream that the default stream does not wait for:
// work on any other stream would use the old A.
TEST_P(Streams, FollowsEarlierWorkOfItsStream) {
  const HostMatrix old_a = filled(64, 64, Fill::uniform, 1),
                   new_a = filled(64, 64, Fill::uniform, 2),
                   host_b = filled(64, 64, Fill::uniform, 3);
  const Stream stream;
  GuardedMatrix a(old_a, {}, 0), b(host_b, {}, 0), c(HostMatrix(64, 64), {}, 0);
  for (GuardedMatrix* matrix : {&a, &b, &c}) matrix->upload(stream);
  const DeviceBuffer<float> late(new_a.data);
  check(cudaDeviceSynchronize(), "uploads");

  int milliseconds = 20;
  check(cudaLaunchHostFunc(stream, &sleep_on_stream, &milliseconds), "cudaLaunchHostFunc");
  check(cudaMemcpyAsync(a.view().data, late.data(), late.size() * sizeof(float),
                        cudaMemcpyDeviceToDevice, stream),
        "late write of A");
  const Status status =
      GetParam().gemm(1.0f, a.const_view(), b.const_view(), 0.0f, c.view(), stream);
  ASSERT_TRUE(status.ok()) << status.message();
  const HostMatrix expected =
      reference_by(plan_by(GetParam(), a, b, c), 1.0f, new_a, host_b, 0.0f, HostMatrix(64, 64));
  const Comparison same = compare_bits(c.download(stream), expected);
  EXPECT_TRUE(same) << same.message;
}

// Each product reads the result of the one before and overwrites what that one read: no
// synchronisation in between.
TEST_P(Streams, ChainedProducts) {
  constexpr int links = 12;
  const HostMatrix host_a = filled(40, 40, Fill::uniform, 1),
                   host_b = filled(40, 40, Fill::uniform, 2);
  const Stream stream;
  GuardedMatrix a(host_a, {}, 0), b(host_b, {}, 0), c(HostMatrix(40, 40), {}, 0);
  for (GuardedMatrix* matrix : {&a, &b, &c}) matrix->upload(stream);
  check(cudaDeviceSynchronize(), "uploads");
  GuardedMatrix* from = &a;
  GuardedMatrix* to = &c;
  for (int link = 0; link < links; ++link, std::swap(from, to)) {
    const Status status =
        GetParam().gemm(1.0f, from->const_view(), b.const_view(), 0.0f, to->view(), stream);
    ASSERT_TRUE(status.ok()) << status.message();
  }
  const HostMatrix none(40, 40);
  const LaunchPlan plan = plan_by(GetParam(), a, b, c);  // of all: the extents are the same
  HostMatrix expected = host_a;
  for (int link = 0; link < links; ++link) {
    expected = reference_by(plan, 1.0f, expected, host_b, 0.0f, none);
  }
  const Comparison same = compare_bits(from->download(stream), expected);
  EXPECT_TRUE(same) << same.message;
}

#if defined(TESSERA_EMULATOR)

// The emulator then checks that each thread waits for the launches before.
TEST_P(Streams, LaunchesMayBeginEarly) {
  GuardedMatrix a(filled(40, 40, Fill::uniform, 1), {}, 0),
      b(filled(40, 40, Fill::uniform, 2), {}, 0), c(HostMatrix(40, 40), {}, 0);
  const Stream stream;
  for (GuardedMatrix* matrix : {&a, &b, &c}) matrix->upload(stream);
  const auto gemm = [&](float alpha) {
    return GetParam().gemm(alpha, a.const_view(), b.const_view(), 0.5f, c.view(), stream);
  };
  for (const float alpha : {1.0f, 0.0f}) {
    ASSERT_TRUE(gemm(alpha).ok());
    EXPECT_TRUE(emulator::last_launch_was_programmatic());
  }
  EXPECT_TRUE(plan_by(GetParam(), a, b, c).programmatic);
}

#else  // where something is asynchronous

TEST_P(Streams, ReturnsBeforeTheWorkIsDone) {
  const Stream stream;
  GuardedMatrix a(filled(8, 8, Fill::uniform, 1), {}, 0), b(filled(8, 8, Fill::uniform, 2), {}, 0),
      c(HostMatrix(8, 8), {}, 0);
  for (GuardedMatrix* matrix : {&a, &b, &c}) matrix->upload(stream);
  const auto gemm = [&] {
    return GetParam().gemm(1.0f, a.const_view(), b.const_view(), 0.0f, c.view(), stream);
  };
  ASSERT_TRUE(gemm().ok());  // loads the kernel, which may wait
  stream.synchronize();
  int milliseconds = 200;
  check(cudaLaunchHostFunc(stream, &sleep_on_stream, &milliseconds), "cudaLaunchHostFunc");
  ASSERT_TRUE(gemm().ok());
  EXPECT_EQ(cudaStreamQuery(stream), cudaErrorNotReady) << "gemm waited for its stream";
  stream.synchronize();
  static_cast<void>(cudaGetLastError());
}

#endif

TEST_P(Streams, DefaultAndPerThreadStream) {
  const HostMatrix host_a = filled(20, 20, Fill::uniform, 1),
                   host_b = filled(20, 20, Fill::uniform, 2);
  for (const cudaStream_t stream : {cudaStream_t{}, cudaStreamLegacy, cudaStreamPerThread}) {
    GuardedMatrix a(host_a, {}, 0), b(host_b, {}, 0), c(HostMatrix(20, 20), {}, 0);
    for (GuardedMatrix* matrix : {&a, &b, &c}) matrix->upload(stream);
    const Status status =
        GetParam().gemm(1.0f, a.const_view(), b.const_view(), 0.0f, c.view(), stream);
    ASSERT_TRUE(status.ok()) << status.message();
    const HostMatrix expected =
        reference_by(plan_by(GetParam(), a, b, c), 1.0f, host_a, host_b, 0.0f, HostMatrix(20, 20));
    const Comparison same = compare_bits(c.download(stream), expected);
    EXPECT_TRUE(same) << same.message;
  }
}

INSTANTIATE_TEST_SUITE_P(Policies, Streams, testing::ValuesIn(every_policy()), policy_name);

// Eight host threads, each with its own stream, each walking through the policies from another one
// on, so that different kernels meet.
TEST(StreamsOfAll, HostThreadsWithMixedPolicies) {
  const std::vector<PolicyEntry> policies = every_policy();
  constexpr std::size_t threads = 8;
  std::vector<std::string> failures(threads);
  std::vector<std::thread> workers;
  for (std::size_t t = 0; t < threads; ++t) {
    workers.emplace_back([&, t] {
      for (std::size_t i = 0; i < 2 * policies.size(); ++i) {
        const PolicyEntry& policy = policies[(t * 3 + i) % policies.size()];
        const Problem problem{
            .m = 50 + static_cast<index_t>(t), .n = 45, .k = 37, .beta = 0.5f, .seed = t * 100 + i};
        try {
          const testing::AssertionResult result = run_and_check(policy, problem);
          if (!result) failures[t] += result.message();
        } catch (const std::exception& error) {
          failures[t] += error.what();
        }
      }
    });
  }
  for (std::thread& worker : workers) worker.join();
  for (const std::string& failure : failures) EXPECT_EQ(failure, "");
}

// Attributes of a kernel are set for the device that it is launched on, not once for the process.
TEST(StreamsOfAll, EveryDevice) {
  int count = 0, current = -1;
  check(cudaGetDeviceCount(&count), "cudaGetDeviceCount");
  check(cudaGetDevice(&current), "cudaGetDevice");
  if (count < 2) GTEST_SKIP() << "needs two devices, there is " << count;
  for (int device = 0; device < count; ++device) {
    check(cudaSetDevice(device), "cudaSetDevice");
    for (const PolicyEntry& policy : every_policy()) {
      EXPECT_TRUE(run_and_check(policy, {.m = 130, .n = 135, .k = 70})) << "device " << device;
      int after = -1;
      check(cudaGetDevice(&after), "cudaGetDevice");
      EXPECT_EQ(after, device) << "gemm changed the current device";
    }
  }
  check(cudaSetDevice(current), "cudaSetDevice");
}

}  // namespace
}  // namespace tessera::support
