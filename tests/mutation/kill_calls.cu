// The kill suite's calls: what is refused and in which order, what the plan says, what the launch
// reports. No values.
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>

#include "policy_under_test.hpp"
#include "tests/support/problem.hpp"

namespace tessera {

void PrintTo(const Status& status, std::ostream* os) { *os << status.message(); }

namespace mutation {
namespace {

using namespace support;

constexpr index_t large = index_t{1} << 31;

// A valid problem to spoil: 8 x 12 x 16, every extent another one.
class Calls : public testing::Test {
 protected:
  Calls() {
    for (GuardedMatrix* matrix : {&memory_a, &memory_b, &memory_c}) matrix->upload(stream);
  }

  Status gemm(float alpha = 1.0f, float beta = 0.0f) {
    return policy.gemm(alpha, a, b, beta, c, stream);
  }
  LaunchPlan plan(float alpha = 1.0f, float beta = 0.0f) {
    return policy.plan(alpha, a, b, beta, c);
  }
  void expect_refused(Reason reason, Operand operand, float alpha = 1.0f) {
    EXPECT_EQ(plan(alpha).status, Status(reason, operand));
    EXPECT_FALSE(plan(alpha).launches);
    ASSERT_EQ(gemm(alpha), Status(reason, operand));
    EXPECT_TRUE(memory_c.unchanged(stream)) << "a refused call wrote C";
    restore();
  }
  void restore() {
    a = memory_a.const_view();
    b = memory_b.const_view();
    c = memory_c.view();
  }
  void set_layout(Layout layout) {
    a = {a.data, 8, 16, layout == Layout::row ? 16 : 8, layout};
    b = {b.data, 16, 12, layout == Layout::row ? 12 : 16, layout};
    c = {c.data, 8, 12, layout == Layout::row ? 12 : 8, layout};
  }

  const PolicyEntry policy = policy_under_test();
  const TileConfig config = config_of(policy);
  Stream stream;
  GuardedMatrix memory_a{filled(8, 16, Fill::uniform, 1), {}, 0},
      memory_b{filled(16, 12, Fill::uniform, 2), {}, 0},
      memory_c{filled(8, 12, Fill::uniform, 3), {}, 0};
  AnyView<const float> a = memory_a.const_view(), b = memory_b.const_view();
  AnyView<float> c = memory_c.view();
};

TEST_F(Calls, NegativeSizes) {
  for (const Layout layout : {Layout::row, Layout::col}) {
    set_layout(layout);
    a.rows = c.rows = -8;
    expect_refused(Reason::negative_size, Operand::a);
    set_layout(layout);
    b.cols = c.cols = -1;
    expect_refused(Reason::negative_size, Operand::b);
  }
}

TEST_F(Calls, LdBelowItsMinimum) {
  for (const Layout layout : {Layout::row, Layout::col}) {
    for (int i = 0; i < 3; ++i) {
      set_layout(layout);
      EXPECT_TRUE(plan().status.ok()) << "the minimum";
      --(i == 0 ? a.ld : i == 1 ? b.ld : c.ld);
      expect_refused(Reason::invalid_ld, i == 0 ? Operand::a : i == 1 ? Operand::b : Operand::c);
    }
  }
  b.cols = c.cols = 0;
  b.ld = 0;
  expect_refused(Reason::invalid_ld, Operand::b);
}

TEST_F(Calls, ExtentsThatDisagree) {
  a.cols = 15;
  expect_refused(Reason::shape_mismatch, Operand::b);
  c.rows = 7;
  expect_refused(Reason::shape_mismatch, Operand::c);
  c.cols = 11;
  expect_refused(Reason::shape_mismatch, Operand::c);
}

TEST_F(Calls, PastTheLimits) {
  a.rows = c.rows = large;
  expect_refused(Reason::size_limit, Operand::a);
  b.cols = c.cols = b.ld = c.ld = large;
  expect_refused(Reason::size_limit, Operand::b);
  // A view that spans 2^63 bytes.
  c.ld = std::numeric_limits<index_t>::max() / 4 / 7;
  expect_refused(Reason::size_limit, Operand::c);
}

TEST_F(Calls, NullAndMisalignedPointers) {
  a.data = nullptr;
  expect_refused(Reason::null_pointer, Operand::a);
  b.data = nullptr;
  expect_refused(Reason::null_pointer, Operand::b);
  c.data = nullptr;
  expect_refused(Reason::null_pointer, Operand::c);
  b.data = reinterpret_cast<const float*>(reinterpret_cast<std::uintptr_t>(b.data) + 2);
  expect_refused(Reason::misaligned_pointer, Operand::b);
}

// Sizes, then leading dimensions, then shapes, then pointers; all before a quick return.
TEST_F(Calls, OrderOfChecks) {
  b.rows = -1;
  a.ld = 3;
  expect_refused(Reason::negative_size, Operand::b);
  c.rows = 7;
  b.ld = 3;
  expect_refused(Reason::invalid_ld, Operand::b);
  a.data = nullptr;
  c.rows = 7;
  expect_refused(Reason::shape_mismatch, Operand::c);
  a.ld = 3;
  expect_refused(Reason::invalid_ld, Operand::a, 0.0f);
  a.rows = c.rows = 0;
  b.ld = 3;
  expect_refused(Reason::invalid_ld, Operand::b);
}

// What the launch itself says reaches the caller, and it goes to the caller's stream.
TEST_F(Calls, FailedLaunchIsReported) {
  cudaStream_t destroyed = nullptr;
  check(cudaStreamCreate(&destroyed), "cudaStreamCreate");
  check(cudaStreamDestroy(destroyed), "cudaStreamDestroy");
  const Status status = policy.gemm(1.0f, a, b, 0.0f, c, destroyed);
  EXPECT_EQ(status.reason(), Reason::cuda_error);
  EXPECT_EQ(status.cuda_error(), cudaErrorInvalidResourceHandle);
  EXPECT_TRUE(memory_c.unchanged(stream));
  static_cast<void>(cudaGetLastError());
}

// A plan touches no memory, so that aligned floats can stand for any matrix.
class Plans : public Calls {
 protected:
  LaunchPlan plan_of(index_t m, index_t n, index_t k, float alpha = 1.0f, float beta = 0.0f) {
    const auto packed = [](index_t cols) { return cols > 1 ? cols : 1; };
    return policy.plan(alpha, {data, m, k, packed(k), Layout::row},
                       {data, k, n, packed(n), Layout::row}, beta,
                       {data, m, n, packed(n), Layout::row});
  }
  const index_t bm = config.block_m(), bn = config.block_n(), bk = config.block_k();
  alignas(16) static inline float data[64];
};

TEST_F(Plans, TilesAndGuard) {
  const LaunchPlan exact = plan_of(2 * bm, 3 * bn, 4 * bk);
  EXPECT_EQ(exact.m_tiles, 2);
  EXPECT_EQ(exact.n_tiles, 3);
  EXPECT_EQ(exact.k_tiles, 4);
  EXPECT_EQ(exact.grid, 6 * exact.slices);
  EXPECT_EQ(exact.vec_width_a, config.vec_width.floats);
  EXPECT_EQ(exact.guarded, !config.has_exact_variant());
  EXPECT_EQ(exact.block, config.block_threads());
  EXPECT_FALSE(exact.transposed);
  const index_t w = config.vec_width.floats;
  for (const LaunchPlan& ragged : {plan_of(bm + 1, bn, bk), plan_of(bm, bn + w, bk)}) {
    EXPECT_EQ(ragged.grid, 2 * ragged.slices);
    EXPECT_EQ(ragged.vec_width_a, w);
    EXPECT_TRUE(ragged.guarded);
  }
  const LaunchPlan ragged_k = plan_of(bm, bn, bk + w);
  EXPECT_EQ(ragged_k.k_tiles, 2);
  EXPECT_EQ(ragged_k.guarded, bk > w || !config.has_exact_variant());
}

// No more slices than the policy allows or than k-tiles; clusters of up to 8, else a workspace.
TEST_F(Plans, SlicesOfK) {
  for (const index_t k_tiles : {1, 2, 8, 9, 40}) {
    const LaunchPlan p = plan_of(2 * bm, 3 * bn, k_tiles * bk);
    EXPECT_GE(p.slices, 1);
    EXPECT_LE(p.slices, k_tiles);
    EXPECT_LE(p.slices, config.slices.max);
    EXPECT_EQ(p.slices > 1, config.slices.max > 1 && k_tiles > 1);
    EXPECT_EQ(p.grid, 6 * p.slices);
    EXPECT_EQ(p.cluster, config.adds_in_clusters() && p.slices > 1 && p.slices <= 8);
    const bool workspace = p.slices > 1 && !p.cluster;
    EXPECT_EQ(p.workspace_bytes, workspace ? p.slices * 6 * bm * bn * 4 : 0);
    EXPECT_EQ(p.reduction_grid > 0, workspace);
  }
  EXPECT_EQ(plan_of(bm, bn, 16 * bk, 0.0f).slices, 1);
}

// Beyond a wave, if K is long enough and a grid holds all pieces.
TEST_F(Plans, Tail) {
  const index_t blocks = config.even_tail.blocks;
  if (blocks == 0) GTEST_SKIP() << "every tile is whole";
  for (const index_t tiles : {index_t{1}, blocks, blocks + 1, blocks + 2, 2 * blocks + 1}) {
    for (const index_t k_tiles : {11, 72, 4096}) {
      const LaunchPlan p = plan_of(tiles * bm, bn, k_tiles * bk);
      EXPECT_EQ(p.tail.tiles > 0, tiles > blocks && k_tiles > 11) << p;
      EXPECT_EQ(p.grid, tiles + index_t{p.tail.tiles} * p.tail.rounds);
      EXPECT_LT(p.tail.rounds * p.tail.k_tiles, k_tiles);
      const index_t of_tile = bm * bn + config.thread_count() / 32;
      EXPECT_EQ(p.workspace_bytes, p.tail.tiles > 0 ? 4 * (p.tail.tiles * of_tile + 1) : 0);
    }
  }
  // 42966 * 49981 is 2^31 - 2.
  const LaunchPlan largest = plan_of(index_t{42966} * bm, index_t{49981} * bn, 4096 * bk);
  EXPECT_TRUE(largest.launches);
  EXPECT_EQ(largest.grid, large - 2);
}

// What a workspace needs is freed, whatever the launches say.
TEST_F(Calls, NothingStaysAllocated) {
  const std::size_t before = emulator::live_allocations();
  const index_t k = 40 * config.block_k();
  {
    GuardedMatrix long_a(filled(8, k, Fill::uniform, 1), {}, 0),
        long_b(filled(k, 12, Fill::uniform, 2), {}, 0);
    for (GuardedMatrix* matrix : {&long_a, &long_b}) matrix->upload(stream);
    a = long_a.const_view();
    b = long_b.const_view();
    EXPECT_EQ(gemm(), Status());
    emulator::Options without_memory = emulator::options;
    without_memory.largest_allocation = 0;
    const emulator::ScopedOptions scoped(without_memory);
    EXPECT_EQ(gemm().cuda_error(),
              plan().workspace_bytes > 0 ? cudaErrorMemoryAllocation : cudaSuccess);
    static_cast<void>(cudaGetLastError());
  }
  EXPECT_EQ(emulator::live_allocations(), before);
}

TEST_F(Plans, WidthOfTheNarrowestOperand) {
  const index_t w = config.vec_width.floats;
  for (int i = 0; i < 3; ++i) {
    for (const bool by_pointer : {true, false}) {
      const auto at = [&](int of) { return data + (i == of && by_pointer ? 1 : 0); };
      const auto ld = [&](int of, index_t least) { return least + (i == of && !by_pointer); };
      const LaunchPlan p = policy.plan(1.0f, {at(0), bm, 4 * bk, ld(0, 4 * bk), Layout::row},
                                       {at(1), 4 * bk, bn, ld(1, bn), Layout::row}, 0.0f,
                                       {at(2), bm, bn, ld(2, bn), Layout::row});
      EXPECT_EQ(p.vec_width_a, i == 2 && config.has_narrow_c_variant() ? w : 1);
      EXPECT_EQ(p.vec_width_c, 1);
      EXPECT_EQ(p.guarded, w > 1 || !config.has_exact_variant());
    }
  }
  const LaunchPlan odd_length =
      policy.plan(1.0f, {data, bm, bk, bk, Layout::row}, {data, bk, bn - 1, bn, Layout::row}, 0.0f,
                  {data, bm, bn - 1, bn, Layout::row});
  EXPECT_EQ(odd_length.vec_width_a, 1) << "lines that are not whole accesses";
  // A single line has no distance to the next.
  const LaunchPlan row =
      policy.plan(1.0f, {data, 1, 4 * bk, 4 * bk + 1, Layout::row},
                  {data, 4 * bk, bn, bn, Layout::row}, 0.0f, {data, 1, bn, bn + 1, Layout::row});
  EXPECT_EQ(row.vec_width_a, w);
}

TEST_F(Plans, WithoutAProduct) {
  for (const LaunchPlan& p : {plan_of(bm, bn, 0), plan_of(bm, bn, 4 * bk, 0.0f)}) {
    EXPECT_TRUE(p.launches);
    EXPECT_EQ(p.k_tiles, 0);
    EXPECT_EQ(p.grid, 0);
    EXPECT_GT(p.reduction_grid, 0);
  }
  EXPECT_FALSE(plan_of(bm, bn, 0, 1.0f, 1.0f).launches);
  EXPECT_FALSE(plan_of(0, bn, 4 * bk).launches);
  EXPECT_FALSE(plan_of(bm, 0, 4 * bk).launches);
}

TEST_F(Plans, MoreTilesThanAGridHolds) {
  const LaunchPlan p = plan_of(65536 * bm, 32768 * bn, 1);
  EXPECT_EQ(p.status, Status(Reason::size_limit, Operand::c));
  EXPECT_FALSE(p.launches);
  EXPECT_TRUE(plan_of(65535 * bm, 32768 * bn, 1).launches);
}

TEST_F(Plans, ColumnMajorCIsTheTransposedProblem) {
  const LaunchPlan p =
      policy.plan(1.0f, {data, 8, 16, 16, Layout::row}, {data, 16, 12, 12, Layout::row}, 0.0f,
                  {data, 8, 12, 8, Layout::col});
  EXPECT_TRUE(p.transposed);
  EXPECT_EQ(p.shape.m, 12);
  EXPECT_EQ(p.shape.n, 8);
  EXPECT_EQ(p.shape.k, 16);
}

// Too many blocks to launch here: the last one of a grid one tile high, and of one tile wide.
TEST(Rasterisation, LastBlockOfAHugeGrid) {
  const int last = std::numeric_limits<int>::max() - 1;
  const BlockTile of_row = rasterise_under_test(last, 1, last + 1);
  EXPECT_EQ(of_row.m, 0);
  EXPECT_EQ(of_row.n, last);
  const BlockTile of_col = rasterise_under_test(last, last + 1, 1);
  EXPECT_EQ(of_col.m, last);
  EXPECT_EQ(of_col.n, 0);
}

}  // namespace
}  // namespace mutation
}  // namespace tessera
