// Measures what the cost model of policy::automatic needs to know of a GPU, fits its constants,
// writes them as a header of the library, and says how good the choices by them are. See --help.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <limits>
#include <set>
#include <string>
#include <string_view>
#include <tessera/gemm.cuh>

#include "bench/device.hpp"
#include "bench/gpu_sampler.hpp"
#include "bench/machine.hpp"
#include "bench/operands.hpp"
#include "bench/timing_modes.hpp"
#include "chip_header.hpp"
#include "design.hpp"
#include "judge.hpp"
#include "tests/support/device_present.hpp"

namespace tessera::bench {

using support::check;

namespace {

// A policy with K in so many slices as are asked for at the moment.
template <class Policy>
struct Sliced {
  static inline int slices = 1;
  static inline bool workspace = false;

  template <class Function>
  static auto select(const GemmShape& shape, Function&& f) {
    const auto with_slices = [&](auto policy) {
      return f(policy, Choice{.slices = slices, .workspace = workspace});
    };
    if constexpr (requires { Policy::select(shape, with_slices); }) {
      return Policy::select(shape, with_slices);
    } else {
      return with_slices(Policy{});
    }
  }
};

constexpr int most_slices = 1 << 30;

class Tuner {
 public:
  Tuner(std::size_t elements, double seconds)
      : seconds_(seconds), a_(elements + 1), b_(elements + 1), c_(elements + 1) {
    keep_pool_memory();
    fill_uniform(a_.data(), a_.size(), 1, stream_);
    fill_uniform(b_.data(), b_.size(), 2, stream_);
    stream_.synchronize();
    describe();
    for (int i = 0; i < 100; ++i) launch("pipelined", {{4096, 4096, 4096}});
    stream_.synchronize();  // clocks are up
    samples_.byte_us = 1e6 / copy_bandwidth(stream_);
    begin_ = std::chrono::steady_clock::now();
  }

  [[nodiscard]] const Samples& samples() const { return samples_; }

  void measure_for_fit() {
    for (const auto& [name, config] :
         {std::pair{"pipelined", policy::pipelined::config},
          {"split_k_wide", policy::split_k_wide::config},
          {"split_k_tall", policy::split_k_tall::config},
          {"split_k", policy::split_k::config},
          {"split_k_pipelined", policy::split_k_pipelined_128x256::config}}) {
      measure_all("fit", name, points_of(config, samples_.sm_count));
    }
    measure_all("fit", "skinny", skinny_points(8));
    for (const TileConfig& c : {policy::narrow_128x16::config, policy::narrow_64x32::config,
                                policy::narrow_96x48::config}) {
      measure_all("fit", "narrow",
                  narrow_points(c.block_n(), c.block_m(), c.min_blocks.per_sm, samples_.sm_count));
    }
  }

  // Of each problem all cuts that the model does not think far slower than its choice; of each
  // candidate the best one also where that is.
  void measure_for_judgement(const Chip& chip, const std::vector<GemmShape>& shapes) {
    constexpr double slower = 1.12, far_slower = 1.4;
    std::size_t done = 0;
    for (const GemmShape& shape : shapes) {
      if (elapsed() > seconds_) break;
      const bool vectorized = shape.k % 4 == 0 && shape.n % 4 == 0;
      const auto all = policy::automatic::candidates(chip, shape);
      const double chosen = choose(&policy::automatic::candidates, chip, shape, vectorized).us;
      for (int i = 0; i < all.count; ++i) {
        const auto& candidate = all.list[i];
        const auto best =
            tessera::detail::best_option(chip, all, i, shape, vectorized, most_slices);
        tessera::detail::for_each_cut(
            chip, candidate, shape, most_slices, [&](int slices, bool workspace) {
              const bool is_best = slices == best.slices && workspace == best.workspace;
              const double us = tessera::detail::predicted_us(
                  chip, *candidate.cost, candidate.config, shape, vectorized, slices, workspace);
              if (us > (is_best ? far_slower : slower) * chosen) return;
              const bool own_cut = candidate.slices != 0 && slices == candidate.slices;
              measure(
                  "judge", candidate.name,
                  {.shape = shape, .slices = slices, .workspace = workspace, .own_cut = own_cut});
            });
      }
      ++done;
    }
    std::printf("%zu of %zu problems judged, %.0f s\n", done, shapes.size(), elapsed());
  }

 private:
  void describe() {
    int device = 0;
    cudaDeviceProp properties{};
    check(cudaGetDevice(&device), "cudaGetDevice");
    check(cudaGetDeviceProperties(&properties, device), "cudaGetDeviceProperties");
    samples_.gpu = properties.name;
    samples_.sm_count = properties.multiProcessorCount;
    for (int size = 2; size <= arch::max_cluster; ++size) {
      samples_.cluster_sm_count[static_cast<std::size_t>(size)] = sms_of_clusters(size);
    }
    samples_.driver = GpuSampler().driver_version().value_or("unknown");
    char date[16] = "";
    const std::time_t now = std::time(nullptr);
    std::strftime(date, sizeof date, "%Y-%m-%d", std::gmtime(&now));
    samples_.date = date;
  }

  // By the occupancy that the driver computes for the kernel whose blocks are the largest.
  static int sms_of_clusters(int size) {
    constexpr TileConfig config = policy::split_k_wide::config;
    const auto kernel = &kernel::gemm_kernel<policy::split_k_wide, RowMajor, RowMajor,
                                             config.vec_width.floats, false>;
    const int smem = std::max(smem_bytes(config), reduction_bytes(config));
    check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, smem),
          "cudaFuncSetAttribute");
    cudaLaunchAttribute cluster{};
    cluster.id = cudaLaunchAttributeClusterDimension;
    cluster.val.clusterDim = {static_cast<unsigned>(size), 1, 1};
    cudaLaunchConfig_t launch{};
    launch.gridDim = dim3(static_cast<unsigned>(size));
    launch.blockDim = dim3(static_cast<unsigned>(config.block_threads()));
    launch.dynamicSmemBytes = static_cast<std::size_t>(smem);
    launch.attrs = &cluster;
    launch.numAttrs = 1;
    int clusters = 0;
    check(cudaOccupancyMaxActiveClusters(&clusters, kernel, &launch),
          "cudaOccupancyMaxActiveClusters");
    return clusters * size / config.min_blocks.per_sm;
  }

  [[nodiscard]] double elapsed() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  }

  template <class Policy>
  void launch_as(const Point& p) const {
    Sliced<Policy>::slices = p.own_cut ? 0 : p.slices;
    Sliced<Policy>::workspace = p.workspace;
    const int offset = p.aligned ? 0 : 1;
    const auto [m, n, k] = p.shape;
    if (offset + std::max({m * k, k * n, m * n}) > static_cast<index_t>(a_.size())) {
      throw std::runtime_error("a problem is larger than the buffers");
    }
    const auto a = row_major<const float>(a_.data() + offset, m, k);
    const auto b = row_major<const float>(b_.data() + offset, k, n);
    const Status status =
        gemm<Sliced<Policy>>(1.0f, a, b, 0.0f, row_major(c_.data() + offset, m, n), stream_);
    if (!status.ok()) throw std::runtime_error(status.message());
  }
  void launch(std::string_view policy, const Point& p) const {
    if (policy == "pipelined") return launch_as<policy::pipelined>(p);
    if (policy == "split_k_wide") return launch_as<policy::split_k_wide>(p);
    if (policy == "split_k_tall") return launch_as<policy::split_k_tall>(p);
    if (policy == "split_k") return launch_as<policy::split_k>(p);
    if (policy == "split_k_pipelined") return launch_as<policy::split_k_pipelined>(p);
    if (policy == "narrow") return launch_as<policy::narrow>(p);
    launch_as<policy::skinny>(p);
  }

  void measure(const char* set, const char* policy, const Point& p) {
    constexpr int groups = 3;
    constexpr double graph_up_to_mnk = 1024.0 * 1024.0 * 1024.0;
    const auto run = [&] { launch(policy, p); };
    const auto [m, n, k] = p.shape;
    const double mnk = static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
    const LaunchBatch batch(run, mnk <= graph_up_to_mnk, stream_);
    const auto enqueue = [&] { batch.enqueue(run); };
    const int batches = launches_per_group(enqueue, stream_);
    std::vector<double> seconds;
    for (int group = 0; group < groups; ++group) {
      seconds.push_back(time_group(enqueue, batches, stream_) / batch.size());
    }
    const bool vectorized = p.aligned && k % 4 == 0 && n % 4 == 0;
    samples_.rows.push_back(
        {set, policy, p.shape, p.slices, p.workspace, vectorized, 1e6 * median(seconds)});
  }
  void measure_all(const char* set, const char* policy, const std::vector<Point>& points) {
    for (const Point& p : points) measure(set, policy, p);
    std::printf("%s: %zu measurements, %.0f s\n", policy, points.size(), elapsed());
    std::fflush(stdout);
  }

  double seconds_;
  support::Stream stream_;
  support::DeviceBuffer<float> a_, b_, c_;
  Samples samples_;
  std::chrono::steady_clock::time_point begin_;
};

struct Flags {
  std::string from, raw = "tune.csv", header, shapes = TESSERA_SHAPES_DIR;
  double seconds = 80.0;
  bool help = false;
};

constexpr const char* usage =
    "tune: the constants of policy::automatic for this GPU.\n"
    "  --raw=FILE      the measurements (default: tune.csv)\n"
    "  --from=FILE     measurements of an earlier run instead of new ones; needs no GPU\n"
    "  --header=FILE   the header (default: chips/<gpu>.hpp of the source tree)\n"
    "  --shapes=DIR    bench/shapes, if not the source tree's\n"
    "  --seconds=N     no new problem is judged after so many (default: 80)\n";

Flags parse(int argc, char** argv) {
  Flags flags;
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    const auto take = [&](std::string_view name, std::string& value) {
      if (!argument.starts_with(name)) return false;
      value = argument.substr(name.size());
      return true;
    };
    std::string seconds;
    if (argument == "--help") {
      flags.help = true;
    } else if (take("--seconds=", seconds)) {
      flags.seconds = detail::parse_positive(seconds, "--seconds");
    } else if (!take("--from=", flags.from) && !take("--raw=", flags.raw) &&
               !take("--header=", flags.header) && !take("--shapes=", flags.shapes)) {
      throw std::runtime_error("unknown argument " + std::string(argument) + "; see --help");
    }
  }
  return flags;
}

int run(const Flags& flags) {
  Samples samples;
  const auto candidates = &policy::automatic::candidates;
  if (!flags.from.empty()) {
    samples = read_samples(flags.from);
  } else {
    const std::vector<GemmShape> shapes = judged_shapes(flags.shapes);
    index_t elements = index_t{12000} * 12000;  // for the fit
    for (const auto& [m, n, k] : shapes) elements = std::max({elements, m * k, k * n, m * n});
    Tuner tuner(static_cast<std::size_t>(elements), flags.seconds);
    tuner.measure_for_fit();
    write_samples(tuner.samples(), flags.raw);
    tuner.measure_for_judgement(fit_chip(tuner.samples(), candidates), shapes);
    write_samples(tuner.samples(), flags.raw);
    samples = tuner.samples();
  }
  const Chip chip = fit_chip(samples, candidates);
  const std::string path = flags.header.empty()
                               ? TESSERA_CHIPS_DIR "/" + identifier_of(samples.gpu) + ".hpp"
                               : flags.header;
  std::ofstream header(path);
  header << chip_header(chip, samples);
  if (!header.flush()) throw std::runtime_error(path + ": cannot be written");
  std::printf("%s\n\n", path.c_str());
  constexpr std::size_t worst = 25, worst_unseen = 5;
  print(
      judge(samples, [&](const GemmShape& shape,
                         bool vectorized) { return choose(candidates, chip, shape, vectorized); }),
      worst);
  std::printf("\nBy constants fitted without the problem's own measurements:\n");
  print(judge_unseen(samples, candidates), worst_unseen);
  return 0;
}

}  // namespace
}  // namespace tessera::bench

int main(int argc, char** argv) {
  using namespace tessera::bench;
  try {
    const Flags flags = parse(argc, argv);
    if (flags.help) return std::fputs(usage, stdout) < 0;
    if (flags.from.empty() && !tessera::support::device_present()) {
      std::fputs("tune: NO CUDA DEVICE HERE, NOTHING WAS MEASURED\n", stderr);
      return tessera::support::exit_no_device;
    }
    return run(flags);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "tune: %s\n", error.what());
    return 1;
  }
}
