// Products whose last tiles are cut along K and handed from block to block: the bits are those of
// the reference (contract 1), the plan says what is launched, and the workspace is the stream's.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <deque>
#include <limits>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "compare.hpp"
#include "enqueued.hpp"
#include "problem.hpp"
#include "reference.hpp"

namespace tessera {

void PrintTo(const Status& status, std::ostream* os);  // in status_test.cu

namespace support {
namespace {

PolicyEntry policy_of(std::string_view name) {
  for (const PolicyEntry& policy : every_policy()) {
    if (name == policy.name) return policy;
  }
  throw std::runtime_error("no such policy");
}

// 32 x 64 x 8 tiles, cut as for three blocks at once.
class TailOf : public testing::Test {
 protected:
  static constexpr index_t bm = 32, bn = 64, bk = 8;

  LaunchPlan plan_of(index_t m, index_t n, index_t k) {
    alignas(16) static float data[4];
    return policy.plan(1.0f, {data, m, k, k, Layout::row}, {data, k, n, n, Layout::row}, 0.0f,
                       {data, m, n, n, Layout::row});
  }
  // Runs it, once its plan is known to have a tail. With a column-major C, m and n change places,
  // so that its tiles, those of C^T, are as many.
  void check(Problem problem) {
    ASSERT_GT(plan_of(problem.m, problem.n, problem.k).tail.tiles, 0) << problem;
    if (problem.c.at.layout == Layout::col) std::swap(problem.m, problem.n);
    ASSERT_TRUE(run_and_check(policy, problem));
  }

  const PolicyEntry policy = policy_of("small_pipelined");
};

void expect_plan(const LaunchPlan& p, index_t tiles, const Tail& tail) {
  EXPECT_EQ(p.m_tiles * p.n_tiles, tiles);
  EXPECT_EQ(p.tail.tiles, tail.tiles) << p;
  EXPECT_EQ(p.tail.rounds, tail.rounds) << p;
  EXPECT_EQ(p.tail.k_tiles, tail.k_tiles) << p;
  EXPECT_EQ(p.grid, tiles + index_t{tail.tiles} * tail.rounds);
  EXPECT_EQ(p.slices, 1);
  const TileConfig& c = p.config;
  const index_t of_tile = c.block_m() * c.block_n() + c.thread_count() / 32;
  EXPECT_EQ(p.workspace_bytes, tail.tiles > 0 ? 4 * (tail.tiles * of_tile + 1) : 0);
}

TEST_F(TailOf, PlanSaysSo) {
  expect_plan(plan_of(3 * bm, bn, 96 * bk), 3, {});
  expect_plan(plan_of(2 * bm, 2 * bn, 11 * bk), 4, {});
  expect_plan(plan_of(2 * bm, 2 * bn, 12 * bk), 4, {1, 1, 6});
  expect_plan(plan_of(5 * bm, bn, 72 * bk), 5, {2, 2, 12});
  expect_plan(plan_of(4 * bm + 1, bn, 71 * bk + 1), 5, {2, 2, 12});
  expect_plan(plan_of(5 * bm, bn, 400 * bk), 5, {2, 8, 16});
  expect_plan(plan_of(7 * bm, bn, 174 * bk), 7, {4, 2, 30});
  expect_plan(plan_of(31 * bm, bn, 30 * bk), 31, {4, 1, 11});
  std::ostringstream os;
  os << plan_of(5 * bm, bn, 72 * bk);
  EXPECT_NE(os.str().find(", tail of 2 tiles cut into 3 pieces in a workspace of 16404 B"),
            std::string::npos)
      << os.str();
}

TEST_F(TailOf, WavesAndRounds) {
  for (const index_t tiles : {4, 5, 7, 8, 10, 32}) {
    for (const index_t k_tiles : {13, 75, 180}) {
      if (plan_of(tiles * bm, bn, k_tiles * bk).tail.tiles == 0) continue;
      check({.m = tiles * bm, .n = bn, .k = k_tiles * bk, .seed = 7});
    }
  }
  check({.m = 5 * bm, .n = bn, .k = 400 * bk});             // 8 rounds
  check({.m = 9 * bm, .n = bn, .k = 420 * bk, .seed = 3});  // whole waves
}

// Every k of a k-tile, so that the ragged first one is in the first piece alone.
TEST_F(TailOf, EveryResidueOfK) {
  for (index_t k = 71 * bk + 1; k <= 72 * bk; ++k) check({.m = 5 * bm, .n = bn, .k = k});
}

TEST_F(TailOf, EveryLayout) {
  for (const Layouts& layouts : every_layout()) {
    // Whole, ragged at full width, and scalar.
    check(with_layouts({.m = 5 * bm, .n = bn, .k = 72 * bk}, layouts));
    check(with_layouts({.m = bm + 4, .n = bn + 8, .k = 20 * bk + 4, .beta = 0.5f}, layouts));
    Problem odd{.m = 4 * bm + 3, .n = bn - 1, .k = 75 * bk - 3, .alpha = 0.75f, .beta = -1.5f};
    odd.a.at.ld_extra = 1, odd.b.at.ld_extra = 2, odd.c.at = {.ld_extra = 3, .offset = 1};
    check(with_layouts(odd, layouts));
  }
}

// The epilogue once: none of it where accumulators are handed on. C is NaN where beta is 0.
TEST_F(TailOf, Scalars) {
  using limits = std::numeric_limits<float>;
  for (const float alpha : {1.0f, -1.0f / 3.0f, limits::infinity(), limits::denorm_min()}) {
    for (const float beta : {0.0f, -0.0f, 1.0f, -1.0f / 3.0f, limits::quiet_NaN()}) {
      check({.m = 5 * bm, .n = bn, .k = 72 * bk, .alpha = alpha, .beta = beta});
      check({.m = 3 * bm + 1, .n = 7, .k = 13 * bk - 1, .alpha = alpha, .beta = beta});
    }
  }
  // Without a product there is nothing to cut.
  ASSERT_TRUE(
      run_and_check(policy, {.m = 5 * bm, .n = bn, .k = 72 * bk, .alpha = 0.0f, .beta = 2.0f}));
}

TEST_F(TailOf, SpecialValuesAndSubnormals) {
  for (const Fill fill : {Fill::specials, Fill::tiny, Fill::small_integers}) {
    for (const float beta : {0.0f, 1.0f}) {
      Problem problem{.m = 4 * bm + 5, .n = bn, .k = 72 * bk - 1, .beta = beta};
      problem.a.fill = problem.b.fill = problem.c.fill = fill;
      check(problem);
    }
  }
}

// Underflow makes every accumulator -0, which is handed on as it is.
TEST_F(TailOf, MinusZeroIsHandedOn) {
  for (const index_t k : {71 * bk + 1, 72 * bk}) {
    const Problem problem{.m = 5 * bm, .n = bn - 1, .k = k};
    ASSERT_GT(plan_of(problem.m, problem.n, k).tail.tiles, 0);
    HostOperands operands(problem);
    for (float& a : operands.a.data) a = 1e-30f;
    for (float& b : operands.b.data) b = -1e-30f;
    const HostMatrix expected = expected_c(problem, operands);
    ASSERT_TRUE(std::signbit(expected.data[0]));
    ASSERT_TRUE(run_and_check(policy, problem, operands, expected));
  }
}

// The library's own, on a tile more than an H200 has SMs.
TEST(TailOfPipelined, OneTileMoreThanSms) {
  const PolicyEntry pipelined = policy_of("pipelined");
  for (const Problem& problem :
       {Problem{.m = 132 * 128 + 4, .n = 200, .k = 12 * 16, .alpha = 1.25f, .beta = -0.5f},
        Problem{.m = 132 * 128 + 1, .n = 33, .k = 12 * 16 - 3}}) {
    alignas(16) static float data[4];
    const auto [m, n, k] = std::array{problem.m, problem.n, problem.k};
    expect_plan(pipelined.plan(1.0f, {data, m, k, k, Layout::row}, {data, k, n, n, Layout::row},
                               0.0f, {data, m, n, n, Layout::row}),
                133, {1, 1, 6});
    ASSERT_TRUE(run_and_check(pipelined, problem));
  }
}

// Several products in flight at once, each with a workspace of its own.
TEST_F(TailOf, SeveralStreamsAtOnce) {
  constexpr std::size_t count = 4;
  const Problem problem{.m = 5 * bm, .n = bn, .k = 72 * bk, .beta = 0.5f};
  const HostOperands host(problem);
  const HostMatrix expected = expected_c(problem, host);
  const Stream streams[count];
  GuardedMatrix a(host.a, {}, 0), b(host.b, {}, 0);
  std::deque<GuardedMatrix> c;
  for (std::size_t i = 0; i < count; ++i) c.emplace_back(host.c, Placement{}, 0);
  a.upload(streams[0]);
  b.upload(streams[0]);
  for (GuardedMatrix& matrix : c) matrix.upload(streams[0]);
  streams[0].synchronize();
  for (std::size_t i = 0; i < count; ++i) {
    ASSERT_EQ(policy.gemm(problem.alpha, a.const_view(), b.const_view(), problem.beta, c[i].view(),
                          streams[i]),
              Status());
  }
  for (std::size_t i = 0; i < count; ++i) {
    const Comparison same = compare_bits(c[i].download(streams[i]), expected);
    EXPECT_TRUE(same) << "stream " << i << ": " << same.message;
  }
}

// On a GPU, each workspace is the memory of the one before, whose progress it must not take for its
// own.
TEST_F(TailOf, OneAfterAnother) {
  constexpr std::size_t count = 8;
  const Problem problem{.m = 5 * bm, .n = bn, .k = 72 * bk, .alpha = 0.5f};
  const HostOperands host(problem);
  const HostMatrix expected = expected_c(problem, host);
  const Stream stream;
  GuardedMatrix a(host.a, {}, 0), b(host.b, {}, 0);
  std::deque<GuardedMatrix> c;
  for (std::size_t i = 0; i < count; ++i) c.emplace_back(host.c, Placement{}, 0);
  a.upload(stream);
  b.upload(stream);
  for (GuardedMatrix& matrix : c) matrix.upload(stream);
  for (GuardedMatrix& matrix : c) {
    ASSERT_EQ(policy.gemm(problem.alpha, a.const_view(), b.const_view(), problem.beta,
                          matrix.view(), stream),
              Status());
  }
  for (GuardedMatrix& matrix : c) {
    const Comparison same = compare_bits(matrix.download(stream), expected);
    EXPECT_TRUE(same) << same.message;
  }
}

TEST_F(TailOf, HostThreads) {
  constexpr std::size_t count = 4;
  std::vector<std::string> failures(count);
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < count; ++t) {
    threads.emplace_back([&, t] {
      const testing::AssertionResult result = run_and_check(
          policy, {.m = 4 * bm + 1, .n = bn, .k = 72 * bk, .beta = 1.0f, .seed = t + 1});
      if (!result) failures[t] = result.message();
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::string& failure : failures) EXPECT_EQ(failure, "");
}

#if defined(TESSERA_EMULATOR)

// Blocks that run at once wait for each other.
TEST_F(TailOf, BlocksOnSeveralHostThreads) {
  for (const unsigned int threads : {2u, 3u}) {
    emulator::Options options = emulator::options;
    options.threads = threads;
    const emulator::ScopedOptions scoped(options);
    check({.m = 5 * bm, .n = bn, .k = 72 * bk});
    check({.m = 7 * bm + 1, .n = 7, .k = 40 * bk - 1, .beta = 2.0f});
  }
}

TEST_F(TailOf, WorkspaceIsFreedAndItsLackReported) {
  const Problem problem{.m = 5 * bm, .n = bn, .k = 72 * bk, .beta = 1.0f};
  const HostOperands host(problem);
  const Stream stream;
  GuardedMatrix a(host.a, {}, 0), b(host.b, {}, 0), c(host.c, {}, 0);
  for (GuardedMatrix* matrix : {&a, &b, &c}) matrix->upload(stream);
  const auto gemm = [&] {
    return policy.gemm(1.0f, a.const_view(), b.const_view(), 1.0f, c.view(), stream);
  };
  const std::size_t before = emulator::live_allocations();
  EXPECT_EQ(gemm(), Status());
  EXPECT_EQ(emulator::live_allocations(), before);
  EXPECT_FALSE(c.unchanged(stream));

  c.upload(stream);
  emulator::Options without_memory = emulator::options;
  // A byte less than the plan says.
  without_memory.largest_allocation =
      static_cast<std::size_t>(plan_of(problem.m, problem.n, problem.k).workspace_bytes) - 1;
  const emulator::ScopedOptions scoped(without_memory);
  const Status status = gemm();
  EXPECT_EQ(status.reason(), Reason::cuda_error);
  EXPECT_EQ(status.cuda_error(), cudaErrorMemoryAllocation);
  EXPECT_TRUE(c.unchanged(stream)) << "something was launched";
  EXPECT_EQ(emulator::live_allocations(), before);
  static_cast<void>(cudaGetLastError());
  ++emulator::options.largest_allocation;
  EXPECT_EQ(gemm(), Status());
}

#else

TEST_F(TailOf, WorkspaceIsAllocatedClearedAndFreedOnTheStream) {
  const Problem problem{.m = 5 * bm, .n = bn, .k = 72 * bk};
  const HostOperands host(problem);
  const Stream stream;
  GuardedMatrix a(host.a, {}, 0), b(host.b, {}, 0), c(host.c, {}, 0);
  const auto types = enqueued(stream, [&] {
    EXPECT_EQ(policy.gemm(1.0f, a.const_view(), b.const_view(), 0.0f, c.view(), stream), Status());
  });
  EXPECT_EQ(types,
            (std::vector<cudaGraphNodeType>{cudaGraphNodeTypeMemAlloc, cudaGraphNodeTypeMemset,
                                            cudaGraphNodeTypeKernel, cudaGraphNodeTypeMemFree}));
}

#endif

}  // namespace
}  // namespace support
}  // namespace tessera
