// The machine that results were measured on: the device, the software in front of it, and the two
// ceilings of a kernel, multiply-adds and memory.
#pragma once

#include <algorithm>
#include <ctime>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gpu_sampler.hpp"
#include "interleaved_timing.hpp"
#include "json.hpp"
#include "revision.hpp"  // generated: see bench/revision.cmake
#include "timing_modes.hpp"

namespace tessera::bench {

// FP32 multiply-adds of one SM and clock, from the CUDA C++ programming guide's table of
// throughputs.
inline std::optional<int> fma_per_clock(int major, int minor) {
  if (major == 7 || (major == 8 && minor == 0)) return 64;
  if (major >= 8 && major <= 12) return 128;
  return {};
}

// Bytes read and written in a second by a copy that the L2 cannot hold; median of the hot groups.
inline double copy_bandwidth(cudaStream_t stream) {
  std::size_t free = 0, total = 0;
  support::check(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
  const std::size_t bytes = std::min<std::size_t>(free / 4, std::size_t{1} << 30);
  const support::DeviceBuffer<char> from(bytes), to(bytes);
  support::check(cudaMemsetAsync(from.data(), 0, bytes, stream), "cudaMemsetAsync");
  const auto copy = [&] {
    support::check(cudaMemcpyAsync(to.data(), from.data(), bytes, cudaMemcpyDeviceToDevice, stream),
                   "cudaMemcpyAsync");
  };
  const int copies = launches_per_group(copy, stream);
  std::vector<double> seconds;
  for (int group = 0; group < group_count; ++group) {
    seconds.push_back(time_group(copy, copies, stream));
  }
  return 2.0 * static_cast<double>(bytes) / median(seconds);
}

// Revision and whether the tree had changes; `asked` is --revision's.
inline void add_revision(JsonObject& context, const std::optional<std::string>& asked) {
  constexpr std::string_view dirty = "-dirty";
  std::string revision = asked.value_or(TESSERA_REVISION);
  if (revision.empty()) return;
  const bool is_dirty = revision.ends_with(dirty);
  if (is_dirty) revision.resize(revision.size() - dirty.size());
  context.add("git_revision", revision);
  context.add("git_dirty", is_dirty);
}

inline JsonObject describe_machine(int cublas_version, const GpuSampler& sampler,
                                   const std::vector<Mode>& modes,
                                   const std::optional<std::string>& revision,
                                   cudaStream_t stream) {
  int device = 0, driver = 0, runtime = 0;
  cudaDeviceProp properties{};
  support::check(cudaGetDevice(&device), "cudaGetDevice");
  support::check(cudaGetDeviceProperties(&properties, device), "cudaGetDeviceProperties");
  support::check(cudaDriverGetVersion(&driver), "cudaDriverGetVersion");
  support::check(cudaRuntimeGetVersion(&runtime), "cudaRuntimeGetVersion");
  char date[32] = "";
  const std::time_t now = std::time(nullptr);
  std::strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", std::gmtime(&now));

  JsonObject context(2);
  context.add("date", date);
  context.add("gpu", properties.name);
  context.add("compute_capability",
              std::to_string(properties.major) + '.' + std::to_string(properties.minor));
  context.add("sm_count", properties.multiProcessorCount);
  context.add("l2_bytes", properties.l2CacheSize);
  context.add("driver", sampler.driver_version());
  context.add("max_sm_clock_mhz", sampler.max_sm_clock_mhz());
  context.add("power_limit_w", sampler.power_limit_w());
  context.add("power_source", sampler.power_source());
  context.add("cuda_driver", driver);
  context.add("cuda_runtime", runtime);
  context.add("cublas", cublas_version);
  context.add("cublas_math_mode", "CUBLAS_PEDANTIC_MATH");
  add_revision(context, revision);
  context.add("data", "uniform(-1, 1)");
  context.add("workspaces", "cuBLAS: 64 MiB given to it; ours: the stream's pool, kept");
  JsonObject definitions(4);
  for (const Mode mode : modes) definitions.add(name_of(mode), definition_of(mode));
  context.add("modes", definitions);
  context.add("order", "ours and cuBLAS in turn; figures are medians");

  const std::optional<double> clock = sampler.max_sm_clock_mhz();
  const std::optional<int> fma = fma_per_clock(properties.major, properties.minor);
  if (clock && fma) {
    context.add("ffma_tflops_datasheet", 2e-6 * *fma * properties.multiProcessorCount * *clock);
  }
  context.add("copy_GBps_measured", copy_bandwidth(stream) * 1e-9);
  return context;
}

}  // namespace tessera::bench
