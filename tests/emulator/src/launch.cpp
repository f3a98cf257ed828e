// Host emulator: checks a launch, walks the grid, and reports failures.
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <numeric>
#include <random>
#include <string>
#include <string_view>

#include "block_scheduler.hpp"
#include "emulator/control.h"
#include "limits.hpp"
#include "runtime_state.hpp"
#include "worker_pool.hpp"

namespace emulator {
namespace {

Options options_from_environment() {
  Options result;
  if (const char* text = std::getenv("TESSERA_EMULATOR_ORDER")) {
    const std::string_view order = text;
    const std::string_view random = "random";
    if (order == "reverse") {
      result.order = Order::reverse;
    } else if (order.substr(0, random.size()) == random) {
      result.order = Order::random;
      if (order.size() > random.size() && order[random.size()] == ':') {
        result.seed = std::strtoull(text + random.size() + 1, nullptr, 10);
      } else {
        result.seed = std::random_device()();
        std::fprintf(stderr, "emulator: random order, seed %llu\n",
                     static_cast<unsigned long long>(result.seed));
      }
    } else if (order != "forward") {
      std::fprintf(stderr, "emulator: TESSERA_EMULATOR_ORDER=%s is unknown, using forward\n", text);
    }
  }
  if (const char* text = std::getenv("TESSERA_EMULATOR_THREADS")) {
    result.threads =
        static_cast<unsigned int>(std::clamp(std::strtol(text, nullptr, 10), 1L, 256L));
  }
  return result;
}

thread_local std::string report;
thread_local bool last_was_programmatic = false;

const cudaLaunchAttribute* find_attribute(const cudaLaunchConfig_t& config,
                                          cudaLaunchAttributeID id) {
  for (unsigned int i = 0; config.attrs != nullptr && i < config.numAttrs; ++i) {
    if (config.attrs[i].id == id) return &config.attrs[i];
  }
  return nullptr;
}

// The cluster that the launch's attributes ask for.
dim3 cluster_of(const cudaLaunchConfig_t& config) {
  const cudaLaunchAttribute* const attribute =
      find_attribute(config, cudaLaunchAttributeClusterDimension);
  if (attribute == nullptr) return {1, 1, 1};
  const auto& cluster = attribute->val.clusterDim;
  return {cluster.x, cluster.y, cluster.z};
}

bool is_programmatic(const cudaLaunchConfig_t& config) {
  const cudaLaunchAttribute* const attribute =
      find_attribute(config, cudaLaunchAttributeProgrammaticStreamSerialization);
  return attribute != nullptr && attribute->val.programmaticStreamSerializationAllowed != 0;
}

cudaError_t check(const cudaLaunchConfig_t& config, const void* kernel) {
  if (kernel == nullptr) return cudaErrorInvalidDeviceFunction;
  if (!is_stream(config.stream)) return cudaErrorInvalidResourceHandle;
  const dim3 grid = config.gridDim;
  const dim3 block = config.blockDim;
  if (grid.x == 0 || grid.y == 0 || grid.z == 0 || grid.x > limits::kGridX ||
      grid.y > limits::kGridY || grid.z > limits::kGridZ) {
    return cudaErrorInvalidConfiguration;
  }
  // The order of the comparisons keeps the product small.
  if (block.x == 0 || block.y == 0 || block.z == 0 || block.x > limits::kBlockX ||
      block.y > limits::kBlockY || block.z > limits::kBlockZ ||
      block.x * block.y * block.z > limits::kBlockThreads) {
    return cudaErrorInvalidConfiguration;
  }
  if (config.dynamicSmemBytes > max_dynamic_shared(kernel)) return cudaErrorInvalidValue;
  if (config.numAttrs != 0 && config.attrs == nullptr) return cudaErrorInvalidValue;
  const dim3 cluster = cluster_of(config);
  if (cluster.y != 1 || cluster.z != 1) return cudaErrorNotSupported;
  if (cluster.x == 0 || cluster.x > limits::kClusterBlocks) return cudaErrorInvalidClusterSize;
  if (grid.x % cluster.x != 0) return cudaErrorInvalidConfiguration;
  // A kernel that launches another.
  if (BlockScheduler::is_active()) return cudaErrorNotSupported;
  return cudaSuccess;
}

// Maps turn 0, 1, ... to a cluster's number, each once. (Without clusters each block is one.)
class ClusterOrder {
 public:
  ClusterOrder(const Options& options, std::uint64_t blocks) : blocks_(blocks) {
    if (options.order == Order::reverse) {
      step_ = blocks - 1;
      first_ = blocks - 1;
    } else if (options.order == Order::random) {
      Random random(options.seed);
      first_ = random.next() % blocks;
      step_ = random.next() % blocks;
      while (std::gcd(step_, blocks) != 1) ++step_;
    }
  }

  std::uint64_t operator()(std::uint64_t turn) const {
    __extension__ using Wide = unsigned __int128;
    return static_cast<std::uint64_t>((static_cast<Wide>(turn) * step_ + first_) % blocks_);
  }

 private:
  std::uint64_t blocks_;
  std::uint64_t first_ = 0;
  std::uint64_t step_ = 1;
};

// Runs the grid and returns the first failure.
Failure run(Grid grid) {
  const std::uint64_t row = grid.grid.x / grid.cluster;
  const std::uint64_t plane = row * grid.grid.y;
  const std::uint64_t clusters = plane * grid.grid.z;
  const ClusterOrder order(grid.options, clusters);
  const auto workers = static_cast<unsigned int>(
      std::min<std::uint64_t>(std::max(grid.options.threads, 1u), clusters));
  std::mutex mutex;
  Failure first;
  std::atomic<bool> failed = false;
  std::atomic<unsigned int> running = workers;
  grid.running = &running;

  // Neighbouring blocks go to different workers: ThreadSanitizer then sees them as unordered.
  const auto share = [&](unsigned int worker) {
    BlockScheduler& scheduler = BlockScheduler::of_host_thread();
    scheduler.begin_grid(grid);
    for (std::uint64_t turn = worker; turn < clusters && !failed.load(std::memory_order_relaxed);
         turn += workers) {
      const std::uint64_t number = order(turn);
      const uint3 index{static_cast<unsigned int>(number % row) * grid.cluster,
                        static_cast<unsigned int>(number % plane / row),
                        static_cast<unsigned int>(number / plane)};
      if (scheduler.run_cluster(number, index)) continue;
      const std::lock_guard lock(mutex);
      if (!failed.exchange(true)) first = scheduler.failure();
    }
    scheduler.end_grid();
    --running;
  };
  if (workers == 1) {
    share(0);
  } else {
    WorkerPool::instance().run(workers, share);
  }
  return first;
}

}  // namespace

Options options = options_from_environment();

const std::string& last_report() { return report; }
bool last_launch_was_programmatic() { return last_was_programmatic; }

namespace detail {

cudaError_t launch(const cudaLaunchConfig_t* config, const void* kernel, ThreadBody body,
                   const void* closure) {
  if (config == nullptr) return record(cudaErrorInvalidValue);
  report.clear();
  const cudaError_t refused = check(*config, kernel);
  if (refused != cudaSuccess) return record(refused);
  const Grid grid{config->gridDim,
                  config->blockDim,
                  cluster_of(*config).x,
                  config->dynamicSmemBytes,
                  is_programmatic(*config),
                  body,
                  closure,
                  options,
                  nullptr};
  last_was_programmatic = grid.programmatic;
  Failure failure = run(grid);
  if (failure.error == cudaSuccess) return cudaSuccess;
  report = std::move(failure.reason);
  if (grid.options.order == Order::random) {
    report += " (random order, seed " + std::to_string(grid.options.seed) + ")";
  }
  std::fprintf(stderr, "emulator: %s\n", report.c_str());
  return record(failure.error);
}

}  // namespace detail

}  // namespace emulator
