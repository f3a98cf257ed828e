// The ladder's table with a GPU: times, TFLOPS and the ratio to cuBLAS.
#pragma once

#include <cstdio>
#include <stdexcept>
#include <string>

#include "bench/cublas_sgemm.hpp"
#include "bench/interleaved_timing.hpp"
#include "problem.hpp"

namespace tessera::ladder {

class Table {
 public:
  explicit Table(std::size_t) {
    int device = 0;
    cudaDeviceProp properties{};
    support::check(cudaGetDevice(&device), "cudaGetDevice");
    support::check(cudaGetDeviceProperties(&properties, device), "cudaGetDeviceProperties");
    std::printf(
        "%s, cuBLAS %d with pedantic FP32. Hot: groups of back-to-back launches, the rung and\n"
        "cuBLAS in turn, medians. Verified before timed, to the bit: rows at random and the last\n"
        "one, against the host's fmaf loop.\n",
        properties.name, cublas_.version());
  }

  [[nodiscard]] bench::Product fit(const bench::Product& product) const { return product; }
  [[nodiscard]] long long sampled_rows(const bench::Product&) const { return 9; }

  void print_head() const {
    std::printf("  %-18s %12s %8s %8s %7s  %s\n", "rung", "time [us]", "TFLOPS", "cuBLAS", "ratio",
                "verified");
  }

  void print_row(const Problem& problem, const support::PolicyEntry& rung,
                 const Verification& verification) const {
    std::printf("  %-18s ", rung.name);
    if (!verification.verified) {
      std::printf("%12s %8s %8s %7s  NO: %s\n", "-", "-", "-", "-", verification.text.c_str());
      return;
    }
    const bench::Timing timing = bench::time_interleaved(
        [&] {
          const Status status =
              rung.gemm(1.0f, problem.a(), problem.b(), 0.0f, problem.c(), nullptr);
          if (!status.ok()) throw std::runtime_error(status.message());
        },
        [&] {
          const cublasStatus_t status =
              cublas_(1.0f, problem.a(), problem.b(), 0.0f, problem.c(), nullptr);
          if (status != CUBLAS_STATUS_SUCCESS) {
            throw std::runtime_error(cublasGetStatusString(status));
          }
        },
        nullptr);
    const bench::Product& p = problem.product();
    const double seconds = bench::median(timing.ours);
    const double cublas_seconds = bench::median(timing.baseline);
    const double teraflop =
        2e-12 * static_cast<double>(p.m) * static_cast<double>(p.n) * static_cast<double>(p.k);
    std::printf("%12.2f %8.2f %8.2f %7.3f  %s\n", seconds * 1e6, teraflop / seconds,
                teraflop / cublas_seconds, cublas_seconds / seconds, verification.text.c_str());
  }

  static constexpr const char* closing = "";

 private:
  support::CublasSgemm cublas_;
};

}  // namespace tessera::ladder
