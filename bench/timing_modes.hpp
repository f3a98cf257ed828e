// The three ways to time a kernel and its baseline in turn (A B A B):
//   hot        groups of back-to-back launches between two events, a group at least 1 ms
//   cold       single launches, the L2 filled with other data before each
//   sustained  one second of back-to-back launches a group
// Small products are launched as graphs under hot and sustained, so that the time is the device's
// and not that of the host's launch calls.
#pragma once

#include <optional>
#include <string_view>

#include "interleaved_timing.hpp"
#include "operands.hpp"

namespace tessera::bench {

enum class Mode { hot, cold, sustained };
inline constexpr Mode every_mode[] = {Mode::hot, Mode::cold, Mode::sustained};

inline const char* name_of(Mode mode) {
  constexpr const char* names[] = {"hot", "cold", "sustained"};
  return names[static_cast<int>(mode)];
}

inline const char* definition_of(Mode mode) {
  constexpr const char* definitions[] = {
      "groups of back-to-back launches between two events, a group at least 1 ms; up to m n k = "
      "2^30 the launches are replays of a CUDA graph",
      "every launch between two events of its own, the L2 filled with other data before it",
      "as hot, with groups of one second"};
  return definitions[static_cast<int>(mode)];
}

inline constexpr double sustained_seconds = 1.0;
inline constexpr double cold_seconds = 15e-3;  // for each of the two, within the bounds below
inline constexpr int fewest_repetitions = 5, most_cold_repetitions = 30;
inline constexpr double long_launch_seconds = 10e-3;  // from here on, the fewest repetitions

// Launches of one kernel, enqueued together: one by one, or as a graph that was captured once.
class LaunchBatch {
 public:
  static constexpr int most_nodes = 200;

  template <class Launch>
  LaunchBatch(const Launch& launch, bool as_graph, cudaStream_t stream) : stream_(stream) {
    if (!as_graph) return;
    // The host may need longer than the device for a launch, so this is at most what fills a group.
    size_ = std::min(launches_per_group(launch, stream), most_nodes);
    cudaGraph_t graph = nullptr;
    support::check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal),
                   "cudaStreamBeginCapture");
    try {
      for (int i = 0; i < size_; ++i) launch();
    } catch (...) {
      cudaStreamEndCapture(stream, &graph);
      cudaGraphDestroy(graph);
      throw;
    }
    support::check(cudaStreamEndCapture(stream, &graph), "cudaStreamEndCapture");
    const cudaError_t error = cudaGraphInstantiate(&graph_, graph, 0);
    cudaGraphDestroy(graph);
    support::check(error, "cudaGraphInstantiate");
  }
  ~LaunchBatch() {
    if (graph_ != nullptr) cudaGraphExecDestroy(graph_);
  }
  LaunchBatch(const LaunchBatch&) = delete;
  LaunchBatch& operator=(const LaunchBatch&) = delete;

  [[nodiscard]] int size() const { return size_; }
  template <class Launch>
  void enqueue(const Launch& launch) const {
    if (graph_ == nullptr) return launch();
    support::check(cudaGraphLaunch(graph_, stream_), "cudaGraphLaunch");
  }

 private:
  cudaStream_t stream_;
  cudaGraphExec_t graph_ = nullptr;
  int size_ = 1;
};

// More than the L2 holds.
class L2Filler {
 public:
  L2Filler() : data_(size()) {
    support::check(cudaMemset(data_.data(), 0, data_.size() * sizeof(float)), "cudaMemset");
  }
  void fill(cudaStream_t stream) const { read_all(data_.data(), data_.size(), stream); }

 private:
  static std::size_t size() {
    int device = 0, bytes = 0;
    support::check(cudaGetDevice(&device), "cudaGetDevice");
    support::check(cudaDeviceGetAttribute(&bytes, cudaDevAttrL2CacheSize, device),
                   "cudaDevAttrL2CacheSize");
    return static_cast<std::size_t>(bytes);  // as many floats: four times its size
  }
  support::DeviceBuffer<float> data_;
};

struct ModeTiming : Timing {
  int launches_ours = 1, launches_baseline = 1;  // of a group
};

// `watch(0)` and `watch(1)` are called before each group of ours and of the baseline.
template <class Ours, class Baseline, class Watch>
ModeTiming time_batches(const Ours& ours, const Baseline& baseline, bool as_graph, bool sustained,
                        std::optional<int> repetitions, const Watch& watch, cudaStream_t stream) {
  const LaunchBatch batch_ours(ours, as_graph, stream);
  const LaunchBatch batch_baseline(baseline, as_graph, stream);
  const auto enqueue_ours = [&] { batch_ours.enqueue(ours); };
  const auto enqueue_baseline = [&] { batch_baseline.enqueue(baseline); };

  double longest_launch = 0.0;
  const auto batches_of_group = [&](const auto& enqueue, int size) {
    int batches = launches_per_group(enqueue, stream);
    const double seconds = time_group(enqueue, batches, stream);
    longest_launch = std::max(longest_launch, seconds / size);
    if (sustained) batches = static_cast<int>(std::ceil(sustained_seconds / seconds));
    return batches;
  };
  const int batches_ours = batches_of_group(enqueue_ours, batch_ours.size());
  const int batches_baseline = batches_of_group(enqueue_baseline, batch_baseline.size());

  ModeTiming timing;
  timing.launches_ours = batches_ours * batch_ours.size();
  timing.launches_baseline = batches_baseline * batch_baseline.size();
  const bool few = sustained || longest_launch > long_launch_seconds;
  const int groups = repetitions.value_or(few ? fewest_repetitions : group_count);
  for (int group = 0; group < groups; ++group) {
    watch(0);
    timing.ours.push_back(time_group(enqueue_ours, batches_ours, stream) / batch_ours.size());
    watch(1);
    timing.baseline.push_back(time_group(enqueue_baseline, batches_baseline, stream) /
                              batch_baseline.size());
  }
  return timing;
}

template <class Ours, class Baseline>
ModeTiming time_cold(const Ours& ours, const Baseline& baseline, const L2Filler& filler,
                     std::optional<int> repetitions, cudaStream_t stream) {
  // The filler is still at work when the launch is enqueued: the host's part does not show.
  const auto time_once = [&](const auto& launch) {
    filler.fill(stream);
    return time_group(launch, 1, stream);
  };
  time_once(ours);
  const double pair = time_once(ours) + time_once(baseline);
  const int most = std::clamp(static_cast<int>(2 * cold_seconds / std::max(pair, 1e-6)),
                              fewest_repetitions, most_cold_repetitions);
  ModeTiming timing;
  for (int repetition = 0; repetition < repetitions.value_or(most); ++repetition) {
    timing.ours.push_back(time_once(ours));
    timing.baseline.push_back(time_once(baseline));
  }
  return timing;
}

}  // namespace tessera::bench
