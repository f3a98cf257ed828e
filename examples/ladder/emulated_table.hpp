// The ladder's table without a GPU: what a rung changes that shows without a clock.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

#include "emulator/control.h"
#include "problem.hpp"

namespace tessera::ladder {

class Table {
 public:
  explicit Table(std::size_t products) : fma_limit_(total_fma / static_cast<double>(products)) {
    if (std::getenv("TESSERA_EMULATOR_THREADS") == nullptr) {
      emulator::options.threads = std::max(1u, std::thread::hardware_concurrency());
    }
    std::puts(
        "EMULATED: no GPU is used. The same kernels run on the CPU, on products cut to take about\n"
        "a minute in all; every element must equal the host's fmaf loop to the bit. Nothing here\n"
        "is a time: what a rung buys on a GPU shows as bytes moved per fused multiply-add.\n"
        "  stages      smem tiles per operand\n"
        "  vec_width   floats per access\n"
        "  gmem B/FMA  what crosses from L2, a block loading each of its tiles once (naive: what\n"
        "              its threads ask for)\n"
        "  smem B/FMA  what threads read from smem into fragments");
  }

  // Whole 128s of m and n and whole 32s of k (the longest tiles) are divided by the smallest number
  // that is enough; what remains beyond them stays, so that a ragged edge stays the same ragged
  // edge.
  [[nodiscard]] bench::Product fit(const bench::Product& product) const {
    const auto cut = [](long long extent, long long whole, long long divisor) {
      if (extent < whole) return extent;
      return std::max(1LL, extent / whole / divisor) * whole + extent % whole;
    };
    const long long largest = std::max({product.m, product.n, product.k});
    bench::Product fitting = product;
    for (long long divisor = 1; !fits(fitting) && divisor <= largest; ++divisor) {
      fitting.m = cut(product.m, 128, divisor);
      fitting.n = cut(product.n, 128, divisor);
      fitting.k = cut(product.k, 32, divisor);
    }
    return fitting;
  }
  [[nodiscard]] long long sampled_rows(const bench::Product& product) const { return product.m; }

  void print_head() const {
    std::printf("  %-16s %11s %11s %7s %6s %9s %10s %10s %6s  %s\n", "rung", "thread tile",
                "block tile", "k-tiles", "stages", "vec_width", "gmem B/FMA", "smem B/FMA",
                "blocks", "verified");
  }

  void print_row(const Problem& problem, const support::PolicyEntry& rung,
                 const Verification& verification) const {
    const LaunchPlan plan = rung.plan(1.0f, problem.a(), problem.b(), 0.0f, problem.c());
    const TileConfig& config = plan.config;
    const bool staged = config.stages.count > 0;
    const std::string thread_tile =
        std::to_string(config.thread_tile.m) + 'x' + std::to_string(config.thread_tile.n);
    std::string block_tile =
        std::to_string(config.block_m()) + 'x' + std::to_string(config.block_n());
    if (staged) block_tile += 'x' + std::to_string(config.block_k());
    std::printf("  %-16s %11s %11s %7s %6d %9d %10.3f %10.3f %6lld  %s%s\n", rung.name,
                thread_tile.c_str(), block_tile.c_str(),
                staged ? std::to_string(plan.k_tiles).c_str() : "-", config.stages.count,
                plan.vec_width_c, plan.gmem_bytes_per_fma(), plan.smem_bytes_per_fma(), plan.grid,
                verification.verified ? "" : "NO: ", verification.text.c_str());
  }

  static constexpr const char* closing = " (emulated)";

 private:
  // Fused multiply-adds of all products together. The six rungs together take about 10 ns of one
  // core for each.
  static constexpr double total_fma = 3.0e9;

  // Floats of an operand or of C.
  static constexpr double matrix_limit = 16e6;

  // Threads beyond the edge of C multiply as well, so a ragged block tile costs as much as a full
  // one.
  [[nodiscard]] bool fits(const bench::Product& p) const {
    const auto m = static_cast<double>(p.m), n = static_cast<double>(p.n);
    const auto k = static_cast<double>(p.k);
    const auto padded = [](double extent) { return std::ceil(extent / 128.0) * 128.0; };
    return padded(m) * padded(n) * k <= fma_limit_ && m * k <= matrix_limit &&
           k * n <= matrix_limit && m * n <= matrix_limit;
  }

  double fma_limit_;
};

}  // namespace tessera::ladder
