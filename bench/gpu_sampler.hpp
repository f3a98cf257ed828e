// GpuSampler: clocks, power and temperature of the current device while something runs, read by a
// thread of its own through NVML. The library is opened at run time; without it there are no
// values.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tessera::bench {

struct GpuSamples {
  int count = 0;
  std::optional<double> sm_clock_min_mhz, sm_clock_median_mhz;
  std::optional<double> power_mean_w, temperature_max_c;
  std::optional<std::vector<std::string>> throttle_reasons;  // all that were seen
};

class GpuSampler {
 public:
  GpuSampler();
  ~GpuSampler();
  GpuSampler(const GpuSampler&) = delete;
  GpuSampler& operator=(const GpuSampler&) = delete;

  // Empty where NVML or the figure is missing.
  [[nodiscard]] std::optional<std::string> driver_version() const;
  [[nodiscard]] std::optional<double> max_sm_clock_mhz() const;
  [[nodiscard]] std::optional<double> power_limit_w() const;
  [[nodiscard]] const char* power_source() const;  // what a power figure is

  // From now on samples go to `bin` (0 or 1); those before it are forgotten by clear().
  void sample_into(int bin);
  void pause();
  void clear();
  // Of both bins, or of one.
  [[nodiscard]] GpuSamples samples() const;
  [[nodiscard]] GpuSamples samples(int bin) const;

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace tessera::bench
