// Results as a table on stdout and as JSON.
#pragma once

#include <benchmark/benchmark.h>

#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include "cases.hpp"
#include "gpu_sampler.hpp"
#include "json.hpp"

namespace tessera::bench {

// Five figures of a set: a percentile is the nearest value.
struct Spread {
  double min, lower_quartile, median, upper_quartile, max;
};
inline Spread spread_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const auto at = [&](double part) {
    return values[static_cast<std::size_t>(part * static_cast<double>(values.size() - 1) + 0.5)];
  };
  return {values.front(), at(0.25), values[values.size() / 2], at(0.75), values.back()};
}

// What came of a case: timed, left out, or failed.
struct Row {
  Case c;
  std::string chosen, plan;  // the policy that runs, and how
  std::optional<int> slices;
  std::string verified;  // how
  Deviation ours, cublas;
  ModeTiming timing;  // empty unless timed
  GpuSamples both, of_ours, of_cublas;
  std::string left_out, failed;  // why, if so

  [[nodiscard]] bool timed() const { return !timing.ours.empty(); }
  [[nodiscard]] double flop() const {
    const Product& p = c.problem.product;
    return 2.0 * static_cast<double>(p.m) * static_cast<double>(p.n) * static_cast<double>(p.k);
  }
  // Least traffic: A and B read once, C written once.
  [[nodiscard]] double bytes() const {
    const Product& p = c.problem.product;
    return 4.0 * (static_cast<double>(p.m) * static_cast<double>(p.k) +
                  static_cast<double>(p.k) * static_cast<double>(p.n) +
                  static_cast<double>(p.m) * static_cast<double>(p.n));
  }
};

inline void add_times(JsonObject& out, const Row& row) {
  const auto add = [&](const std::string& prefix, const std::vector<double>& seconds) {
    const Spread s = spread_of(seconds);
    out.add(prefix + "TFLOPS", row.flop() / s.median * 1e-12);
    out.add(prefix + "GBps", row.bytes() / s.median * 1e-9);
    out.add(prefix + "time_us", s.median * 1e6);
    out.add(prefix + "time_min_us", s.min * 1e6);
    out.add(prefix + "time_lower_quartile_us", s.lower_quartile * 1e6);
    out.add(prefix + "time_upper_quartile_us", s.upper_quartile * 1e6);
    out.add(prefix + "time_max_us", s.max * 1e6);
  };
  add("", row.timing.ours);
  add("cublas_", row.timing.baseline);
  out.add("ratio", median(row.timing.baseline) / median(row.timing.ours));
  out.add("repetitions", row.timing.ours.size());
  out.add("launches_per_repetition", row.timing.launches_ours);
  out.add("cublas_launches_per_repetition", row.timing.launches_baseline);
  out.add("real_time", median(row.timing.ours) * 1e6);
  out.add("time_unit", "us");
}

inline void add_samples(JsonObject& out, const std::string& prefix, const GpuSamples& samples) {
  if (samples.count == 0) return;
  out.add(prefix + "samples", samples.count);
  out.add(prefix + "sm_clock_min_mhz", samples.sm_clock_min_mhz);
  out.add(prefix + "sm_clock_median_mhz", samples.sm_clock_median_mhz);
  out.add(prefix + "power_mean_w", samples.power_mean_w);
  out.add(prefix + "temperature_max_c", samples.temperature_max_c);
  out.add(prefix + "throttle_reasons", samples.throttle_reasons);
}

inline std::string json_of(const Row& row) {
  const Problem& problem = row.c.problem;
  const Product& p = problem.product;
  JsonObject out;
  out.add("name", row.c.name());
  out.add("run_type", "iteration");
  out.add("mode", name_of(row.c.mode));
  out.add("sweeps", row.c.sweeps);
  out.add("policy", row.c.policy->name);
  if (!row.chosen.empty()) out.add("chosen", row.chosen);
  if (!row.plan.empty()) out.add("plan", row.plan);
  out.add("slices", row.slices);
  out.add("layouts", problem.layouts());
  out.add("m", p.m);
  out.add("n", p.n);
  out.add("k", p.k);
  out.add("batch", p.batch);
  out.add("ld_extra", problem.ld_extra);
  out.add("offset", problem.offset);
  if (!p.group.empty()) out.add("source", p.name.empty() ? p.group : p.group + '/' + p.name);
  out.add("bytes", static_cast<long long>(row.bytes()));
  if (row.timed()) add_times(out, row);
  if (!row.verified.empty()) {
    out.add("label", row.verified);
    out.add("bits_equal_cublas", row.ours.different_bits == 0);
    out.add("relative_frobenius_error", row.ours.relative_frobenius);
    out.add("max_scaled_error", row.ours.max_scaled);
    out.add("cublas_relative_frobenius_error", row.cublas.relative_frobenius);
    out.add("cublas_max_scaled_error", row.cublas.max_scaled);
    out.add("error_elements", p.m * p.n);
  }
  // Only one second shows whose power it is.
  if (row.c.mode == Mode::sustained) {
    add_samples(out, "", row.of_ours);
    add_samples(out, "cublas_", row.of_cublas);
  } else {
    add_samples(out, "", row.both);
  }
  if (!row.left_out.empty()) out.add("left_out", row.left_out);
  if (!row.failed.empty()) {
    out.add("error_occurred", true);
    out.add("error_message", row.failed);
  }
  return out.text();
}

// One line a case, as soon as it is done. Reads `rows`, which the benchmarks append to: a Run has
// no room for what the table says.
class TableReporter : public benchmark::BenchmarkReporter {
 public:
  TableReporter(const std::vector<Row>& rows, std::string head)
      : rows_(rows), head_(std::move(head)) {}

  bool ReportContext(const Context&) override {
    std::printf("%s\n\n%-18s %-9s %-30s %12s %8s %8s %8s %7s  %s\n", head_.c_str(), "kernel",
                "mode", "problem", "time [us]", "TFLOPS", "GB/s", "cuBLAS", "ratio", "verified");
    return true;
  }
  void ReportRuns(const std::vector<Run>&) override {
    for (; printed_ < rows_.size(); ++printed_) print(rows_[printed_]);
    std::fflush(stdout);
  }

 private:
  static void print(const Row& row) {
    std::printf("%-18s %-9s %-30s ", row.c.policy->name, name_of(row.c.mode),
                row.c.problem.name().c_str());
    if (row.timed()) {
      const double seconds = median(row.timing.ours), cublas = median(row.timing.baseline);
      std::printf("%12.2f %8.2f %8.1f %8.2f %7.3f  %s", seconds * 1e6, row.flop() / seconds * 1e-12,
                  row.bytes() / seconds * 1e-9, row.flop() / cublas * 1e-12, cublas / seconds,
                  row.verified.c_str());
      if (row.chosen != row.c.policy->name) std::printf("; runs %s", row.chosen.c_str());
      std::printf("\n");
    } else {
      std::printf("%12s %8s %8s %8s %7s  %s\n", "-", "-", "-", "-", "-",
                  row.failed.empty() ? ("left out: " + row.left_out).c_str()
                                     : ("NO: " + row.failed).c_str());
    }
  }

  const std::vector<Row>& rows_;
  std::string head_;
  std::size_t printed_ = 0;
};

// Google Benchmark's layout of a result file (context, benchmarks) with this bench's content;
// result files are published, so the host's name stays out. Whole after every case.
class JsonReporter : public benchmark::BenchmarkReporter {
 public:
  JsonReporter(const std::vector<Row>& rows, std::string context)
      : rows_(rows), context_(std::move(context)) {}

  bool ReportContext(const Context&) override {
    GetOutputStream() << "{\n  \"context\": " << context_ << ",\n  \"benchmarks\": [";
    close();
    return true;
  }
  void ReportRuns(const std::vector<Run>&) override {
    for (; written_ < rows_.size(); ++written_) {
      GetOutputStream().seekp(end_);
      GetOutputStream() << (written_ == 0 ? "\n    " : ",\n    ") << json_of(rows_[written_]);
      close();
    }
  }

 private:
  void close() {
    end_ = GetOutputStream().tellp();
    GetOutputStream() << "\n  ]\n}\n" << std::flush;
  }

  const std::vector<Row>& rows_;
  std::string context_;
  std::size_t written_ = 0;
  std::ostream::pos_type end_;
};

}  // namespace tessera::bench
