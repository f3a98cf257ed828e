// Results as a table on stdout and as JSON, and the machine that they were measured on.
#pragma once

#include <benchmark/benchmark.h>

#include <cstdio>
#include <ctime>
#include <string>
#include <utility>
#include <vector>

#include "device.hpp"

namespace tessera::bench {

using support::check;

struct Row {
  std::string policy, layouts, shape;
  std::string verified;  // how, or why not
  bool valid = false;    // verified and timed
  double seconds = 0.0, tflops = 0.0, cublas_tflops = 0.0;
};

using Machine = std::vector<std::pair<std::string, std::string>>;

// The first line that a command prints; empty where there is no such command.
inline std::string first_line_of(const std::string& command) {
  std::string line;
  if (FILE* pipe = popen((command + " 2>/dev/null").c_str(), "r")) {
    char buffer[512];
    if (std::fgets(buffer, sizeof buffer, pipe) != nullptr) line = buffer;
    if (pclose(pipe) != 0) line.clear();
  }
  while (!line.empty() && (line.back() == '\n' || line.back() == '\r')) line.pop_back();
  return line;
}

// The current device, its clocks now, and the software in front of it.
inline Machine describe_machine(int cublas_version) {
  int device = 0, driver = 0, runtime = 0;
  char bus[32] = "";
  cudaDeviceProp properties{};
  check(cudaGetDevice(&device), "cudaGetDevice");
  check(cudaGetDeviceProperties(&properties, device), "cudaGetDeviceProperties");
  check(cudaDeviceGetPCIBusId(bus, sizeof bus, device), "cudaDeviceGetPCIBusId");
  check(cudaDriverGetVersion(&driver), "cudaDriverGetVersion");
  check(cudaRuntimeGetVersion(&runtime), "cudaRuntimeGetVersion");
  // CUDA 13 no longer has the clocks among the device's attributes.
  const std::string smi = first_line_of(
      "nvidia-smi --query-gpu=driver_version,clocks.sm,clocks.max.sm,power.limit "
      "--format=csv,noheader -i " +
      std::string(bus));
  return {{"gpu", properties.name},
          {"compute_capability",
           std::to_string(properties.major) + '.' + std::to_string(properties.minor)},
          {"sm_count", std::to_string(properties.multiProcessorCount)},
          {"driver_clock_max_clock_power_limit", smi.empty() ? "unknown" : smi},
          {"cuda_driver", std::to_string(driver)},
          {"cuda_runtime", std::to_string(runtime)},
          {"cublas", std::to_string(cublas_version)},
          {"cublas_math_mode", "CUBLAS_PEDANTIC_MATH"},
          {"mode", "hot: groups of back-to-back launches, ours and cuBLAS in turn"},
          {"data", "uniform(-1, 1)"}};
}

// One line a case, as soon as it is done. Reads `rows`, which the benchmarks append to: a Run has
// no room for what the table says.
class TableReporter : public benchmark::BenchmarkReporter {
 public:
  TableReporter(const std::vector<Row>& rows, const Machine& machine)
      : rows_(rows), machine_(machine) {}

  bool ReportContext(const Context&) override { return true; }

  void ReportRuns(const std::vector<Run>&) override {
    if (printed_ == 0) print_head();
    for (; printed_ < rows_.size(); ++printed_) print(rows_[printed_]);
    std::fflush(stdout);
  }

 private:
  void print_head() const {
    for (const auto& [key, value] : machine_) std::printf("%s: %s\n", key.c_str(), value.c_str());
    std::printf("\n%-18s %-7s %-18s %12s %8s %8s %7s  %s\n", "kernel", "layouts", "shape",
                "time [us]", "TFLOPS", "cuBLAS", "ratio", "verified");
  }
  static void print(const Row& row) {
    std::printf("%-18s %-7s %-18s ", row.policy.c_str(), row.layouts.c_str(), row.shape.c_str());
    if (row.valid) {
      std::printf("%12.2f %8.2f %8.2f %7.3f  ", row.seconds * 1e6, row.tflops, row.cublas_tflops,
                  row.tflops / row.cublas_tflops);
    } else {
      std::printf("%12s %8s %8s %7s  ", "-", "-", "-", "-");
    }
    std::printf("%s\n", row.verified.c_str());
  }

  const std::vector<Row>& rows_;
  const Machine& machine_;
  std::size_t printed_ = 0;
};

// Google Benchmark's JSON with this bench's context (result files are published, so the host's name
// stays out) and with names that hold nothing but policy, layouts and shape.
class JsonReporter : public benchmark::JSONReporter {
 public:
  explicit JsonReporter(const Machine& machine) : machine_(machine) {}

  bool ReportContext(const Context&) override {
    std::ostream& out = GetOutputStream();
    char date[32] = "";
    const std::time_t now = std::time(nullptr);
    std::strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", std::gmtime(&now));
    out << "{\n  \"context\": {\n    \"date\": \"" << date << '"';
    for (const auto& [key, value] : machine_) {
      out << ",\n    " << quoted(key) << ": " << quoted(value);
    }
    out << "\n  },\n  \"benchmarks\": [\n";  // the base class goes on from here
    return true;
  }

  void ReportRuns(const std::vector<Run>& runs) override {
    std::vector<Run> named = runs;
    for (Run& run : named) run.run_name.iterations = run.run_name.time_type = {};
    JSONReporter::ReportRuns(named);
  }

 private:
  static std::string quoted(const std::string& text) {
    std::string out = "\"";
    for (const char c : text) {
      if (c == '"' || c == '\\') out += '\\';
      if (static_cast<unsigned char>(c) >= 0x20) out += c;
    }
    return out + '"';
  }

  const Machine& machine_;
};

}  // namespace tessera::bench
