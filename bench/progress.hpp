// A line on stderr that says which case is next and when all will be done.
#pragma once

#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <vector>

#include "cases.hpp"

namespace tessera::bench {

class Progress {
 public:
  explicit Progress(const std::vector<Case>& cases) : count_(cases.size()) {
    for (const Case& c : cases) remaining_ += cost(c);
  }

  void begin(const Case& c) {
    ++begun_;
    if (begun_ > 1) {
      done_ += cost_now_;
      remaining_ -= cost_now_;
    }
    cost_now_ = cost(c);
    const auto now = Clock::now();
    // A terminal has one line that is overwritten; a log has one every few seconds.
    if (!is_terminal_ && begun_ > 1 && now - printed_ < std::chrono::seconds(5)) return;
    printed_ = now;
    const double elapsed = std::chrono::duration<double>(now - start_).count();
    const int left = done_ > 0.0 ? static_cast<int>(elapsed / done_ * remaining_) : -1;
    std::fprintf(stderr, "%s[%zu/%zu] ", is_terminal_ ? "\r\033[K" : "", begun_, count_);
    if (left >= 0) std::fprintf(stderr, "%d:%02d left ", left / 60, left % 60);
    std::fprintf(stderr, " %s%s", c.name().c_str(), is_terminal_ ? "\r" : "\n");
    std::fflush(stderr);
  }
  void end() const {
    if (is_terminal_) std::fputs("\r\033[K", stderr);
  }

 private:
  using Clock = std::chrono::steady_clock;

  // A guess in seconds; only the proportions count.
  static double cost(const Case& c) {
    const Product& p = c.problem.product;
    const double flop =
        2.0 * static_cast<double>(p.m) * static_cast<double>(p.n) * static_cast<double>(p.k);
    if (c.mode == Mode::sustained) return 2 * fewest_repetitions * sustained_seconds;
    return 0.05 + 14.0 * flop / 40e12;
  }

  const bool is_terminal_ = isatty(STDERR_FILENO) != 0;
  const Clock::time_point start_ = Clock::now();
  Clock::time_point printed_ = start_;
  std::size_t count_, begun_ = 0;
  double remaining_ = 0.0, done_ = 0.0, cost_now_ = 0.0;
};

}  // namespace tessera::bench
