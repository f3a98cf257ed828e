// policy::automatic: the choice is a pure function of the shape, among true-FP32 policies (contract
// 9).
#include <gtest/gtest.h>

#include <string>
#include <tessera/gemm.cuh>

namespace tessera {
namespace {

std::string chosen(index_t m, index_t n, index_t k) {
  const MatrixView<const float, RowMajor> a = row_major<const float>(nullptr, m, k);
  const MatrixView<const float, RowMajor> b = row_major<const float>(nullptr, k, n);
  float c = 0.0f;
  // alpha = 0: the plan needs no A and B.
  return plan(0.0f, a, b, 0.0f, row_major(&c, m, n)).policy;
}

TEST(Automatic, SmallMatricesGetSmallTiles) {
  EXPECT_EQ(chosen(1, 1, 1), "register_tile_1d");
  EXPECT_EQ(chosen(512, 512, 512), "register_tile_1d");
  EXPECT_EQ(chosen(1024, 64, 1024), "register_tile_1d");
}

TEST(Automatic, LargeMatricesGetLargeTiles) {
  EXPECT_EQ(chosen(1024, 1024, 1024), "double_buffered");
  EXPECT_EQ(chosen(4096, 4096, 4096), "double_buffered");
  EXPECT_EQ(chosen(1024, 50257, 768), "double_buffered");
}

TEST(Automatic, LargestExtentsDoNotOverflow) {
  EXPECT_EQ(chosen(2147483647, 1024, 1), "double_buffered");
  EXPECT_EQ(chosen(2147483647, 1, 1), "register_tile_1d");
}

TEST(Automatic, PlanIsThatOfTheChosenPolicy) {
  float data = 0.0f;
  const auto a = row_major(&data, 4096, 4096);
  const LaunchPlan automatic = plan(1.0f, a, a, 0.0f, a);
  const LaunchPlan named = plan<policy::double_buffered>(1.0f, a, a, 0.0f, a);
  EXPECT_EQ(automatic.grid, named.grid);
  EXPECT_EQ(automatic.smem_bytes, named.smem_bytes);
  EXPECT_EQ(std::string(automatic.policy), named.policy);
}

}  // namespace
}  // namespace tessera
