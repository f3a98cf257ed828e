// Loads two shared libraries that hold the same kernel for different chips, in the order of the
// arguments (architecture, path, architecture, path), and calls each. The one for this chip must
// multiply, the other must say that it has no kernel for it and leave C alone.
#include "shared_library.hpp"

#include <cuda_runtime.h>
#include <dlfcn.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "tests/support/device_present.hpp"

namespace {

using Result = std::array<float, 4>;
constexpr std::array<float, 12> operands{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};  // A, then B
constexpr Result product{58, 64, 139, 154};
constexpr Result untouched{-1, -2, -3, -4};

void check(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
  std::exit(1);
}

struct Library {
  int architecture;  // 80 for sm_80
  Multiply* multiply;
};

// RTLD_GLOBAL lets the dynamic linker merge whatever the libraries show it.
Library load(const char* architecture, const char* path) {
  void* const library = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
  const std::string symbol = std::string("multiply_sm") + architecture;
  void* const function = library != nullptr ? dlsym(library, symbol.c_str()) : nullptr;
  if (function == nullptr) {
    std::fprintf(stderr, "%s\n", dlerror());
    std::exit(1);
  }
  return {std::atoi(architecture), reinterpret_cast<Multiply*>(function)};
}

// Whether the call went as it must on a chip of compute capability `chip`.
bool is_right(const Library& library, int chip, const float* inputs, float* c) {
  Result result = untouched;
  check(cudaMemcpy(c, result.data(), sizeof result, cudaMemcpyHostToDevice), "filling C");
  const Outcome outcome = library.multiply(inputs, inputs + 6, c);
  check(cudaMemcpy(result.data(), c, sizeof result, cudaMemcpyDeviceToHost), "copying C");

  // Machine code runs on its own chip and on later ones of the same major number.
  const bool runs = library.architecture / 10 == chip / 10 && library.architecture <= chip;
  const bool right = runs ? outcome.ok && result == product
                          : !outcome.ok && outcome.cuda_error == cudaErrorNoKernelImageForDevice &&
                                std::strstr(outcome.message, "no kernel image") != nullptr &&
                                result == untouched;
  std::printf("%s: sm_%d on sm_%d, must %s: error %d (%s), C %g %g %g %g\n",
              right ? "right" : "WRONG", library.architecture, chip,
              runs ? "multiply" : "be refused", outcome.cuda_error, outcome.message, result[0],
              result[1], result[2], result[3]);
  return right;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) return 2;
  // Loading alone must work on every machine.
  const std::array<Library, 2> libraries{load(argv[1], argv[2]), load(argv[3], argv[4])};

  if (!tessera::support::device_present_else_say("called")) {
    return tessera::support::exit_no_device;
  }
  int major = 0, minor = 0;
  check(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0), "compute capability");
  check(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, 0), "compute capability");
  float *inputs = nullptr, *c = nullptr;
  check(cudaMalloc(&inputs, sizeof operands), "cudaMalloc of A and B");
  check(cudaMalloc(&c, sizeof product), "cudaMalloc of C");
  check(cudaMemcpy(inputs, operands.data(), sizeof operands, cudaMemcpyHostToDevice), "copying");

  // Twice around: neither call may spoil the other's next one.
  bool right = true;
  for (int round = 0; round < 2; ++round) {
    for (const Library& library : libraries) {
      right = is_right(library, major * 10 + minor, inputs, c) && right;
    }
  }
  check(cudaFree(inputs), "cudaFree");
  check(cudaFree(c), "cudaFree");
  return right ? 0 : 1;
}
