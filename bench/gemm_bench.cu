// Sweeps policies over layouts and shapes against cuBLAS: each case verified, then timed, ours and
// cuBLAS in turn. See --help and bench/README.md.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <limits>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "bench/cases.hpp"
#include "bench/cublas_sgemm.hpp"
#include "bench/device.hpp"
#include "bench/gpu_sampler.hpp"
#include "bench/machine.hpp"
#include "bench/operands.hpp"
#include "bench/progress.hpp"
#include "bench/report.hpp"
#include "bench/timing_modes.hpp"
#include "tests/support/device_present.hpp"

namespace tessera::bench {

using support::check;

namespace {

constexpr std::size_t cublas_workspace_bytes = std::size_t{64} << 20;  // NVIDIA advises 32 MiB
constexpr double graph_up_to_mnk = 1024.0 * 1024.0 * 1024.0;
// An optional case is left out where one launch takes so long, and so many times cuBLAS's time.
constexpr double left_out_seconds = 10e-3;
constexpr double left_out_factor = 5.0;

template <class T>
support::AnyView<T> view_of(T* data, index_t rows, index_t cols, char letter, const Problem& p) {
  data += p.offset;
  if (letter == 'R') return {data, rows, cols, cols + p.ld_extra, support::Layout::row};
  return {data, rows, cols, rows + p.ld_extra, support::Layout::col};
}

template <class Plan>
std::optional<int> slices_of(const Plan& plan) {
  if constexpr (requires { plan.slices; }) {
    return static_cast<int>(plan.slices);
  } else {
    return {};
  }
}

// The operands of the largest case, shared by all: a smaller case uses the front of them.
class Bench {
 public:
  Bench(const std::vector<Case>& cases, std::optional<int> repetitions)
      : repetitions_(repetitions),
        workspace_(cublas_workspace_bytes),
        a_(largest(cases, [](const Product& p) { return std::pair(p.m, p.k); })),
        b_(largest(cases, [](const Product& p) { return std::pair(p.k, p.n); })),
        c_(largest(cases, [](const Product& p) { return std::pair(p.m, p.n); })),
        c_cublas_(c_.size()),
        reference_(most_results(cases)),
        progress_(cases) {
    cublas_.use_workspace(workspace_.data(), workspace_.size());
    keep_pool_memory();
    fill_uniform(a_.data(), a_.size(), 1, stream_);
    fill_uniform(b_.data(), b_.size(), 2, stream_);
    stream_.synchronize();
  }

  [[nodiscard]] const std::vector<Row>& rows() const { return rows_; }
  [[nodiscard]] JsonObject machine(const std::vector<Case>& cases,
                                   const std::optional<std::string>& revision) const {
    std::vector<Mode> modes;
    for (const Mode mode : every_mode) {
      if (std::any_of(cases.begin(), cases.end(), [&](const Case& c) { return c.mode == mode; })) {
        modes.push_back(mode);
      }
    }
    return describe_machine(cublas_.version(), sampler_, modes, revision, stream_);
  }

  // Raises the clocks from idle, for about `seconds`.
  void warm_up(const Problem& problem, double seconds) const {
    const Event start, stop;
    double elapsed = 0.0;
    start.record(stream_);
    while (elapsed < seconds) {
      launch_cublas(problem);
      stop.record(stream_);
      stop.wait();
      elapsed = stop.seconds_since(start);
    }
  }

  void run(const Case& c, benchmark::State& state) {
    progress_.begin(c);
    Row row{};
    row.c = c;
    try {
      describe_plan(row);
      verify(row);
      if (row.left_out.empty()) time(row);
    } catch (const std::exception& error) {
      row.failed = error.what();
    }
    sampler_.pause();
    for ([[maybe_unused]] auto _ : state) {
      state.SetIterationTime(row.timed() ? median(row.timing.ours) : 0.0);
    }
    if (!row.failed.empty()) state.SkipWithError(row.failed.c_str());
    progress_.end();
    rows_.push_back(std::move(row));
  }

 private:
  template <class Extents>
  static std::size_t largest(const std::vector<Case>& cases, const Extents& extents) {
    long long elements = 1;
    for (const Case& c : cases) {
      const auto [rows, cols] = extents(c.problem.product);
      const long long padding = c.problem.ld_extra * std::max(rows, cols);
      elements = std::max(elements, rows * cols + padding + c.problem.offset);
    }
    return static_cast<std::size_t>(elements);
  }
  static std::size_t most_results(const std::vector<Case>& cases) {
    long long elements = 1;
    for (const Case& c : cases) {
      elements = std::max(elements, c.problem.product.m * c.problem.product.n);
    }
    return static_cast<std::size_t>(elements);
  }

  [[nodiscard]] support::AnyView<const float> a(const Problem& p) const {
    return view_of<const float>(a_.data(), p.product.m, p.product.k, p.product.layout_a, p);
  }
  [[nodiscard]] support::AnyView<const float> b(const Problem& p) const {
    return view_of<const float>(b_.data(), p.product.k, p.product.n, p.product.layout_b, p);
  }
  [[nodiscard]] static support::AnyView<float> c_view(const support::DeviceBuffer<float>& data,
                                                      const Problem& p) {
    return view_of(data.data(), p.product.m, p.product.n, p.layout_c, p);
  }

  void launch_ours(const Case& c) const {
    const Problem& p = c.problem;
    const Status status = c.policy->gemm(1.0f, a(p), b(p), 0.0f, c_view(c_, p), stream_);
    if (!status.ok()) throw std::runtime_error(status.message());
  }
  void launch_cublas(const Problem& p) const {
    const cublasStatus_t status = cublas_(1.0f, a(p), b(p), 0.0f, c_view(c_cublas_, p), stream_);
    if (status != CUBLAS_STATUS_SUCCESS) throw std::runtime_error(cublasGetStatusString(status));
  }

  void describe_plan(Row& row) const {
    const Problem& p = row.c.problem;
    const LaunchPlan plan = row.c.policy->plan(1.0f, a(p), b(p), 0.0f, c_view(c_, p));
    std::ostringstream text;
    text << plan;
    row.plan = text.str();
    row.chosen = plan.policy;
    row.slices = slices_of(plan);
  }

  // The reference of a problem and cuBLAS's result, which all policies share.
  void prepare(const Problem& problem) {
    if (prepared_ == problem.name()) return;
    prepared_.clear();
    verified_.clear();
    reference_.compute(a(problem), b(problem), stream_);
    // An element that is not written stays 3.4e38, and NaN in our result: both are out of bounds.
    check(cudaMemsetAsync(c_cublas_.data(), 0x7f, c_cublas_.size() * sizeof(float), stream_),
          "cudaMemsetAsync");
    launch_cublas(problem);
    const support::AnyView<float> result = c_view(c_cublas_, problem);
    deviation_of_cublas_ = reference_.compare(result, result, stream_);
    if (deviation_of_cublas_.outside_bound != 0) {
      throw std::runtime_error("cuBLAS's own result is outside the bound from double precision");
    }
    cublas_seconds_ = time_group([&] { launch_cublas(problem); }, 1, stream_);
    prepared_ = problem.name();
  }

  // Every element: equal to cuBLAS's to the bit, or within the bound from double precision (one of
  // the two split K). Throws where neither holds.
  void verify(Row& row) {
    const Problem& problem = row.c.problem;
    prepare(problem);
    row.cublas = deviation_of_cublas_;
    if (verified_ != row.c.policy->name) {
      verified_.clear();
      check(cudaMemsetAsync(c_.data(), 0xff, c_.size() * sizeof(float), stream_),
            "cudaMemsetAsync");
      ours_seconds_ = time_group([&] { launch_ours(row.c); }, 1, stream_);
      deviation_ = reference_.compare(c_view(c_, problem), c_view(c_cublas_, problem), stream_);
      if (deviation_.outside_bound != 0) {
        throw std::runtime_error(
            "verification failed: " + std::to_string(deviation_.outside_bound) +
            " elements are outside the bound from double precision");
      }
      verified_ = row.c.policy->name;
    }
    row.ours = deviation_;
    row.verified = deviation_.different_bits == 0 ? "equal to cuBLAS to the bit"
                                                  : "within the bound from double precision";
    if (row.c.optional && is_far_slower()) {
      // The first launch of a kernel loads it: only the second one counts.
      ours_seconds_ = time_group([&] { launch_ours(row.c); }, 1, stream_);
      if (is_far_slower()) {
        row.left_out = "one launch takes " +
                       std::to_string(std::lround(ours_seconds_ / cublas_seconds_)) +
                       " times as long as cuBLAS's";
      }
    }
  }

  [[nodiscard]] bool is_far_slower() const {
    return ours_seconds_ > left_out_seconds && ours_seconds_ > left_out_factor * cublas_seconds_;
  }

  void time(Row& row) {
    const auto ours = [&] { launch_ours(row.c); };
    const auto cublas = [&] { launch_cublas(row.c.problem); };
    sampler_.clear();
    sampler_.sample_into(0);
    if (row.c.mode == Mode::cold) {
      if (!filler_) filler_.emplace();
      row.timing = time_cold(ours, cublas, *filler_, repetitions_, stream_);
    } else {
      const bool as_graph = row.flop() <= 2.0 * graph_up_to_mnk;
      const bool sustained = row.c.mode == Mode::sustained;
      row.timing = time_batches(
          ours, cublas, as_graph, sustained, repetitions_,
          [&](int bin) { sampler_.sample_into(bin); }, stream_);
    }
    sampler_.pause();
    row.both = sampler_.samples();
    row.of_ours = sampler_.samples(0);
    row.of_cublas = sampler_.samples(1);
  }

  std::optional<int> repetitions_;
  support::Stream stream_;  // not the default one, which cannot be captured
  support::CublasSgemm cublas_;
  support::DeviceBuffer<char> workspace_;
  support::DeviceBuffer<float> a_, b_, c_, c_cublas_;
  Reference reference_;
  std::optional<L2Filler> filler_;
  GpuSampler sampler_;
  Progress progress_;
  std::vector<Row> rows_;
  std::string prepared_, verified_;  // the problem and the policy that hold now
  Deviation deviation_of_cublas_, deviation_;
  double cublas_seconds_ = 0.0, ours_seconds_ = 0.0;
};

int run_all(const std::vector<Case>& cases, const Flags& flags, bool writes_json) {
  Bench bench(cases, parse_repetitions(flags));
  for (const Case& c : cases) {
    benchmark::RegisterBenchmark(c.name().c_str(),
                                 [&bench, c](benchmark::State& state) { bench.run(c, state); })
        ->UseManualTime()
        ->Unit(benchmark::kMicrosecond)
        ->Iterations(1);
  }
  bench.warm_up(cases.back().problem, 0.3);
  const std::string machine = bench.machine(cases, flags.revision).text();
  TableReporter table(bench.rows(), machine);
  JsonReporter json(bench.rows(), machine);
  benchmark::RunSpecifiedBenchmarks(&table, writes_json ? &json : nullptr);

  const auto count = [&](const auto& what) {
    return std::count_if(bench.rows().begin(), bench.rows().end(), what);
  };
  const auto failed = count([](const Row& row) { return !row.failed.empty(); });
  std::printf("\n%zu cases, %td left out, %td failed\n", bench.rows().size(),
              count([](const Row& row) { return !row.left_out.empty(); }), failed);
  return failed == 0 && !bench.rows().empty() ? 0 : 1;
}

}  // namespace
}  // namespace tessera::bench

int main(int argc, char** argv) {
  using namespace tessera::bench;
  try {
    const Flags flags = take_flags(argc, argv);
    if (flags.help) std::fputs(usage().c_str(), stdout);
    const std::vector<Case> cases = make_cases(flags, TESSERA_SHAPES_DIR);
    if (flags.list) {
      for (const Case& c : cases) std::printf("%s\n", c.name().c_str());
      return 0;
    }
    const bool writes_json = std::any_of(argv, argv + argc, [](std::string_view argument) {
      return argument.starts_with("--benchmark_out=");
    });
    benchmark::Initialize(&argc, argv);  // prints Google Benchmark's own --help and leaves
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
    if (!tessera::support::device_present()) {
      std::fputs("gemm_bench: NO CUDA DEVICE HERE, NOTHING WAS MEASURED\n", stderr);
      return tessera::support::exit_no_device;
    }
    return run_all(cases, flags, writes_json);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "gemm_bench: %s\n", error.what());
    return 1;
  }
}
