// Compiling the kernel headers at run time: a source string that includes them, the include folder
// of this library and nothing else, so no standard header and no header of the toolkit. Needs
// neither a GPU nor a driver.
#include <gtest/gtest.h>
#include <nvrtc.h>

#include <sstream>
#include <string>
#include <vector>

namespace {

struct Result {
  nvrtcResult code = NVRTC_SUCCESS;
  std::string log;
  std::vector<std::string> lowered_names;  // in the order of the instantiations
  std::size_t cubin_bytes = 0;
};

Result compile(const std::string& source, const std::vector<std::string>& instantiations) {
  Result result;
  nvrtcProgram program = nullptr;
  result.code = nvrtcCreateProgram(&program, source.c_str(), "run_time.cu", 0, nullptr, nullptr);
  if (result.code != NVRTC_SUCCESS) return result;
  for (const std::string& name : instantiations) {
    EXPECT_EQ(nvrtcAddNameExpression(program, name.c_str()), NVRTC_SUCCESS) << name;
  }
  // Functions without __host__ or __device__, as in tile_config.hpp, are host functions, which
  // NVRTC refuses unless told to take them for the device.
  const char* options[] = {"-std=c++20", "-I" TESSERA_INCLUDE, "--gpu-architecture=sm_90",
                           "--device-as-default-execution-space"};
  result.code = nvrtcCompileProgram(program, std::size(options), options);

  std::size_t size = 0;
  EXPECT_EQ(nvrtcGetProgramLogSize(program, &size), NVRTC_SUCCESS);
  result.log.resize(size);  // with a final zero
  EXPECT_EQ(nvrtcGetProgramLog(program, result.log.data()), NVRTC_SUCCESS);
  if (!result.log.empty()) result.log.pop_back();
  if (result.code == NVRTC_SUCCESS) {
    for (const std::string& name : instantiations) {
      const char* lowered = "";
      EXPECT_EQ(nvrtcGetLoweredName(program, name.c_str(), &lowered), NVRTC_SUCCESS) << name;
      result.lowered_names.emplace_back(lowered);
    }
    EXPECT_EQ(nvrtcGetCUBINSize(program, &result.cubin_bytes), NVRTC_SUCCESS);
  }
  EXPECT_EQ(nvrtcDestroyProgram(&program), NVRTC_SUCCESS);
  return result;
}

const std::string kernel_headers =
    "#include <tessera/policy.cuh>\n"
    "#include <tessera/kernel/gemm_kernel.cuh>\n";

// The exact variant for row-major A and B at the policy's full width, and the scalar guarded one
// for column-major A and B.
std::vector<std::string> instantiations(const std::string& policy) {
  const std::string type = "tessera::policy::" + policy;
  return {
      "tessera::kernel::gemm_kernel<" + type + ", tessera::RowMajor, tessera::RowMajor, " + type +
          "::config.vec_width.floats, false>",
      "tessera::kernel::gemm_kernel<" + type + ", tessera::ColMajor, tessera::ColMajor, 1, true>"};
}

std::vector<std::string> policies() {
  std::istringstream words(TESSERA_POLICIES);
  std::vector<std::string> names;
  for (std::string name; words >> name;) names.push_back(name);
  return names;
}

class RunTimeCompilation : public testing::TestWithParam<std::string> {};

TEST_P(RunTimeCompilation, KernelsFromTheHeadersAlone) {
  const Result result = compile(kernel_headers, instantiations(GetParam()));
  ASSERT_EQ(result.code, NVRTC_SUCCESS) << nvrtcGetErrorString(result.code) << '\n' << result.log;
  for (const std::string& name : result.lowered_names) {
    EXPECT_NE(name.find("gemm_kernel"), std::string::npos) << name;
    EXPECT_NE(name.find(GetParam()), std::string::npos) << name;
  }
  EXPECT_NE(result.lowered_names[0], result.lowered_names[1]);
  EXPECT_GT(result.cubin_bytes, 0u);
}

INSTANTIATE_TEST_SUITE_P(Policies, RunTimeCompilation, testing::ValuesIn(policies()),
                         [](const auto& test) { return test.param; });

// As users write it, with the vector width as a number.
TEST(RunTimeCompilationOfOneKernel, NamedByNumbers) {
  const Result result =
      compile(kernel_headers,
              {"tessera::kernel::gemm_kernel<tessera::policy::double_buffered, tessera::RowMajor, "
               "tessera::RowMajor, 4, false>"});
  ASSERT_EQ(result.code, NVRTC_SUCCESS) << nvrtcGetErrorString(result.code) << '\n' << result.log;
  EXPECT_FALSE(result.lowered_names[0].empty());
}

// The tests above would show nothing if NVRTC found standard headers somewhere.
TEST(RunTimeCompilationOfOneKernel, NoOtherHeaderIsReachable) {
  for (const char* header : {"cstdint", "type_traits", "stdint.h", "cuda_runtime.h"}) {
    const Result result = compile("#include <" + std::string(header) + ">\n", {});
    EXPECT_EQ(result.code, NVRTC_ERROR_COMPILATION) << header;
    EXPECT_NE(result.log.find(header), std::string::npos) << result.log;
  }
}

}  // namespace
