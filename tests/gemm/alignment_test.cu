// Contract 5, any pointer and any ld: offset pointers, odd leading dimensions and padding, alone
// and together, under every policy and layout. Contract 7: the padding is not written.
#include <gtest/gtest.h>

#include "problem.hpp"

namespace tessera::support {
namespace {

class Alignment : public PolicyTest {
 protected:
  void check(const Problem& problem) { EXPECT_TRUE(run_and_check(GetParam(), problem)); }
  void check_every_layout(const Problem& problem) {
    for (const Layouts& layouts : every_layout()) check(with_layouts(problem, layouts));
  }
};

Problem cube(index_t extent) { return {.m = extent, .n = extent, .k = extent, .beta = 0.5f}; }

OperandSpec& operand(Problem& problem, int i) {
  return i == 0 ? problem.a : i == 1 ? problem.b : problem.c;
}

TEST_P(Alignment, OffsetPointersTogether) {
  Problem problem = cube(64);
  problem.a.at.offset = 1;
  problem.b.at.offset = 2;
  problem.c.at.offset = 3;
  check_every_layout(problem);
}

TEST_P(Alignment, OffsetPointersAlone) {
  for (int i = 0; i < 3; ++i) {
    for (int offset = 1; offset <= 4; ++offset) {
      Problem problem = cube(64);
      operand(problem, i).at.offset = offset;
      check(problem);
      problem.k = 7;
      check(with_layouts(problem, {Layout::col, Layout::col, Layout::row}));
      check(with_layouts(problem, {Layout::row, Layout::row, Layout::col}));
    }
  }
}

TEST_P(Alignment, LdBeyondItsMinimumAlone) {
  for (int i = 0; i < 3; ++i) {
    for (const index_t extra : {1, 2, 3, 4, 7, 64}) {
      Problem problem = cube(64);
      operand(problem, i).at.ld_extra = extra;
      check(problem);
      problem.m = 63;
      problem.n = 61;
      check(with_layouts(problem, {Layout::col, Layout::col, Layout::row}));
    }
  }
}

TEST_P(Alignment, LdBeyondItsMinimumTogether) {
  Problem problem = cube(64);
  for (const index_t extra : {1, 2, 4}) {
    for (int i = 0; i < 3; ++i) operand(problem, i).at.ld_extra = extra + i % 2 * extra;
    check_every_layout(problem);
  }
}

// Padding that makes every line of an odd extent start aligned.
TEST_P(Alignment, OddExtentsWithAlignedLd) {
  Problem problem{.m = 61, .n = 59, .k = 29, .beta = -1.0f};
  for (const Layouts& layouts : every_layout()) {
    Problem padded = with_layouts(problem, layouts);
    const auto pad = [](index_t extent) { return (4 - extent % 4) % 4; };
    padded.a.at.ld_extra = pad(layouts.a == Layout::row ? padded.k : padded.m);
    padded.b.at.ld_extra = pad(layouts.b == Layout::row ? padded.n : padded.k);
    padded.c.at.ld_extra = pad(layouts.c == Layout::row ? padded.n : padded.m);
    check(padded);
    padded.a.at.offset = padded.b.at.offset = padded.c.at.offset = 4;
    check(padded);
  }
}

// A single line has no distance to the next, so that its ld does not decide the access.
TEST_P(Alignment, SingleLinesWithOddLd) {
  Problem row{.m = 1, .n = 64, .k = 32};
  row.a.at.ld_extra = row.c.at.ld_extra = 1;
  check(row);
  Problem inner{.m = 64, .n = 64, .k = 1};
  inner.a.at = {.layout = Layout::col, .ld_extra = 3};
  inner.b.at.ld_extra = 1;
  check(inner);
  Problem col{.m = 64, .n = 1, .k = 32};
  col.b.at = {.layout = Layout::col, .ld_extra = 1};
  col.c.at = {.layout = Layout::col, .ld_extra = 1};
  check(col);
}

// A whole number of tiles, scalar: such policies run their guarded kernel there.
TEST_P(Alignment, WholeTilesOnOffsetPointers) {
  const TileConfig config = config_of(GetParam());
  Problem problem{.m = config.block_m(), .n = config.block_n(), .k = 2 * config.block_k()};
  problem.a.at = {.ld_extra = 1, .offset = 1};
  problem.b.at = {.ld_extra = 3, .offset = 3};
  problem.c.at = {.ld_extra = 5, .offset = 2};
  check(problem);
  check(with_layouts(problem, {Layout::col, Layout::col, Layout::col}));
}

TEST_P(Alignment, FromTheField) {
  check_every_layout({.m = 1, .n = 105, .k = 107});
  Problem stored_next_to_padding{.m = 64, .n = 61, .k = 32};
  stored_next_to_padding.b.at.ld_extra = stored_next_to_padding.c.at.ld_extra = 3;
  check(stored_next_to_padding);
  check({.m = 16, .n = 16, .k = 8});
  const Problem odd{.m = 504, .n = 136, .k = 249};
#if defined(TESSERA_EMULATOR)
  check(odd);
  check(with_layouts(odd, {Layout::col, Layout::col, Layout::col}));
#else
  check_every_layout(odd);
#endif
}

INSTANTIATE_TEST_SUITE_P(Policies, Alignment, testing::ValuesIn(every_policy()), policy_name);

}  // namespace
}  // namespace tessera::support
