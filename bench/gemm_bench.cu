// Sweeps policies over layouts and shapes against cuBLAS: each case verified, then timed hot, ours
// and cuBLAS in turn. See --help.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include "bench/cases.hpp"
#include "bench/cublas_sgemm.hpp"
#include "bench/device.hpp"
#include "bench/interleaved_timing.hpp"
#include "bench/operands.hpp"
#include "bench/report.hpp"

namespace tessera::bench {

using support::check;

namespace {

constexpr int exit_no_device = 77;  // what ctest takes for "skipped"

template <class T>
support::AnyView<T> packed(T* data, index_t rows, index_t cols, char letter) {
  if (letter == 'R') return {data, rows, cols, cols, support::Layout::row};
  return {data, rows, cols, rows, support::Layout::col};
}

// The operands of the largest case, shared by all: a smaller case uses the front of them.
class Bench {
 public:
  explicit Bench(const std::vector<Case>& cases)
      : a_(largest(cases, [](const Product& p) { return p.m * p.k; })),
        b_(largest(cases, [](const Product& p) { return p.k * p.n; })),
        c_(largest(cases, [](const Product& p) { return p.m * p.n; })),
        c_cublas_(c_.size()) {
    fill_uniform(a_.data(), a_.size(), 1, stream_);
    fill_uniform(b_.data(), b_.size(), 2, stream_);
    check(cudaStreamSynchronize(stream_), "filling the operands");
  }

  [[nodiscard]] int cublas_version() const { return cublas_.version(); }
  [[nodiscard]] const std::vector<Row>& rows() const { return rows_; }

  // Raises the clocks from idle, for about `seconds`.
  void warm_up(const Case& c, double seconds) const {
    const Event start, stop;
    double elapsed = 0.0;
    start.record(stream_);
    while (elapsed < seconds) {
      for (int i = 0; i < 8; ++i) launch_cublas(c);
      stop.record(stream_);
      stop.wait();
      elapsed = stop.seconds_since(start);
    }
  }

  void run(const Case& c, benchmark::State& state) {
    Row row{c.policy->name, c.layouts(), to_string(c.product), {}};
    try {
      row.verified = verify(c);
      const Timing timing =
          time_interleaved([&] { launch_ours(c); }, [&] { launch_cublas(c); }, stream_);
      std::size_t group = 0;
      for ([[maybe_unused]] auto _ : state) {
        state.SetIterationTime(timing.ours[group++ % timing.ours.size()]);
      }
      const Product& p = c.product;
      const double flop =
          2.0 * static_cast<double>(p.m) * static_cast<double>(p.n) * static_cast<double>(p.k);
      row.seconds = median(timing.ours);
      row.tflops = flop / row.seconds * 1e-12;
      row.cublas_tflops = flop / median(timing.baseline) * 1e-12;
      row.valid = true;
      state.counters["TFLOPS"] = row.tflops;
      state.counters["cublas_TFLOPS"] = row.cublas_tflops;
      state.counters["ratio"] = row.tflops / row.cublas_tflops;
      state.SetLabel(row.verified);
    } catch (const std::exception& error) {
      row.verified = std::string("NO: ") + error.what();
      state.SkipWithError(error.what());
    }
    rows_.push_back(row);
  }

 private:
  template <class Extent>
  static std::size_t largest(const std::vector<Case>& cases, const Extent& extent) {
    long long elements = 1;
    for (const Case& c : cases) elements = std::max(elements, extent(c.product));
    return static_cast<std::size_t>(elements);
  }

  [[nodiscard]] support::AnyView<const float> a(const Case& c) const {
    return packed<const float>(a_.data(), c.product.m, c.product.k, c.product.layout_a);
  }
  [[nodiscard]] support::AnyView<const float> b(const Case& c) const {
    return packed<const float>(b_.data(), c.product.k, c.product.n, c.product.layout_b);
  }
  [[nodiscard]] static support::AnyView<float> c_view(const support::DeviceBuffer<float>& data,
                                                      const Case& c) {
    return packed(data.data(), c.product.m, c.product.n, c.layout_c);
  }

  void launch_ours(const Case& c) const {
    const Status status = c.policy->gemm(1.0f, a(c), b(c), 0.0f, c_view(c_, c), stream_);
    if (!status.ok()) throw std::runtime_error(status.message());
  }
  void launch_cublas(const Case& c) const {
    const cublasStatus_t status = cublas_(1.0f, a(c), b(c), 0.0f, c_view(c_cublas_, c), stream_);
    if (status != CUBLAS_STATUS_SUCCESS) throw std::runtime_error(cublasGetStatusString(status));
  }

  // Equal to cuBLAS to the bit, which holds where cuBLAS sums k in order; else (it splits K there)
  // within the bound of count_outside_bound. Throws where neither holds.
  [[nodiscard]] std::string verify(const Case& c) const {
    // Ours starts as NaN and cuBLAS's as 3.4e38: an element that is not written fails both checks.
    check(cudaMemsetAsync(c_.data(), 0xff, c_.size() * sizeof(float), stream_), "cudaMemsetAsync");
    check(cudaMemsetAsync(c_cublas_.data(), 0x7f, c_cublas_.size() * sizeof(float), stream_),
          "cudaMemsetAsync");
    launch_ours(c);
    launch_cublas(c);
    const auto size = static_cast<std::size_t>(c.product.m * c.product.n);
    if (count_different_bits(c_.data(), c_cublas_.data(), size, stream_) == 0) {
      return "equal to cuBLAS to the bit";
    }
    const unsigned long long wrong = count_outside_bound(a(c), b(c), c_view(c_, c), stream_);
    if (wrong == 0) return "within the bound from double precision";
    throw std::runtime_error("verification failed: " + std::to_string(wrong) + " of " +
                             std::to_string(size) +
                             " elements are outside the bound from double precision");
  }

  cudaStream_t stream_ = nullptr;
  support::CublasSgemm cublas_;
  support::DeviceBuffer<float> a_, b_, c_, c_cublas_;
  std::vector<Row> rows_;
};

int run_all(const std::vector<Case>& cases, bool writes_json) {
  Bench bench(cases);
  for (const Case& c : cases) {
    benchmark::RegisterBenchmark(c.name().c_str(),
                                 [&bench, c](benchmark::State& state) { bench.run(c, state); })
        ->UseManualTime()
        ->Unit(benchmark::kMicrosecond)
        ->Iterations(group_count);
  }
  bench.warm_up(cases.back(), 0.3);
  const Machine machine = describe_machine(bench.cublas_version());
  TableReporter table(bench.rows(), machine);
  JsonReporter json(machine);
  benchmark::RunSpecifiedBenchmarks(&table, writes_json ? &json : nullptr);

  const auto failed = std::count_if(bench.rows().begin(), bench.rows().end(),
                                    [](const Row& row) { return !row.valid; });
  std::printf("\n%zu cases, %td not verified\n", bench.rows().size(), failed);
  return failed == 0 && !bench.rows().empty() ? 0 : 1;
}

}  // namespace
}  // namespace tessera::bench

int main(int argc, char** argv) {
  using namespace tessera::bench;
  try {
    const Flags flags = take_flags(argc, argv);
    if (flags.help) std::fputs(usage, stdout);
    const std::vector<Case> cases = make_cases(flags, TESSERA_SHAPES_DIR);
    const bool writes_json = std::any_of(argv, argv + argc, [](std::string_view argument) {
      return argument.starts_with("--benchmark_out=");
    });
    benchmark::Initialize(&argc, argv);  // prints Google Benchmark's own --help and leaves
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
    if (!device_present()) {
      std::fputs("gemm_bench: NO CUDA DEVICE HERE, NOTHING WAS MEASURED\n", stderr);
      return exit_no_device;
    }
    return run_all(cases, writes_json);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "gemm_bench: %s\n", error.what());
    return 1;
  }
}
