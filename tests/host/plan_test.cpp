// The plan: what gemm() decides before it launches, as a pure function. Contract 2 (what launches),
// 5 (vector width and guards) and 6 (any size). No device.
#include <gtest/gtest.h>

#include <limits>
#include <sstream>
#include <string>
#include <tessera/host/plan.hpp>
#include <utility>

namespace tessera {
namespace {

using detail::make_plan;
using detail::max_extent;

alignas(16) float data[64];

// 64 x 128 x 16 block tiles, 256 threads.
constexpr TileConfig config{
    .threads = {16, 16}, .thread_tile = {4, 8}, .k_tile = {16}, .vec_width = {4}, .stages = {1}};

LaunchPlan plan_of(index_t m, index_t n, index_t k, float alpha = 1.0f, float beta = 0.0f) {
  return make_plan("test", config, alpha, row_major(data, m, k), row_major(data, k, n), beta,
                   row_major(data, m, n));
}

TEST(Plan, ExactProblem) {
  const LaunchPlan p = plan_of(128, 256, 32);
  EXPECT_TRUE(p.status.ok());
  EXPECT_TRUE(p.launches);
  EXPECT_FALSE(p.transposed);
  EXPECT_EQ(p.shape.m, 128);
  EXPECT_EQ(p.shape.n, 256);
  EXPECT_EQ(p.shape.k, 32);
  EXPECT_EQ(p.m_tiles, 2);
  EXPECT_EQ(p.n_tiles, 2);
  EXPECT_EQ(p.k_tiles, 2);
  EXPECT_EQ(p.grid, 4);
  EXPECT_EQ(p.block, 256);
  EXPECT_EQ(p.smem_bytes, smem_bytes(config));
  EXPECT_EQ(p.vec_width_a, 4);
  EXPECT_EQ(p.vec_width_b, 4);
  EXPECT_EQ(p.vec_width_c, 4);
  EXPECT_FALSE(p.guarded);
}

TEST(Plan, RaggedExtentsRoundUpAndAreGuarded) {
  for (const auto& [m, n, k] : {GemmShape{129, 256, 32}, {128, 260, 32}, {128, 256, 36}}) {
    const LaunchPlan p = plan_of(m, n, k);
    EXPECT_EQ(p.m_tiles, m == 129 ? 3 : 2);
    EXPECT_EQ(p.n_tiles, n == 260 ? 3 : 2);
    EXPECT_EQ(p.k_tiles, k == 36 ? 3 : 2);
    EXPECT_EQ(p.grid, p.m_tiles * p.n_tiles);
    EXPECT_TRUE(p.guarded);
    EXPECT_EQ(p.vec_width_a, 4) << "a ragged last tile alone narrows nothing";
  }
}

TEST(Plan, OneElementIsOneBlock) {
  const LaunchPlan p = plan_of(1, 1, 1);
  EXPECT_EQ(p.grid, 1);
  EXPECT_EQ(p.k_tiles, 1);
  EXPECT_TRUE(p.guarded);
}

TEST(Plan, EmptyCLaunchesNothing) {
  for (const auto& [m, n, k] : {GemmShape{0, 4, 4}, {4, 0, 4}, {0, 0, 4}}) {
    const LaunchPlan p = plan_of(m, n, k);
    EXPECT_TRUE(p.status.ok());
    EXPECT_FALSE(p.launches);
    EXPECT_EQ(p.grid, 0);
  }
}

TEST(Plan, WithoutAProductCIsOnlyScaled) {
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  for (const float beta : {0.0f, -0.0f, 2.0f, -1.0f, nan}) {
    for (const LaunchPlan& p : {plan_of(64, 128, 0, 1.0f, beta), plan_of(64, 128, 16, 0.0f, beta),
                                plan_of(64, 128, 16, -0.0f, beta)}) {
      EXPECT_TRUE(p.launches) << beta;
      EXPECT_EQ(p.k_tiles, 0) << "A and B are not to be read";
      EXPECT_EQ(p.grid, 0) << "the kernel that multiplies is not launched";
      EXPECT_EQ(p.block, 0);
      EXPECT_EQ(p.smem_bytes, 0);
      EXPECT_EQ(p.reduction_grid, 64 * (128 / 4) / 256);
      EXPECT_EQ(p.workspace_bytes, 0);
    }
  }
}

TEST(Plan, WithoutAProductAndBetaOneNothingLaunches) {
  EXPECT_FALSE(plan_of(64, 128, 0, 1.0f, 1.0f).launches);
  EXPECT_FALSE(plan_of(64, 128, 16, 0.0f, 1.0f).launches);
  EXPECT_TRUE(plan_of(64, 128, 16, 1.0f, 1.0f).launches);
}

TEST(Plan, WithoutAProductAAndBDecideNeitherWidthNorGuard) {
  const LaunchPlan p = make_plan("test", config, 0.0f, row_major(data + 1, 64, 7, 7),
                                 row_major(data + 1, 7, 128, 129), 2.0f, row_major(data, 64, 128));
  EXPECT_EQ(p.vec_width_c, 4);
  EXPECT_FALSE(p.guarded);
  // A scalar C takes four times the accesses.
  const LaunchPlan scalar = make_plan("test", config, 0.0f, row_major(data, 64, 16),
                                      row_major(data, 16, 128), 2.0f, row_major(data + 1, 64, 128));
  EXPECT_EQ(scalar.vec_width_c, 1);
  EXPECT_EQ(scalar.reduction_grid, 64 * 128 / 256);
}

// Contract 5: vector or scalar is chosen from pointer and ld of every operand. One narrow operand
// narrows all three, and scalar implies guarded: three compiled variants suffice.
void expect_scalar(const LaunchPlan& p) {
  EXPECT_EQ(p.vec_width_a, 1);
  EXPECT_EQ(p.vec_width_b, 1);
  EXPECT_EQ(p.vec_width_c, 1);
  EXPECT_TRUE(p.guarded);
}

TEST(Plan, MisalignedPointerOfAnyOperandMakesItScalar) {
  for (int offset = 1; offset <= 4; ++offset) {
    for (int operand = 0; operand < 3; ++operand) {
      const auto at = [&](int i) { return data + (operand == i ? offset : 0); };
      const LaunchPlan p = make_plan("test", config, 1.0f, row_major(at(0), 64, 16),
                                     row_major(at(1), 16, 128), 0.0f, row_major(at(2), 64, 128));
      if (offset == 4) {
        EXPECT_EQ(p.vec_width_a, 4);
        EXPECT_FALSE(p.guarded);
      } else {
        expect_scalar(p);
      }
    }
  }
}

TEST(Plan, LdOfAnyOperandMakesItScalar) {
  for (int extra = 1; extra <= 4; ++extra) {
    for (int operand = 0; operand < 3; ++operand) {
      const auto ld = [&](int i, index_t minimum) { return minimum + (operand == i ? extra : 0); };
      const LaunchPlan p = make_plan("test", config, 1.0f, row_major(data, 64, 16, ld(0, 16)),
                                     col_major(data, 16, 128, ld(1, 16)), 0.0f,
                                     row_major(data, 64, 128, ld(2, 128)));
      if (extra == 4) {
        EXPECT_EQ(p.vec_width_a, 4);
        EXPECT_FALSE(p.guarded);
      } else {
        expect_scalar(p);
      }
    }
  }
}

TEST(Plan, LinesThatAreNotWholeAccessesMakeItScalar) {
  // The contiguous extents: k of A, n of B and C; then m of A and k of B.
  expect_scalar(plan_of(64, 128, 15));
  expect_scalar(plan_of(64, 126, 16));
  EXPECT_EQ(plan_of(63, 128, 16).vec_width_a, 4);
  const auto col = [](index_t m, index_t k) {
    return make_plan("test", config, 1.0f, col_major(data, m, k, 64), col_major(data, k, 128, 16),
                     0.0f, row_major(data, m, 128));
  };
  EXPECT_EQ(col(64, 16).vec_width_a, 4);
  expect_scalar(col(63, 16));
  expect_scalar(col(64, 15));
}

TEST(Plan, LdOfASingleLineDoesNotCount) {
  const LaunchPlan p = make_plan("test", config, 1.0f, row_major(data, 1, 16, 17),
                                 row_major(data, 16, 128), 0.0f, row_major(data, 1, 128, 129));
  EXPECT_EQ(p.vec_width_a, 4);
}

TEST(Plan, PairsNeedEvenPlacesOnly) {
  const TileConfig pairs = with(config, VecWidth{2});
  const auto width = [&](float* a, index_t lda) {
    return make_plan("test", pairs, 1.0f, row_major(a, 64, 16, lda), row_major(data, 16, 128), 0.0f,
                     row_major(data, 64, 128))
        .vec_width_a;
  };
  EXPECT_EQ(width(data, 16), 2);
  EXPECT_EQ(width(data + 2, 18), 2);
  EXPECT_EQ(width(data + 1, 16), 1);
  EXPECT_EQ(width(data, 17), 1);
}

TEST(Plan, ScalarPoliciesStayExactOnAnyPointer) {
  const LaunchPlan p =
      make_plan("test", with(config, VecWidth{1}), 1.0f, row_major(data + 1, 64, 16, 17),
                row_major(data + 3, 16, 128, 129), 0.0f, row_major(data + 1, 64, 128, 131));
  EXPECT_EQ(p.vec_width_a, 1);
  EXPECT_FALSE(p.guarded);
}

// Where guards cost the mainloop nothing, no variant without them is compiled.
TEST(Plan, WithProducersEveryProblemIsGuarded) {
  constexpr TileConfig producers = with(config, ASmem{Major::mn}, Stages{3}, Producers{4});
  static_assert(!producers.has_exact_variant() && config.has_exact_variant());
  const LaunchPlan p = make_plan("test", producers, 1.0f, row_major(data, 128, 32),
                                 row_major(data, 32, 256), 0.0f, row_major(data, 128, 256));
  EXPECT_TRUE(p.guarded);
  EXPECT_EQ(p.vec_width_a, 4);
  EXPECT_EQ(p.block, 256 + 4 * 32);
  EXPECT_EQ(p.smem_bytes, smem_bytes(producers));
  static_assert(smem_bytes(producers) == 3 * (4 * 16 * (64 + 4 + 128 + 4) + 2 * 8));
}

// Layers with an odd number of outputs: A and B along k, C along n. Only where there is that
// variant.
TEST(Plan, WithProducersCAloneMayBeScalar) {
  constexpr TileConfig producers = with(config, ASmem{Major::mn}, Stages{3}, Producers{4});
  static_assert(producers.has_narrow_c_variant() && !config.has_narrow_c_variant() &&
                !with(producers, VecWidth{1}).has_narrow_c_variant());
  const auto widths = [](const TileConfig& c, index_t n, index_t k, float* c_data) {
    const LaunchPlan p = make_plan("test", c, 1.0f, row_major(data, 128, k), col_major(data, k, n),
                                   0.0f, row_major(c_data, 128, n));
    EXPECT_EQ(p.vec_width_a, p.vec_width_b);
    return std::pair{p.vec_width_a, p.vec_width_c};
  };
  EXPECT_EQ(widths(producers, 255, 32, data), std::pair(4, 1));
  EXPECT_EQ(widths(producers, 256, 32, data + 1), std::pair(4, 1));
  EXPECT_EQ(widths(producers, 255, 31, data), std::pair(1, 1));
  EXPECT_EQ(widths(producers, 256, 32, data), std::pair(4, 4));
  EXPECT_EQ(widths(config, 255, 32, data), std::pair(1, 1));
}

// A second epilogue for clusters would cost the mainloop registers.
TEST(Plan, WithProducersSlicesGoThroughAWorkspace) {
  constexpr TileConfig producers =
      with(config, ASmem{Major::mn}, Stages{3}, Producers{4}, Slices{8});
  static_assert(!producers.adds_in_clusters() && with(config, Slices{8}).adds_in_clusters());
  const LaunchPlan p =
      make_plan("test", producers, 1.0f, row_major(data, 128, 256), row_major(data, 256, 256), 0.0f,
                row_major(data, 128, 256), {4, true});
  EXPECT_EQ(p.slices, 4);
  EXPECT_FALSE(p.cluster);
  EXPECT_EQ(p.workspace_bytes, index_t{4} * 128 * 256 * 4);
  EXPECT_EQ(p.smem_bytes, smem_bytes(producers));
}

TEST(Plan, WithoutAnExactVariantEveryProblemIsGuarded) {
  constexpr TileConfig guarded = with(config, ExactVariant{false});
  static_assert(!guarded.has_exact_variant());
  const LaunchPlan p = make_plan("test", guarded, 1.0f, row_major(data, 128, 32),
                                 row_major(data, 32, 256), 0.0f, row_major(data, 128, 256));
  EXPECT_TRUE(p.guarded);
  EXPECT_EQ(p.vec_width_a, 4);
}

TEST(Plan, HugeSizes) {
  // Contract 6: extents up to 2^31 - 1, tiles counted in 64 bits.
  const LaunchPlan p = plan_of(max_extent, 1, 1);
  EXPECT_TRUE(p.launches);
  EXPECT_EQ(p.m_tiles, (max_extent + 63) / 64);
  EXPECT_EQ(p.grid, p.m_tiles);
  EXPECT_EQ(plan_of(1, 1, max_extent).k_tiles, (max_extent + 15) / 16);
  // More tiles than one grid holds.
  const LaunchPlan refused = plan_of(max_extent, max_extent, 1);
  EXPECT_EQ(refused.status, Status(Reason::size_limit, Operand::c));
  EXPECT_FALSE(refused.launches);
  // The last number of tiles that fits, and the first that does not: tiles of 64 x 128.
  EXPECT_TRUE(plan_of(64 * index_t{65535}, 128 * index_t{32768}, 1).launches);
  EXPECT_FALSE(plan_of(64 * index_t{65536}, 128 * index_t{32768}, 1).launches);
}

TEST(Plan, TrafficPerFma) {
  const LaunchPlan p = plan_of(64, 128, 16);
  EXPECT_DOUBLE_EQ(p.gmem_bytes_per_fma(), 4.0 * (64 + 128) / (64 * 128));
  EXPECT_DOUBLE_EQ(p.smem_bytes_per_fma(), 4.0 * (4 + 8) / (4 * 8));
  LaunchPlan direct = p;
  direct.config = with(config, Stages{0}, ThreadTile{1, 1});
  EXPECT_DOUBLE_EQ(direct.gmem_bytes_per_fma(), 8.0);
  EXPECT_DOUBLE_EQ(direct.smem_bytes_per_fma(), 0.0);
}

std::string printed(const LaunchPlan& p) {
  std::ostringstream os;
  os << p;
  return os.str();
}

TEST(Plan, PrintsItself) {
  EXPECT_EQ(printed(plan_of(129, 256, 32)),
            "test: 129x256x32, grid 6 of 256 threads, smem 13568 B, block tile 64x128x16, thread "
            "tile 4x8, tiles 3x2x2, vec_width 4/4/4, guarded");
  EXPECT_EQ(printed(plan_of(0, 4, 4)), "test: 0x4x4, nothing to launch");
  EXPECT_EQ(printed(plan_of(64, 128, 0)), "test: 64x128x0, no product, C scaled by a grid of 8");
  EXPECT_EQ(printed(plan_of(max_extent, max_extent, 1)),
            std::string("test: refused, ") + Status(Reason::size_limit, Operand::c).message());
  LaunchPlan exchanged = plan_of(64, 128, 16);
  exchanged.transposed = true;
  EXPECT_NE(printed(exchanged).find("(transposed problem)"), std::string::npos);
  EXPECT_NE(printed(exchanged).find(", exact"), std::string::npos);
}

}  // namespace
}  // namespace tessera
