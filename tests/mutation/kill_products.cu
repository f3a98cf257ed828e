// The kill suite's products: one policy, every variant of its kernel, in each order of a block's
// threads, held to the bits of contract 1. Short, because it runs once for every mutant; shapes are
// taken from the policy's own tiles.
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <string>

#include "policy_under_test.hpp"
#include "tests/support/compare.hpp"
#include "tests/support/problem.hpp"

namespace tessera::mutation {
namespace {

using namespace support;
using limits = std::numeric_limits<float>;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool sanitized = true;
#else
constexpr bool sanitized = false;
#endif

emulator::Options with_order(emulator::Order order) {
  emulator::Options options = emulator::options;
  options.order = order;
  return options;
}

class Products : public testing::TestWithParam<emulator::Order> {
 protected:
  void check(const Problem& problem) { ASSERT_TRUE(run_and_check(policy, problem)); }
  void check(const Problem& problem, const HostOperands& operands) {
    ASSERT_TRUE(run_and_check(policy, problem, operands, expected_c(problem, operands)));
  }
  void check_every_layout(const Problem& problem) {
    for (const Layouts& layouts : every_layout()) check(with_layouts(problem, layouts));
  }

  emulator::ScopedOptions order_{with_order(GetParam())};
  const PolicyEntry policy = policy_under_test();
  const TileConfig config = config_of(policy);
  const index_t bm = config.block_m(), bn = config.block_n(), bk = config.block_k();
};

OperandSpec& operand(Problem& problem, int i) {
  return i == 0 ? problem.a : i == 1 ? problem.b : problem.c;
}

// Exact at full width, two tiles along each of m and n; every ld another one, so that a stride
// taken from another view or from an extent shows.
TEST_P(Products, WholeTiles) {
  Problem problem{.m = 2 * bm, .n = 2 * bn, .k = 3 * bk, .alpha = 0.75f, .beta = -1.5f};
  problem.a.at = {.ld_extra = 4};
  problem.b.at = {.ld_extra = 8, .offset = 4};
  problem.c.at = {.ld_extra = 12, .offset = 8};
  check_every_layout(problem);
}

// The first and the last k-tile are the mainloops' special cases, and stages alternate.
TEST_P(Products, KTileCounts) {
  for (index_t tiles = 1; tiles <= 5; ++tiles) check({.m = bm, .n = bn, .k = tiles * bk});
}

// More k-tiles than slices, uneven ones, and of each kind of variant.
TEST_P(Products, SlicesOfK) {
  if (config.slices.max == 1) GTEST_SKIP() << "K is in one piece";
  for (index_t tiles = 6; tiles <= 12; ++tiles) {
    check({.m = bm, .n = 2 * bn, .k = tiles * bk, .beta = 0.5f, .c = {.at = {.ld_extra = 12}}});
    check({.m = bm + 1, .n = bn + 4, .k = tiles * bk + 4});
    check({.m = bm + 1, .n = bn - 1, .k = tiles * bk - 1, .alpha = 0.75f, .beta = -0.25f});
  }
  check_every_layout({.m = 2 * bm + 1, .n = bn + 3, .k = 30 * bk + 1, .alpha = 1.25f});
  check_every_layout({.m = bm, .n = bn, .k = 16 * bk, .beta = 2.0f});
}

// Tiles of a last wave that is not full, cut along K and handed on: one of them in one round and
// two in two, on host threads whose blocks wait for each other where a sanitizer may see it.
TEST_P(Products, Tail) {
  const index_t blocks = config.even_tail.blocks;
  if (blocks == 0) GTEST_SKIP() << "every tile is whole";
  check({.m = (blocks + 1) * bm, .n = bn, .k = 12 * bk, .alpha = 0.75f, .beta = -1.5f});
  check({.m = (blocks + 2) * bm - 1, .n = bn - 1, .k = 72 * bk - 3, .alpha = 1.25f});
  check({.m = (blocks + 2) * bm, .n = bn, .k = 72 * bk, .c = {.at = {.ld_extra = 12}}});
  // Contiguous along m and n, with a residue of k.
  check(with_layouts({.m = (blocks + 1) * bm, .n = bn, .k = 12 * bk - 3},
                     {Layout::col, Layout::row, Layout::row}));
  // Two waves before it: a whole one more is cut.
  check({.m = (2 * blocks + 1) * bm, .n = bn, .k = 24 * bk + 1, .beta = 0.5f});
}

TEST_P(Products, TailOnHostThreads) {
  const index_t blocks = config.even_tail.blocks;
  if (blocks == 0) GTEST_SKIP() << "every tile is whole";
  emulator::options.threads = 2;
  check({.m = (blocks + 2) * bm, .n = bn, .k = 18 * bk});
  check({.m = (2 * blocks + 1) * bm, .n = bn - 1, .k = 18 * bk + 1, .beta = 0.5f});
}

// A rim whose K is long enough to be cut.
TEST_P(Products, LongRim) {
  const Problem problem{.m = bm + 3, .n = bn + 3, .k = 130, .beta = 0.5f};
  if (plan_of(policy, problem).rim_rows.extent > 0) check_every_layout(problem);
}

// Guarded at full width.
TEST_P(Products, RaggedAndAligned) {
  check_every_layout({.m = bm + 4, .n = bn + 8, .k = 2 * bk + 4, .beta = 0.5f});
  // k is then no contiguous extent, so that it may be odd.
  check(with_layouts({.m = bm + 4, .n = bn + 4, .k = 2 * bk + 1},
                     {Layout::col, Layout::row, Layout::row}));
  // One ragged extent at a time.
  const index_t w = config.vec_width.floats;
  for (const Layouts& layouts :
       {Layouts{Layout::row, Layout::row, Layout::row}, {Layout::col, Layout::col, Layout::row}}) {
    check(with_layouts({.m = bm + w, .n = bn, .k = bk}, layouts));
    check(with_layouts({.m = bm, .n = bn + w, .k = bk}, layouts));
    check(with_layouts({.m = bm, .n = bn, .k = bk + w}, layouts));
  }
}

// Guarded and scalar.
TEST_P(Products, RaggedAndOdd) {
  check_every_layout(
      {.m = bm + 1, .n = bn + 3, .k = 2 * bk + 1, .alpha = 1.25f, .beta = 1.0f / 3.0f});
  check_every_layout({.m = 7, .n = 13, .k = 5});
}

// Lines that begin aligned and end inside an access: an access there reaches the padding. One k is
// in one slice whatever the policy.
TEST_P(Products, OddExtentsWithAlignedLd) {
  const auto padding = [](index_t extent) { return (4 - extent % 4) % 4; };
  for (const index_t k : {2 * bk + 1, index_t{1}}) {
    const Problem odd{.m = bm + 1, .n = bn + 3, .k = k, .beta = -1.0f};
    for (const Layouts& layouts : every_layout()) {
      Problem problem = with_layouts(odd, layouts);
      problem.a.at.ld_extra = padding(layouts.a == Layout::row ? odd.k : odd.m);
      problem.b.at.ld_extra = padding(layouts.b == Layout::row ? odd.n : odd.k);
      problem.c.at.ld_extra = padding(layouts.c == Layout::row ? odd.n : odd.m);
      check(problem);
    }
  }
}

// Whole tiles, scalar: one operand at a time is narrow, by its pointer or by its ld.
TEST_P(Products, NarrowOperands) {
  for (int i = 0; i < 3; ++i) {
    for (const index_t k : {2 * bk, bk}) {
      Problem problem{.m = bm, .n = bn, .k = k};
      operand(problem, i).at.offset = 1 + i;
      check(problem);
      check(with_layouts(problem, {Layout::col, Layout::col, Layout::col}));
      operand(problem, i).at = {.ld_extra = 1};
      check(problem);
    }
  }
}

// More than one group of the rasterisation, the last one ragged.
TEST_P(Products, ManyTiles) { check({.m = 10 * bm + 1, .n = 2 * bn + 1, .k = 3}); }

// Underflow makes every accumulator -0, which the padding of a ragged k-tile must leave alone, and
// so must the sum of slices.
TEST_P(Products, MinusZeroSurvivesThePadding) {
  for (const index_t k : {index_t{1}, bk + 1, 2 * bk - 1, 9 * bk, 12 * bk + 1}) {
    const Problem problem{.m = 9, .n = 10, .k = k};
    HostOperands operands(problem);
    for (float& a : operands.a.data) a = 1e-30f;
    for (float& b : operands.b.data) b = -1e-30f;
    check(problem, operands);
  }
}

TEST_P(Products, SpecialValues) {
  for (const float beta : {0.0f, 1.0f}) {
    Problem problem{.m = 33, .n = 37, .k = 5, .beta = beta};
    problem.a.fill = problem.b.fill = problem.c.fill = Fill::specials;
    check_every_layout(problem);
  }
}

TEST_P(Products, Scalars) {
  for (const float alpha : {1.0f, -1.0f, 1.0f / 3.0f, limits::infinity(), limits::denorm_min()}) {
    for (const float beta : {0.0f, -0.0f, 1.0f, -1.0f / 3.0f, limits::quiet_NaN()}) {
      check({.m = 17, .n = 19, .k = 9, .alpha = alpha, .beta = beta});
      check({.m = bm, .n = bn, .k = bk, .alpha = alpha, .beta = beta});
    }
  }
}

// C holds NaN where beta is 0, and rows of zeros of both signs where it is not.
TEST_P(Products, WithoutAProduct) {
  const OperandSpec null{.null = true}, nan{.fill = Fill::all_nan};
  for (const float beta : {0.0f, -0.0f, 1.0f, 2.0f, -1.0f, limits::quiet_NaN()}) {
    for (const OperandSpec& input : {null, nan}) {
      check({.m = 5, .n = 7, .k = 9, .alpha = 0.0f, .beta = beta, .a = input, .b = input});
      check({.m = bm, .n = bn, .k = 2 * bk, .alpha = -0.0f, .beta = beta, .a = input, .b = input});
    }
    for (const float alpha : {1.0f, limits::infinity()}) {
      const Problem problem{
          .m = 6, .n = 8, .k = 0, .alpha = alpha, .beta = beta, .a = null, .b = null};
      check(problem);
      if (beta == 0.0f) continue;
      HostOperands operands(problem);
      for (float& c : operands.c.data) c = std::copysign(0.0f, c);
      check(problem, operands);
    }
  }
}

TEST_P(Products, Empty) {
  const OperandSpec null{.null = true};
  check({.m = 0, .n = 5, .k = 7, .a = null, .b = null});
  check({.m = 5, .n = 0, .k = 7, .beta = 2.0f, .a = null, .b = null});
  check({.m = 0, .n = 0, .k = 0});
}

// A matrix whose lines are so far apart that the third one's offset needs more than 32 bits.
class SparseMatrix {
 public:
  SparseMatrix(const HostMatrix& values, Layout layout)
      : values_(values),
        layout_(layout),
        lines_(layout == Layout::row ? values.rows : values.cols),
        length_(layout == Layout::row ? values.cols : values.rows),
        memory_(static_cast<std::size_t>((lines_ - 1) * ld + length_)) {
    for_each_element([](float& device, float& host) { device = host; });
  }
  [[nodiscard]] HostMatrix download() {
    for_each_element([](float& device, float& host) { host = device; });
    return values_;
  }
  [[nodiscard]] AnyView<float> view() const {
    return {memory_.data(), values_.rows, values_.cols, ld, layout_};
  }
  [[nodiscard]] AnyView<const float> const_view() const {
    return {memory_.data(), values_.rows, values_.cols, ld, layout_};
  }

 private:
  static constexpr index_t ld = (index_t{1} << 30) + 4;

  // The emulator's device memory is the host's.
  template <class F>
  void for_each_element(F f) {
    for (index_t line = 0; line < lines_; ++line) {
      for (index_t i = 0; i < length_; ++i) {
        f(memory_.data()[line * ld + i],
          layout_ == Layout::row ? values_.at(line, i) : values_.at(i, line));
      }
    }
  }

  HostMatrix values_;
  Layout layout_;
  index_t lines_, length_;
  DeviceBuffer<float> memory_;
};

TEST_P(Products, LargeOffsets) {
  if (sanitized) GTEST_SKIP() << "up to 516 GiB of address space for each operand";
  const Problem problem{.m = bm + 1, .n = bn + 1, .k = 2 * bk + 1, .beta = 0.5f};
  const HostOperands host(problem);
  for (const Layouts& layouts : every_layout()) {
    SparseMatrix a(host.a, layouts.a), b(host.b, layouts.b), c(host.c, layouts.c);
    const Status status = policy.gemm(problem.alpha, a.const_view(), b.const_view(), problem.beta,
                                      c.view(), cudaStream_t{});
    ASSERT_EQ(status.message(), std::string("success"));
    const LaunchPlan plan =
        policy.plan(problem.alpha, a.const_view(), b.const_view(), problem.beta, c.view());
    const Comparison same = compare_bits(c.download(), expected_c(problem, host, plan));
    ASSERT_TRUE(same) << same.message;
  }
}

INSTANTIATE_TEST_SUITE_P(Orders, Products,
                         testing::Values(emulator::Order::forward, emulator::Order::reverse,
                                         emulator::Order::random),
                         [](const testing::TestParamInfo<emulator::Order>& info) {
                           return std::string(info.param == emulator::Order::forward   ? "forward"
                                              : info.param == emulator::Order::reverse ? "reverse"
                                                                                       : "random");
                         });

}  // namespace
}  // namespace tessera::mutation
