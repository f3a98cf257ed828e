// Contract 1 and 9 at sizes that the host cannot check: every policy and cuBLAS's pedantic FP32
// against the bound from double precision; every policy against the first one to the bit; and
// against cuBLAS to the bit where cuBLAS is known not to split K.
#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

#include "bench/cublas_sgemm.hpp"
#include "device_check.cuh"
#include "problem.hpp"

namespace tessera::support {
namespace {

struct Shape {
  index_t m, n, k;
  bool same_bits_as_cublas = false;  // one slice of K, ascending, on every GPU tried (H200)
  Layouts layouts = {Layout::row, Layout::row, Layout::row};
};

char letter(Layout layout) { return static_cast<char>(layout); }

std::ostream& operator<<(std::ostream& os, const Shape& s) {
  return os << s.m << 'x' << s.n << 'x' << s.k << ' ' << letter(s.layouts.a) << letter(s.layouts.b)
            << letter(s.layouts.c);
}

void PrintTo(const Shape& shape, std::ostream* os) { *os << shape; }

// rows x cols values in device memory in the given layout, packed.
class DeviceMatrix {
 public:
  DeviceMatrix(index_t rows, index_t cols, Layout layout, Fill fill, std::uint64_t seed)
      : memory_(filled(1, rows * cols, fill, seed).data),
        view_{memory_.data(), rows, cols, layout == Layout::row ? cols : rows, layout} {}

  [[nodiscard]] const AnyView<float>& view() const { return view_; }
  [[nodiscard]] AnyView<const float> input() const {
    return {view_.data, view_.rows, view_.cols, view_.ld, view_.layout};
  }
  void fill_with_nan() {
    check(cudaMemset(memory_.data(), 0xff, memory_.size() * sizeof(float)), "cudaMemset");
    check(cudaDeviceSynchronize(), "cudaMemset");
  }

 private:
  DeviceBuffer<float> memory_;
  AnyView<float> view_;
};

class AgainstCublas : public testing::TestWithParam<Shape> {};

TEST_P(AgainstCublas, EveryPolicy) {
  const Shape& s = GetParam();
  const DeviceMatrix a(s.m, s.k, s.layouts.a, Fill::uniform, 1),
      b(s.k, s.n, s.layouts.b, Fill::uniform, 2);
  DeviceMatrix of_cublas(s.m, s.n, s.layouts.c, Fill::all_nan, 3),
      first(s.m, s.n, s.layouts.c, Fill::all_nan, 3), c(s.m, s.n, s.layouts.c, Fill::all_nan, 3);
  const DeviceReference reference(a.input(), b.input());
  const Stream stream;
  check(cudaDeviceSynchronize(), "uploads");

  const CublasSgemm cublas;
  ASSERT_EQ(cublas(1.0f, a.input(), b.input(), 0.0f, of_cublas.view(), stream),
            CUBLAS_STATUS_SUCCESS);
  stream.synchronize();
  EXPECT_EQ(reference.count_outside(of_cublas.input()), 0u) << "cuBLAS";

  bool has_first = false;
  for (const PolicyEntry& policy : every_policy()) {
    c.fill_with_nan();
    const Status status = policy.gemm(1.0f, a.input(), b.input(), 0.0f, c.view(), stream);
    ASSERT_TRUE(status.ok()) << policy.name << ": " << status.message();
    stream.synchronize();
    EXPECT_EQ(reference.count_outside(c.input()), 0u) << policy.name;
    if (!has_first) {
      check(
          cudaMemcpy(first.view().data, c.view().data,
                     static_cast<std::size_t>(s.m * s.n) * sizeof(float), cudaMemcpyDeviceToDevice),
          "copy of C");
      check(cudaDeviceSynchronize(), "copy of C");
      has_first = true;
    }
    if (policy.plan(1.0f, a.input(), b.input(), 0.0f, c.view()).splits_k()) continue;
    EXPECT_EQ(count_differing(c.input(), first.input()), 0u) << policy.name << " against naive";
  }

  const unsigned long long differing = count_differing(first.input(), of_cublas.input());
  std::cout << s << ": " << differing << " elements differ from cuBLAS " << cublas.version()
            << '\n';
  if (s.same_bits_as_cublas) {
    EXPECT_EQ(differing, 0u);
  }
}

std::string shape_name(const testing::TestParamInfo<Shape>& info) {
  const Shape& s = info.param;
  return std::to_string(s.m) + 'x' + std::to_string(s.n) + 'x' + std::to_string(s.k) + '_' +
         letter(s.layouts.a) + letter(s.layouts.b) + letter(s.layouts.c);
}

INSTANTIATE_TEST_SUITE_P(Large, AgainstCublas,
                         testing::Values(Shape{2048, 2048, 2048, true}, Shape{2047, 2047, 2047},
                                         Shape{2049, 2047, 2051}, Shape{4096, 4096, 4096, true},
                                         Shape{4095, 4095, 4095}, Shape{4097, 4097, 4097},
                                         Shape{4096, 4096, 1024, true},
                                         Shape{4096, 2048, 512, true}),
                         shape_name);

INSTANTIATE_TEST_SUITE_P(Medium, AgainstCublas,
                         testing::Values(Shape{256, 256, 256}, Shape{255, 257, 256},
                                         Shape{512, 512, 512}, Shape{513, 511, 509},
                                         Shape{1024, 1024, 1024}, Shape{1023, 1023, 1023},
                                         Shape{1025, 1025, 1025}, Shape{1024, 768, 3072},
                                         Shape{1024, 50257, 768}),
                         shape_name);

INSTANTIATE_TEST_SUITE_P(FarFromSquare, AgainstCublas,
                         testing::Values(Shape{1, 4096, 4096}, Shape{4096, 1, 4096},
                                         Shape{4096, 4096, 1}, Shape{17, 4099, 1031},
                                         Shape{64, 64, 65536}, Shape{8191, 129, 257}),
                         shape_name);

std::vector<Shape> shapes_in_every_layout() {
  std::vector<Shape> shapes;
  for (const Layouts& layouts : every_layout()) {
    if (layouts.a == Layout::row && layouts.b == Layout::row && layouts.c == Layout::row) continue;
    shapes.push_back({2048, 2048, 1024, true, layouts});
    shapes.push_back({1023, 1537, 515, false, layouts});
  }
  return shapes;
}

INSTANTIATE_TEST_SUITE_P(EveryLayout, AgainstCublas, testing::ValuesIn(shapes_in_every_layout()),
                         shape_name);

// The counting itself: one element off by one bit, one outside the bound, one NaN.
TEST(DeviceChecks, SeeOneWrongElement) {
  const DeviceMatrix a(33, 20, Layout::row, Fill::uniform, 1),
      b(20, 35, Layout::col, Fill::uniform, 2);
  const DeviceMatrix c(33, 35, Layout::col, Fill::all_nan, 3),
      d(33, 35, Layout::row, Fill::all_nan, 3);
  const DeviceReference reference(a.input(), b.input());
  EXPECT_EQ(reference.count_outside(c.input()), 33u * 35u) << "an all-NaN C must fail";
  const PolicyEntry& policy = library_policies()[0];
  const Stream stream;
  for (const DeviceMatrix* out : {&c, &d}) {
    ASSERT_TRUE(policy.gemm(1.0f, a.input(), b.input(), 0.0f, out->view(), stream).ok());
  }
  stream.synchronize();
  EXPECT_EQ(reference.count_outside(c.input()), 0u);
  EXPECT_EQ(count_differing(c.input(), d.input()), 0u);

  // Element (5, 7): the last bit, then a thousandth.
  float value = 0.0f;
  float* const element = c.view().data + 7 * 33 + 5;
  check(cudaMemcpy(&value, element, sizeof value, cudaMemcpyDeviceToHost), "read");
  for (const float wrong : {std::nextafter(value, 10.0f), value + 1e-3f}) {
    check(cudaMemcpy(element, &wrong, sizeof wrong, cudaMemcpyHostToDevice), "write");
    check(cudaDeviceSynchronize(), "write");
    EXPECT_EQ(count_differing(c.input(), d.input()), 1u);
  }
  EXPECT_EQ(reference.count_outside(c.input()), 1u);
}

}  // namespace
}  // namespace tessera::support
