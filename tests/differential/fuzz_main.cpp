// Feeds the harness with random inputs where there is no libFuzzer.
// usage: fuzz_plan [seconds] [seed]; exits with 0, or aborts at the first violation.
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "random.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

using tessera::differential::Random;

constexpr std::size_t input_size = 160;  // the harness reads no more

// Bytes as they come, except that half of all calls keep a run of zeros or ones: the numbers they
// make are those at the limits.
std::vector<std::uint8_t> random_input(Random random) {
  std::vector<std::uint8_t> bytes(input_size);
  for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random.bits());
  for (int runs = static_cast<int>(random.below(8)); runs > 4; --runs) {
    const auto first = static_cast<std::size_t>(random.between(10, input_size - 16));
    const auto value = static_cast<std::uint8_t>(random.pick({0x00, 0xff, 0x7f, 0x80}));
    for (std::size_t i = 0; i < 8; ++i) bytes[first + i] = value;
  }
  return bytes;
}

}  // namespace

int main(int argc, char** argv) {
  using Clock = std::chrono::steady_clock;
  const double seconds = argc > 1 ? std::atof(argv[1]) : 5.0;
  std::uint64_t seed = argc > 2 ? std::strtoull(argv[2], nullptr, 0) : 1;
  const auto start = Clock::now();
  std::uint64_t inputs = 0;
  while (std::chrono::duration<double>(Clock::now() - start).count() < seconds) {
    for (int i = 0; i < 1000; ++i, ++seed, ++inputs) {
      const std::vector<std::uint8_t> bytes = random_input(Random(seed));
      LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
    }
  }
  std::printf("%llu inputs, 0 failed (up to seed %llu)\n", static_cast<unsigned long long>(inputs),
              static_cast<unsigned long long>(seed));
  return inputs > 0 ? 0 : 1;
}
