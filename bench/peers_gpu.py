"""What peers.py knows of the GPU: name, ceilings, and clocks and power while something runs."""

import ctypes
import re
import statistics
import threading
import time

import torch

PERIOD_SECONDS = 4e-3
CLOCK_SM, TEMPERATURE_GPU = 1, 0  # NVML's enumerations
# nvmlClocksEventReason*; an idle GPU is no reason of interest here.
REASONS = {0x2: "applications_clocks", 0x4: "power_cap", 0x8: "hardware_slowdown",
           0x10: "sync_boost", 0x20: "thermal", 0x40: "hardware_thermal", 0x80: "power_brake",
           0x100: "display_clocks"}


class Sampler:
    """Samples through NVML inside `with sampler:`; without NVML there are no values."""

    def __init__(self):
        self.nvml, self.device, self.samples = None, ctypes.c_void_p(), []
        try:
            nvml = ctypes.CDLL("libnvidia-ml.so.1")
            properties = torch.cuda.get_device_properties(torch.cuda.current_device())
            bus = (f"{properties.pci_domain_id:08x}:{properties.pci_bus_id:02x}:"
                   f"{properties.pci_device_id:02x}.0")
            if nvml.nvmlInit_v2() == 0 and nvml.nvmlDeviceGetHandleByPciBusId_v2(
                    bus.encode(), ctypes.byref(self.device)) == 0:
                self.nvml = nvml
        except (OSError, AttributeError):
            pass

    def ask(self, function, *arguments, kind=ctypes.c_uint):
        if self.nvml is None or not hasattr(self.nvml, function):
            return None
        value = kind()
        status = getattr(self.nvml, function)(self.device, *arguments, ctypes.byref(value))
        return value.value if status == 0 else None

    def driver(self):
        if self.nvml is None:
            return None
        text = ctypes.create_string_buffer(96)
        return text.value.decode() if self.nvml.nvmlSystemGetDriverVersion(text, 96) == 0 else None

    def __enter__(self):
        self.samples, self.stop = [], threading.Event()
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.stop.set()
        self.thread.join()

    def _run(self):
        while self.nvml is not None and not self.stop.is_set():
            self.samples.append((
                self.ask("nvmlDeviceGetClockInfo", CLOCK_SM),
                self.ask("nvmlDeviceGetPowerUsage"),
                self.ask("nvmlDeviceGetTemperature", TEMPERATURE_GPU),
                self.ask("nvmlDeviceGetCurrentClocksThrottleReasons", kind=ctypes.c_ulonglong)))
            time.sleep(PERIOD_SECONDS)

    def summary(self):
        """As gemm_bench names them; what is not known is not there."""
        if not self.samples:
            return {}
        clocks, power, degrees, reasons = ([value for value in column if value is not None]
                                           for column in zip(*self.samples))
        out = {"samples": len(self.samples)}
        if clocks:
            out |= {"sm_clock_min_mhz": min(clocks),
                    "sm_clock_median_mhz": statistics.median(clocks)}
        if power:
            out["power_mean_w"] = statistics.mean(power) * 1e-3
        if degrees:
            out["temperature_max_c"] = max(degrees)
        if reasons:
            out["throttle_reasons"] = sorted(name for bit, name in REASONS.items()
                                             if any(seen & bit for seen in reasons))
        return out


def cublas_version():
    """Of the library that torch has loaded, or None."""
    try:
        with open("/proc/self/maps", encoding="utf-8") as maps:
            path = re.search(r"\S*/libcublas\.so\S*", maps.read())
        library = ctypes.CDLL(path.group())
        parts = [ctypes.c_int() for _ in range(3)]  # major, minor, patch
        if any(library.cublasGetProperty(i, ctypes.byref(p)) for i, p in enumerate(parts)):
            return None
        major, minor, patch = (p.value for p in parts)
        return 10000 * major + 100 * minor + patch
    except (OSError, AttributeError):
        return None


def copy_gbps():
    """Bytes read and written in a second by a copy of 1 GiB."""
    source = torch.zeros(2**28, device="cuda")
    target = torch.empty_like(source)
    seconds = []
    for _ in range(8):
        start, stop = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        target.copy_(source)
        stop.record()
        stop.synchronize()
        seconds.append(start.elapsed_time(stop) * 1e-3)
    return 2 * 2**30 / statistics.median(seconds[1:]) * 1e-9


def describe(sampler):
    properties = torch.cuda.get_device_properties(torch.cuda.current_device())
    torch.mm(*(torch.ones(16, 16, device="cuda"),) * 2)  # loads cuBLAS
    clock = sampler.ask("nvmlDeviceGetMaxClockInfo", CLOCK_SM)
    out = {"gpu": properties.name, "compute_capability": f"{properties.major}.{properties.minor}",
           "sm_count": properties.multi_processor_count, "driver": sampler.driver(),
           "max_sm_clock_mhz": clock, "power_source": "NVML, averaged by the driver",
           "cuda_runtime": torch.version.cuda, "cublas": cublas_version(),
           "copy_GBps_measured": copy_gbps()}
    if clock is not None and (properties.major, properties.minor) >= (8, 6):
        out["ffma_tflops_datasheet"] = 2e-6 * 128 * properties.multi_processor_count * clock
    return {key: value for key, value in out.items() if value is not None}
