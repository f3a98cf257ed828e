// Times two kernels against each other: groups of launches, one group of each in turn (A B A B),
// so that both meet the same clocks and temperature.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "device.hpp"

namespace tessera::bench {

// A group is long enough that the events' resolution and the first launch's latency do not show.
inline constexpr double group_seconds = 2e-3;
inline constexpr int group_count = 7;

inline double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// Seconds for one launch: `launches` of them between two events. Hot: every launch finds in the L2
// what the one before left there.
template <class Launch>
double time_group(const Launch& launch, int launches, cudaStream_t stream) {
  const Event start, stop;
  start.record(stream);
  for (int i = 0; i < launches; ++i) launch();
  stop.record(stream);
  stop.wait();
  return stop.seconds_since(start) / launches;
}

// Launches that fill a group. Also the warm-up: it launches for at least a group's time.
template <class Launch>
int launches_per_group(const Launch& launch, cudaStream_t stream) {
  int launches = 1;
  for (;;) {
    const double seconds = std::max(time_group(launch, launches, stream), 1e-9);
    const int needed = static_cast<int>(std::ceil(group_seconds / seconds));
    if (needed <= launches) return launches;
    launches = std::min(needed, launches * 8);  // the first launches are slower than those to come
  }
}

struct Timing {
  std::vector<double> ours, baseline;  // seconds for one launch, one value a group
};

template <class Ours, class Baseline>
Timing time_interleaved(const Ours& ours, const Baseline& baseline, cudaStream_t stream) {
  const int launches_ours = launches_per_group(ours, stream);
  const int launches_baseline = launches_per_group(baseline, stream);
  Timing timing;
  for (int group = 0; group < group_count; ++group) {
    timing.ours.push_back(time_group(ours, launches_ours, stream));
    timing.baseline.push_back(time_group(baseline, launches_baseline, stream));
  }
  return timing;
}

}  // namespace tessera::bench
