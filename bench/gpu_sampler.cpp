// NVML's entry points and constants, as its reference manual states them; its header is not needed.
#include "gpu_sampler.hpp"

#include <cuda_runtime.h>
#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <numeric>
#include <set>
#include <thread>

namespace tessera::bench {

namespace {

constexpr auto sampling_period = std::chrono::milliseconds(4);

using Device = void*;
constexpr int success = 0;
constexpr unsigned clock_sm = 1;               // NVML_CLOCK_SM
constexpr unsigned temperature_gpu = 0;        // NVML_TEMPERATURE_GPU
constexpr unsigned field_power_instant = 186;  // NVML_FI_DEV_POWER_INSTANT

struct FieldValue {  // nvmlFieldValue_t
  unsigned field, scope;
  long long timestamp, latency;
  unsigned value_type;
  int status;
  union {
    double as_double;
    unsigned as_unsigned;
    unsigned long long as_unsigned_long_long;
  } value;
};

struct Reason {
  unsigned long long bit;
  const char* name;
};
// nvmlClocksEventReason*; an idle GPU is no reason of interest here.
constexpr Reason throttle_reasons[] = {
    {0x2, "applications_clocks"}, {0x4, "power_cap"},       {0x8, "hardware_slowdown"},
    {0x10, "sync_boost"},         {0x20, "thermal"},        {0x40, "hardware_thermal"},
    {0x80, "power_brake"},        {0x100, "display_clocks"}};

// The functions that this library has; a missing one is nullptr and gives no values.
struct Nvml {
  int (*init)() = nullptr;
  int (*driver_version)(char*, unsigned) = nullptr;
  int (*device_by_bus)(const char*, Device*) = nullptr;
  int (*clock)(Device, unsigned, unsigned*) = nullptr;
  int (*max_clock)(Device, unsigned, unsigned*) = nullptr;
  int (*power)(Device, unsigned*) = nullptr;
  int (*power_limit)(Device, unsigned*) = nullptr;
  int (*temperature)(Device, unsigned, unsigned*) = nullptr;
  int (*reasons)(Device, unsigned long long*) = nullptr;
  int (*field_values)(Device, int, FieldValue*) = nullptr;

  Nvml() {
    void* library = dlopen("libnvidia-ml.so.1", RTLD_NOW);
    if (library == nullptr) return;
    const auto find = [&](auto& function, const char* name) {
      function =
          reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
    };
    find(init, "nvmlInit_v2");
    find(driver_version, "nvmlSystemGetDriverVersion");
    find(device_by_bus, "nvmlDeviceGetHandleByPciBusId_v2");
    find(clock, "nvmlDeviceGetClockInfo");
    find(max_clock, "nvmlDeviceGetMaxClockInfo");
    find(power, "nvmlDeviceGetPowerUsage");
    find(power_limit, "nvmlDeviceGetEnforcedPowerLimit");
    find(temperature, "nvmlDeviceGetTemperature");
    find(reasons, "nvmlDeviceGetCurrentClocksEventReasons");
    if (reasons == nullptr) find(reasons, "nvmlDeviceGetCurrentClocksThrottleReasons");
    find(field_values, "nvmlDeviceGetFieldValues");
  }
};

std::optional<unsigned> instant_power(const Nvml& nvml, Device device) {
  if (nvml.field_values == nullptr) return {};
  FieldValue value{};
  value.field = field_power_instant;
  if (nvml.field_values(device, 1, &value) != success || value.status != success) return {};
  return value.value.as_unsigned;
}

// The value that `function(arguments..., &value)` gives.
template <class Value, class... Parameters, class... Arguments>
std::optional<Value> ask(int (*function)(Parameters...), Arguments... arguments) {
  Value value{};
  if (function == nullptr || function(arguments..., &value) != success) return {};
  return value;
}

struct Sample {
  int bin;
  std::optional<unsigned> clock_mhz, power_mw, temperature_c;
  std::optional<unsigned long long> reasons;
};

}  // namespace

class GpuSampler::State {
 public:
  State() {
    int current = 0;
    std::array<char, 32> bus{};
    if (nvml.init == nullptr || nvml.init() != success || nvml.device_by_bus == nullptr) return;
    if (cudaGetDevice(&current) != cudaSuccess ||
        cudaDeviceGetPCIBusId(bus.data(), static_cast<int>(bus.size()), current) != cudaSuccess ||
        nvml.device_by_bus(bus.data(), &device) != success) {
      return;
    }
    available = true;
    has_instant_power = instant_power(nvml, device).has_value();
    thread = std::jthread([this](const std::stop_token& stop) { run(stop); });
  }

  void set_bin(int value) {
    {
      const std::lock_guard lock(mutex);
      bin = value;
    }
    wake.notify_one();
  }

  [[nodiscard]] GpuSamples summary(std::optional<int> of_bin) const {
    const std::lock_guard lock(mutex);
    std::vector<double> clocks, watts, degrees;
    std::set<std::string> reasons;
    GpuSamples out;
    bool has_reasons = false;
    for (const Sample& sample : samples) {
      if (of_bin && sample.bin != *of_bin) continue;
      ++out.count;
      if (sample.clock_mhz) clocks.push_back(*sample.clock_mhz);
      if (sample.power_mw) watts.push_back(*sample.power_mw * 1e-3);
      if (sample.temperature_c) degrees.push_back(*sample.temperature_c);
      has_reasons = has_reasons || sample.reasons.has_value();
      for (const Reason& reason : throttle_reasons) {
        if ((sample.reasons.value_or(0) & reason.bit) != 0) reasons.insert(reason.name);
      }
    }
    if (!clocks.empty()) {
      std::sort(clocks.begin(), clocks.end());
      out.sm_clock_min_mhz = clocks.front();
      out.sm_clock_median_mhz = clocks[clocks.size() / 2];
    }
    if (!watts.empty()) {
      out.power_mean_w =
          std::accumulate(watts.begin(), watts.end(), 0.0) / static_cast<double>(watts.size());
    }
    if (!degrees.empty()) out.temperature_max_c = *std::max_element(degrees.begin(), degrees.end());
    if (has_reasons) out.throttle_reasons.emplace(reasons.begin(), reasons.end());
    return out;
  }

  const Nvml nvml;
  Device device = nullptr;
  bool available = false, has_instant_power = false;
  mutable std::mutex mutex;
  std::condition_variable_any wake;
  int bin = -1;  // no sampling
  std::vector<Sample> samples;

 private:
  void run(const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      {
        std::unique_lock lock(mutex);
        if (!wake.wait(lock, stop, [this] { return bin >= 0; })) return;
      }
      Sample sample{};
      sample.clock_mhz = ask<unsigned>(nvml.clock, device, clock_sm);
      sample.power_mw =
          has_instant_power ? instant_power(nvml, device) : ask<unsigned>(nvml.power, device);
      sample.temperature_c = ask<unsigned>(nvml.temperature, device, temperature_gpu);
      sample.reasons = ask<unsigned long long>(nvml.reasons, device);
      {
        const std::lock_guard lock(mutex);
        sample.bin = bin;
        if (bin >= 0) samples.push_back(sample);
      }
      std::this_thread::sleep_for(sampling_period);
    }
  }

  std::jthread thread;  // last: it stops before the rest goes
};

GpuSampler::GpuSampler() : state_(std::make_unique<State>()) {}
GpuSampler::~GpuSampler() = default;

std::optional<std::string> GpuSampler::driver_version() const {
  std::array<char, 96> version{};
  const Nvml& nvml = state_->nvml;
  if (!state_->available || nvml.driver_version == nullptr) return {};
  if (nvml.driver_version(version.data(), static_cast<unsigned>(version.size())) != success) {
    return {};
  }
  return version.data();
}

std::optional<double> GpuSampler::max_sm_clock_mhz() const {
  if (!state_->available) return {};
  return ask<unsigned>(state_->nvml.max_clock, state_->device, clock_sm);
}

std::optional<double> GpuSampler::power_limit_w() const {
  if (!state_->available) return {};
  const auto milliwatts = ask<unsigned>(state_->nvml.power_limit, state_->device);
  if (!milliwatts) return {};
  return *milliwatts * 1e-3;
}

const char* GpuSampler::power_source() const {
  if (!state_->available) return "none: no NVML";
  return state_->has_instant_power ? "NVML, instant" : "NVML, averaged by the driver";
}

void GpuSampler::sample_into(int bin) { state_->set_bin(bin); }
void GpuSampler::pause() { state_->set_bin(-1); }
void GpuSampler::clear() {
  const std::lock_guard lock(state_->mutex);
  state_->samples.clear();
}
GpuSamples GpuSampler::samples() const { return state_->summary({}); }
GpuSamples GpuSampler::samples(int bin) const { return state_->summary(bin); }

}  // namespace tessera::bench
