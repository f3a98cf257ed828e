// All eight layout combinations of A, B and C under every policy (DESIGN.md section 1), held to the
// bits of contract 1; and a few products whose memory is written out.
#include <gtest/gtest.h>

#include <vector>

#include "problem.hpp"

namespace tessera::support {
namespace {

class LayoutsOf : public PolicyTest {
 protected:
  void check_every_layout(const Problem& problem) {
    for (const Layouts& layouts : every_layout()) {
      EXPECT_TRUE(run_and_check(GetParam(), with_layouts(problem, layouts)));
    }
  }
};

TEST_P(LayoutsOf, WholeTiles) {
  const TileConfig config = config_of(GetParam());
  check_every_layout({.m = config.block_m(), .n = 2 * config.block_n(), .k = 2 * config.block_k()});
}

TEST_P(LayoutsOf, RaggedAndAligned) {
  check_every_layout({.m = 20, .n = 36, .k = 12});
  check_every_layout({.m = 132, .n = 140, .k = 20, .alpha = 0.5f, .beta = -1.5f});
}

TEST_P(LayoutsOf, RaggedAndOdd) {
  check_every_layout({.m = 17, .n = 35, .k = 13, .alpha = 1.25f, .beta = 0.5f});
  check_every_layout({.m = 131, .n = 67, .k = 33, .alpha = -1.0f, .beta = 1.0f});
}

TEST_P(LayoutsOf, FarFromSquare) {
  check_every_layout({.m = 256, .n = 16, .k = 40});
  check_every_layout({.m = 5, .n = 300, .k = 7, .beta = 2.0f});
  check_every_layout({.m = 3, .n = 2, .k = 301});
}

TEST_P(LayoutsOf, OneTransposeThatGrowsTheGrid) {
  EXPECT_TRUE(run_and_check(GetParam(), with_layouts({.m = 256, .n = 128, .k = 256},
                                                     {Layout::col, Layout::row, Layout::row})));
}

// The memory of C after C = A * B for matrices given as their memory.
std::vector<float> memory_of_c(const PolicyEntry& policy, std::vector<float> a,
                               std::vector<float> b, AnyView<const float> view_a,
                               AnyView<const float> view_b, AnyView<float> view_c) {
  const DeviceBuffer<float> device_a(a), device_b(b);
  const DeviceBuffer<float> c(std::vector<float>(
      static_cast<std::size_t>(view_c.rows * view_c.cols), fill_value(Fill::all_nan, 0)));
  view_a.data = device_a.data();
  view_b.data = device_b.data();
  view_c.data = c.data();
  const Stream stream;
  check(cudaDeviceSynchronize(), "upload");
  const Status status = policy.gemm(1.0f, view_a, view_b, 0.0f, view_c, stream);
  EXPECT_TRUE(status.ok()) << status.message();
  return c.to_host(stream);
}

TEST_P(LayoutsOf, LiteralRowMajor) {
  EXPECT_EQ(memory_of_c(GetParam(), {1, 2, 3, 4, 5, 6}, {7, 8, 9, 10, 11, 12},
                        {nullptr, 2, 3, 3, Layout::row}, {nullptr, 3, 2, 2, Layout::row},
                        {nullptr, 2, 2, 2, Layout::row}),
            (std::vector<float>{58, 64, 139, 154}));
}

TEST_P(LayoutsOf, LiteralColMajor) {
  EXPECT_EQ(memory_of_c(GetParam(), {1, 2, 3, 4, 5, 6}, {7, 8, 9, 10, 11, 12},
                        {nullptr, 2, 3, 2, Layout::col}, {nullptr, 3, 2, 3, Layout::col},
                        {nullptr, 2, 2, 2, Layout::col}),
            (std::vector<float>{76, 100, 103, 136}));
}

// X^T * X for X = {1, 2, 3; 1, 2, 3}: the same memory read as 3 x 2 and as 2 x 3.
TEST_P(LayoutsOf, LiteralGram) {
  const std::vector<float> x = {1, 2, 3, 1, 2, 3};
  EXPECT_EQ(memory_of_c(GetParam(), x, x, {nullptr, 3, 2, 3, Layout::col},
                        {nullptr, 2, 3, 3, Layout::row}, {nullptr, 3, 3, 3, Layout::row}),
            (std::vector<float>{2, 4, 6, 4, 8, 12, 6, 12, 18}));
}

INSTANTIATE_TEST_SUITE_P(Policies, LayoutsOf, testing::ValuesIn(every_policy()), policy_name);

}  // namespace
}  // namespace tessera::support
