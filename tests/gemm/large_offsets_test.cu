// Contract 6: offsets between tiles are 64-bit, and no grid limit shows. Few cells of many GiB are
// touched; the emulator's allocations of that size are sparse.
#include <gtest/gtest.h>

#include <string_view>
#include <vector>

#include "compare.hpp"
#include "problem.hpp"
#include "reference.hpp"

namespace tessera::support {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool sanitized = true;
#else
constexpr bool sanitized = false;
#endif

class LargeOffsets : public PolicyTest {};

// A matrix whose lines are 2^30 floats apart: `lines` lines, about lines * 4 GiB.
class SparseMatrix {
 public:
  SparseMatrix(const HostMatrix& values, Layout layout)
      : values_(values),
        layout_(layout),
        memory_(static_cast<std::size_t>((lines() - 1) * ld + length())) {
    for (index_t line = 0; line < lines(); ++line) {
      std::vector<float> cells(static_cast<std::size_t>(length()));
      for (index_t i = 0; i < length(); ++i) {
        cells[static_cast<std::size_t>(i)] =
            layout == Layout::row ? values.at(line, i) : values.at(i, line);
      }
      check(cudaMemcpy(memory_.data() + line * ld, cells.data(), cells.size() * sizeof(float),
                       cudaMemcpyHostToDevice),
            "upload of a line");
    }
    check(cudaDeviceSynchronize(), "upload");
  }

  [[nodiscard]] AnyView<float> view() const {
    return {memory_.data(), values_.rows, values_.cols, ld, layout_};
  }

  [[nodiscard]] HostMatrix download() const {
    HostMatrix out(values_.rows, values_.cols);
    for (index_t line = 0; line < lines(); ++line) {
      std::vector<float> cells(static_cast<std::size_t>(length()));
      check(cudaMemcpy(cells.data(), memory_.data() + line * ld, cells.size() * sizeof(float),
                       cudaMemcpyDeviceToHost),
            "download of a line");
      for (index_t i = 0; i < length(); ++i) {
        (layout_ == Layout::row ? out.at(line, i) : out.at(i, line)) =
            cells[static_cast<std::size_t>(i)];
      }
    }
    return out;
  }

 private:
  static constexpr index_t ld = index_t{1} << 30;
  [[nodiscard]] index_t lines() const {
    return layout_ == Layout::row ? values_.rows : values_.cols;
  }
  [[nodiscard]] index_t length() const {
    return layout_ == Layout::row ? values_.cols : values_.rows;
  }

  HostMatrix values_;
  Layout layout_;
  DeviceBuffer<float> memory_;
};

bool enough_memory(std::size_t gibibytes) {
#if defined(TESSERA_EMULATOR)
  static_cast<void>(gibibytes);
  return true;
#else
  std::size_t free_bytes = 0, total_bytes = 0;
  check(cudaMemGetInfo(&free_bytes, &total_bytes), "cudaMemGetInfo");
  return free_bytes >= (gibibytes << 30);
#endif
}

template <class V>
AnyView<const float> as_input(const V& v) {
  return {v.data, v.rows, v.cols, v.ld, v.layout};
}

// 3 x 4 x 4 (or its transposed problem) with one operand spread out: `operand` 0, 1, 2 for A, B, C.
void check_spread(const PolicyEntry& policy, int operand, Layout layout) {
  const index_t m = layout == Layout::row || operand == 1 ? 3 : 4, n = 3, k = 4;
  const HostMatrix host_a = filled(m, k, Fill::small_integers, 1),
                   host_b = filled(k, n, Fill::small_integers, 2),
                   host_c = filled(m, n, Fill::small_integers, 3);
  const HostMatrix& spread = operand == 0 ? host_a : operand == 1 ? host_b : host_c;
  const SparseMatrix sparse(spread, layout);
  const Stream stream;
  GuardedMatrix a(host_a, {}, 0), b(host_b, {}, 0), c(host_c, {}, 64);
  for (GuardedMatrix* matrix : {&a, &b, &c}) matrix->upload(stream);
  const Status status = policy.gemm(1.0f, operand == 0 ? as_input(sparse.view()) : a.const_view(),
                                    operand == 1 ? as_input(sparse.view()) : b.const_view(), 2.0f,
                                    operand == 2 ? sparse.view() : c.view(), stream);
  ASSERT_TRUE(status.ok()) << status.message();
  stream.synchronize();
  const HostMatrix got = operand == 2 ? sparse.download() : c.download(stream);
  // Integers: exact however K is cut.
  const Comparison same = compare_bits(got, reference_gemm(1.0f, host_a, host_b, 2.0f, host_c));
  EXPECT_TRUE(same) << policy.name << ", operand " << operand << ": " << same.message;
  EXPECT_TRUE(c.guards_intact(stream));
}

TEST_P(LargeOffsets, LdOfTwoToTheThirty) {
  if (sanitized) GTEST_SKIP() << "a sanitizer's shadow of 12 GiB";
  if (!enough_memory(18)) GTEST_SKIP() << "needs 18 GiB of free device memory";
  for (int operand = 0; operand < 3; ++operand) {
    for (const Layout layout : {Layout::row, Layout::col})
      check_spread(GetParam(), operand, layout);
  }
}

// An ld that no tensor map takes, where each operand has one line only.
TEST_P(LargeOffsets, LdOfTwoToTheThirtyEight) {
  constexpr index_t m = 8, n = 12, ld = index_t{1} << 38;
  const HostMatrix host_a = filled(m, 1, Fill::small_integers, 1),
                   host_b = filled(1, n, Fill::small_integers, 2),
                   host_c = filled(m, n, Fill::small_integers, 3);
  const Stream stream;
  GuardedMatrix a(host_a, {.layout = Layout::col}, 0), b(host_b, {}, 0), c(host_c, {}, 64);
  for (GuardedMatrix* matrix : {&a, &b, &c}) matrix->upload(stream);
  AnyView<const float> far_a = a.const_view(), far_b = b.const_view();
  far_a.ld = far_b.ld = ld;
  const Status status = GetParam().gemm(1.0f, far_a, far_b, 2.0f, c.view(), stream);
  ASSERT_TRUE(status.ok()) << status.message();
  stream.synchronize();
  const Comparison same =
      compare_bits(c.download(stream), reference_gemm(1.0f, host_a, host_b, 2.0f, host_c));
  EXPECT_TRUE(same) << GetParam().name << ": " << same.message;
  EXPECT_TRUE(c.guards_intact(stream));
}

// 65535 tiles and one element along one mode: more than grid.y or grid.z holds.
void check_long(const PolicyEntry& policy, bool along_m, Layouts layouts) {
  const TileConfig config = config_of(policy);
  const index_t extent = index_t{65535} * (along_m ? config.block_m() : config.block_n()) + 1;
  Problem problem =
      with_layouts({.m = along_m ? extent : 2, .n = along_m ? 2 : extent, .k = 2}, layouts);
  problem.a.fill = problem.b.fill = Fill::small_integers;
  EXPECT_TRUE(run_and_check(policy, problem));
}

TEST_P(LargeOffsets, MoreTilesThanGridYHolds) {
#if defined(TESSERA_EMULATOR)
  // 65536 blocks take seconds to a minute here; these two policies have the cheapest ones.
  const std::string_view name = GetParam().name;
  if (sanitized || (name != "naive" && name != "scalar_buffered")) {
    GTEST_SKIP() << "emulated, this takes a minute: only under naive and scalar_buffered";
  }
  check_long(GetParam(), true, {Layout::row, Layout::row, Layout::row});
  check_long(GetParam(), false, {Layout::row, Layout::row, Layout::row});
#else
  // The host's part of each takes a second, so not all sixteen: along the long mode, A or B, and C,
  // once across lines and once inside a line.
  constexpr Layout row = Layout::row, col = Layout::col;
  check_long(GetParam(), true, {row, row, row});
  check_long(GetParam(), true, {col, row, col});
  check_long(GetParam(), false, {row, row, row});
  check_long(GetParam(), false, {row, col, col});
#endif
}

INSTANTIATE_TEST_SUITE_P(Policies, LargeOffsets, testing::ValuesIn(every_policy()), policy_name);

}  // namespace
}  // namespace tessera::support
