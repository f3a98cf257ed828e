// Contract 6, any size: every policy on sizes around its own tiles, empty, prime, skinny, and on K
// from one k-step through many k-tiles. C is filled with NaN, so that an element left out shows;
// equality is that of contract 1.
#include <gtest/gtest.h>

#include <array>

#include "compare.hpp"
#include "problem.hpp"

namespace tessera::support {
namespace {

class Sizes : public PolicyTest {
 protected:
  void SetUp() override { config = config_of(GetParam()); }
  void check(index_t m, index_t n, index_t k) {
    EXPECT_TRUE(run_and_check(GetParam(), {.m = m, .n = n, .k = k}));
  }
  TileConfig config;
};

TEST_P(Sizes, Empty) {
  check(0, 5, 7);
  check(5, 0, 7);
  check(5, 7, 0);
  check(0, 0, 7);
  check(0, 5, 0);
  check(5, 0, 0);
  check(0, 0, 0);
  check(16, 16, 0);
}

TEST_P(Sizes, AroundOneTile) {
  const index_t bm = config.block_m(), bn = config.block_n(), bk = config.block_k();
  for (const index_t m : {index_t{1}, bm - 1, bm, bm + 1}) {
    for (const index_t n : {index_t{1}, bn - 1, bn, bn + 1}) {
      check(m, n, bk);
      check(m, n, 2 * bk + 1);
    }
  }
}

TEST_P(Sizes, WholeTiles) {
  const index_t bm = config.block_m(), bn = config.block_n(), bk = config.block_k();
  check(bm, bn, bk);
  check(2 * bm, bn, 2 * bk);
  check(bm, 2 * bn, 3 * bk);
  check(3 * bm, 2 * bn, 2 * bk);
}

// More than one group of m-tiles in the rasterisation, the last one ragged.
TEST_P(Sizes, ManyTiles) {
  const index_t bm = config.block_m(), bn = config.block_n();
  check(10 * bm + 1, 2 * bn + 1, 3);
  check(2 * bm + 1, 10 * bn + 1, 3);
}

TEST_P(Sizes, Primes) {
  check(7, 13, 17);
  check(31, 37, 41);
  check(61, 67, 71);
  check(127, 131, 137);
  check(257, 251, 29);
}

TEST_P(Sizes, Skinny) {
  check(1, 1, 1);
  check(1, 1, 509);
  check(1, 509, 67);
  check(509, 1, 67);
  check(2, 1021, 3);
  check(1021, 2, 3);
  check(3, 3, 431);
}

TEST_P(Sizes, FromTheField) {
  check(100, 100, 100);
  check(35, 79, 19);
  check(256, 128, 256);
  check(256, 257, 33);
#if !defined(TESSERA_EMULATOR)
  check(1000, 1000, 1000);
  check(1023, 1025, 511);
#endif
}

TEST_P(Sizes, EveryKThroughThreeTiles) {
  for (index_t k = 1; k <= 3 * config.block_k() + 1; ++k) check(9, 10, k);
}

TEST_P(Sizes, KTileCountsOddAndEven) {
  const index_t bk = config.block_k();
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  const int many = 63;
#else
  const int many = 255;
#endif
  for (const index_t tiles : {1, 2, 3, 4, 5, 16, 17, many}) {
    check(6, 12, tiles * bk);
    check(6, 12, tiles * bk + 1);
    check(6, 12, tiles * bk - 1);
  }
  for (const index_t tiles : {1, 2, 3, 4}) check(config.block_m(), config.block_n(), tiles * bk);
}

// The same bits at every call, at a K long enough that any other order of summation differs.
TEST_P(Sizes, LongKRepeats) {
#if defined(TESSERA_EMULATOR)
  const index_t k = 4096;
  const int runs = 2;
#else
  const index_t k = 65536;
  const int runs = 50;
#endif
  const Problem problem{.m = 8, .n = 8, .k = k};
  const HostOperands operands(problem);
  const HostMatrix expected = expected_c(problem, operands);
  for (int run = 0; run < runs; ++run) {
    ASSERT_TRUE(run_and_check(GetParam(), problem, operands, expected)) << "run " << run;
  }
}

// A missing barrier shows where several blocks and k-tiles run, sooner or later.
TEST_P(Sizes, RepeatedRunsOfManyTiles) {
#if defined(TESSERA_EMULATOR)
  const index_t extent = 160;
  const int runs = 1;
#else
  const index_t extent = 256;
  const int runs = 200;
#endif
  const Problem problem{.m = extent, .n = extent, .k = 4 * config.block_k()};
  const HostOperands operands(problem);
  const HostMatrix expected = expected_c(problem, operands);
  for (int run = 0; run < runs; ++run) {
    ASSERT_TRUE(run_and_check(GetParam(), problem, operands, expected)) << "run " << run;
  }
}

INSTANTIATE_TEST_SUITE_P(Policies, Sizes, testing::ValuesIn(every_policy()), policy_name);

// Contract 1 without the reference: whatever the policy, the same bits, where K is in one piece.
TEST(SizesOfAll, EveryPolicyGivesTheSameBits) {
  const std::array<index_t, 3> sizes[] = {{67, 45, 129}, {128, 128, 64}, {260, 264, 24}};
  for (const auto& [m, n, k] : sizes) {
    const Stream stream;
    GuardedMatrix a(filled(m, k, Fill::uniform, 1), {}, 0),
        b(filled(k, n, Fill::uniform, 2), {}, 0);
    a.upload(stream);
    b.upload(stream);
    HostMatrix first;
    for (const PolicyEntry& policy : every_policy()) {
      GuardedMatrix c(filled(m, n, Fill::uniform, 3), {}, 0);
      c.upload(stream);
      if (policy.plan(0.7f, a.const_view(), b.const_view(), -1.3f, c.view()).splits_k()) continue;
      const Status status =
          policy.gemm(0.7f, a.const_view(), b.const_view(), -1.3f, c.view(), stream);
      ASSERT_TRUE(status.ok()) << status.message();
      const HostMatrix got = c.download(stream);
      if (first.data.empty()) first = got;
      const Comparison same = compare_bits(got, first);
      EXPECT_TRUE(same) << policy.name << " against naive: " << same.message;
    }
  }
}

}  // namespace
}  // namespace tessera::support
