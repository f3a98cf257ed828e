// Contract 3 and 4: a refused call writes nothing and launches nothing; Status tells what the
// launch itself said, and an earlier error of the caller's is neither blamed nor swallowed.
// Contract 10: what is enqueued is one kernel, and where the plan has a workspace, that and a
// second.
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "enqueued.hpp"
#include "problem.hpp"
#include "reference.hpp"

namespace tessera {

void PrintTo(const Status& status, std::ostream* os) { *os << status.message(); }

namespace support {
namespace {

// A valid 8 x 8 x 8 problem to spoil.
class StatusOf : public PolicyTest {
 protected:
  StatusOf()
      : memory_a(filled(8, 8, Fill::uniform, 1), {}, 0),
        memory_b(filled(8, 8, Fill::uniform, 2), {}, 0),
        memory_c(filled(8, 8, Fill::uniform, 3), {}, 0) {
    for (GuardedMatrix* matrix : {&memory_a, &memory_b, &memory_c}) matrix->upload(stream);
    a = memory_a.const_view();
    b = memory_b.const_view();
    c = memory_c.view();
  }

  Status gemm(float alpha = 1.0f, float beta = 0.0f) {
    return GetParam().gemm(alpha, a, b, beta, c, stream);
  }

  void expect_refused(Reason reason, Operand operand, float alpha = 1.0f) {
    EXPECT_EQ(gemm(alpha), Status(reason, operand));
    EXPECT_EQ(GetParam().plan(alpha, a, b, 0.0f, c).status, Status(reason, operand));
    EXPECT_TRUE(memory_c.unchanged(stream)) << "a refused call wrote C";
    EXPECT_EQ(cudaPeekAtLastError(), cudaSuccess) << "a refused call met the CUDA runtime";
  }

  Stream stream;
  GuardedMatrix memory_a, memory_b, memory_c;
  AnyView<const float> a, b;
  AnyView<float> c;
};

TEST_P(StatusOf, NegativeSize) {
  a.rows = c.rows = -8;
  expect_refused(Reason::negative_size, Operand::a);
}

TEST_P(StatusOf, LdBelowItsMinimum) {
  for (const Layout layout : {Layout::row, Layout::col}) {
    a.layout = b.layout = c.layout = layout;
    a.ld = 7;
    expect_refused(Reason::invalid_ld, Operand::a);
    a.ld = 8;
    b.ld = 7;
    expect_refused(Reason::invalid_ld, Operand::b);
    b.ld = 8;
    c.ld = 7;
    expect_refused(Reason::invalid_ld, Operand::c);
    c.ld = 8;
  }
}

TEST_P(StatusOf, ExtentsThatDisagree) {
  a.cols = 7;
  expect_refused(Reason::shape_mismatch, Operand::b);
  a.cols = 8;
  c.rows = 7;
  expect_refused(Reason::shape_mismatch, Operand::c);
}

TEST_P(StatusOf, PastTheLimit) {
  a.rows = c.rows = index_t{1} << 31;
  expect_refused(Reason::size_limit, Operand::a);
}

TEST_P(StatusOf, NullPointers) {
  a.data = nullptr;
  expect_refused(Reason::null_pointer, Operand::a);
  a.data = b.data;
  b.data = nullptr;
  expect_refused(Reason::null_pointer, Operand::b);
  b.data = a.data;
  c.data = nullptr;
  expect_refused(Reason::null_pointer, Operand::c);
}

TEST_P(StatusOf, PointerBetweenTwoFloats) {
  a.data = reinterpret_cast<const float*>(reinterpret_cast<std::uintptr_t>(a.data) + 2);
  expect_refused(Reason::misaligned_pointer, Operand::a);
}

TEST_P(StatusOf, ChecksComeBeforeQuickReturns) {
  b.ld = 7;
  expect_refused(Reason::invalid_ld, Operand::b, 0.0f);
  a.rows = c.rows = 0;
  expect_refused(Reason::invalid_ld, Operand::b);
}

TEST_P(StatusOf, EarlierErrorIsNeitherBlamedNorSwallowed) {
  ASSERT_EQ(cudaSetDevice(999), cudaErrorInvalidDevice);
  const Status status = gemm();
  EXPECT_EQ(status, Status());
  EXPECT_EQ(cudaPeekAtLastError(), cudaErrorInvalidDevice);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidDevice);
  EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  const HostMatrix expected =
      reference_by(GetParam().plan(1.0f, a, b, 0.0f, c), 1.0f, memory_a.download(stream),
                   memory_b.download(stream), 0.0f, HostMatrix(8, 8));
  EXPECT_EQ(memory_c.download(stream).data, expected.data);
}

TEST_P(StatusOf, EarlierErrorSurvivesARefusal) {
  ASSERT_EQ(cudaSetDevice(999), cudaErrorInvalidDevice);
  c.ld = 7;
  EXPECT_EQ(gemm(), Status(Reason::invalid_ld, Operand::c));
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidDevice);
}

#if defined(TESSERA_EMULATOR)

// The emulator knows its handles; with a real driver this would be undefined.
TEST_P(StatusOf, FailedLaunchIsReported) {
  cudaStream_t destroyed = nullptr;
  check(cudaStreamCreate(&destroyed), "cudaStreamCreate");
  check(cudaStreamDestroy(destroyed), "cudaStreamDestroy");
  const Status status = GetParam().gemm(1.0f, a, b, 0.0f, c, destroyed);
  EXPECT_EQ(status.reason(), Reason::cuda_error);
  EXPECT_EQ(status.cuda_error(), cudaErrorInvalidResourceHandle);
  EXPECT_STREQ(status.message(), cudaGetErrorString(cudaErrorInvalidResourceHandle));
  EXPECT_TRUE(memory_c.unchanged(stream));
  static_cast<void>(cudaGetLastError());
}

// A K of 16 tiles, on which policies with Slices need a workspace where they can.
TEST_P(StatusOf, WorkspaceIsFreedOrNeverThere) {
  const index_t k = 16 * config_of(GetParam()).block_k();
  GuardedMatrix long_a(filled(8, k, Fill::uniform, 1), {}, 0),
      long_b(filled(k, 8, Fill::uniform, 2), {}, 0);
  for (GuardedMatrix* matrix : {&long_a, &long_b}) matrix->upload(stream);
  a = long_a.const_view();
  b = long_b.const_view();
  const bool needs_workspace = GetParam().plan(1.0f, a, b, 0.0f, c).workspace_bytes > 0;
  const std::size_t before = emulator::live_allocations();
  EXPECT_EQ(gemm(1.0f, 1.0f), Status());
  EXPECT_EQ(emulator::live_allocations(), before);

  memory_c.upload(stream);
  emulator::Options without_memory = emulator::options;
  without_memory.largest_allocation = 0;
  const emulator::ScopedOptions scoped(without_memory);
  const Status status = gemm(1.0f, 1.0f);
  EXPECT_EQ(status.cuda_error(), needs_workspace ? cudaErrorMemoryAllocation : cudaSuccess);
  EXPECT_EQ(memory_c.unchanged(stream), needs_workspace) << "something was launched";
  EXPECT_EQ(emulator::live_allocations(), before);
  static_cast<void>(cudaGetLastError());
}

#else

TEST_P(StatusOf, EnqueuesOneKernelAndNothingElse) {
  EXPECT_EQ(GetParam().plan(1.0f, a, b, 0.0f, c).workspace_bytes, 0);
  EXPECT_EQ(enqueued(stream, [&] { EXPECT_EQ(gemm(), Status()); }),
            std::vector<cudaGraphNodeType>{cudaGraphNodeTypeKernel});
  EXPECT_EQ(enqueued(stream, [&] { EXPECT_EQ(gemm(0.0f, 2.0f), Status()); }),
            std::vector<cudaGraphNodeType>{cudaGraphNodeTypeKernel});
}

TEST_P(StatusOf, WorkspaceIsAllocatedAndFreedOnTheStream) {
  const index_t k = 16 * config_of(GetParam()).block_k();
  GuardedMatrix long_a(filled(8, k, Fill::uniform, 1), {}, 0),
      long_b(filled(k, 8, Fill::uniform, 2), {}, 0);
  a = long_a.const_view();
  b = long_b.const_view();
  if (GetParam().plan(1.0f, a, b, 0.0f, c).workspace_bytes == 0) GTEST_SKIP() << "no workspace";
  EXPECT_EQ(enqueued(stream, [&] { EXPECT_EQ(gemm(), Status()); }),
            (std::vector<cudaGraphNodeType>{cudaGraphNodeTypeMemAlloc, cudaGraphNodeTypeKernel,
                                            cudaGraphNodeTypeKernel, cudaGraphNodeTypeMemFree}));
}

TEST_P(StatusOf, EnqueuesNothingWhereThereIsNothingToDo) {
  EXPECT_TRUE(enqueued(stream, [&] { EXPECT_EQ(gemm(0.0f, 1.0f), Status()); }).empty());
  b.cols = c.cols = 0;
  EXPECT_TRUE(enqueued(stream, [&] { EXPECT_EQ(gemm(), Status()); }).empty());
  b.ld = 0;
  EXPECT_TRUE(
      enqueued(stream, [&] { EXPECT_EQ(gemm(), Status(Reason::invalid_ld, Operand::b)); }).empty());
}

// A capture that a synchronisation has spoilt refuses every later launch.
TEST_P(StatusOf, FailedLaunchIsReported) {
  check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed), "begin capture");
  EXPECT_NE(cudaStreamSynchronize(stream), cudaSuccess);
  static_cast<void>(cudaGetLastError());
  const Status status = gemm();
  EXPECT_EQ(status.reason(), Reason::cuda_error);
  EXPECT_EQ(status.cuda_error(), cudaErrorStreamCaptureInvalidated) << status.message();
  EXPECT_STREQ(status.message(), cudaGetErrorString(cudaErrorStreamCaptureInvalidated));
  cudaGraph_t graph = nullptr;
  EXPECT_NE(cudaStreamEndCapture(stream, &graph), cudaSuccess);
  static_cast<void>(cudaGetLastError());
  EXPECT_TRUE(memory_c.unchanged(stream));
}

#endif

INSTANTIATE_TEST_SUITE_P(Policies, StatusOf, testing::ValuesIn(every_policy()), policy_name);

}  // namespace
}  // namespace support
}  // namespace tessera
