// Captures one policy's gemm as the first launch of a process, then replays it.
// usage: cold_capture POLICY
// Modules load lazily and kernel attributes are set at the launch: neither may upset a capture.
#include <cstdio>
#include <exception>
#include <string_view>

#include "tests/support/compare.hpp"
#include "tests/support/cuda_resources.hpp"
#include "tests/support/device_present.hpp"
#include "tests/support/fill.hpp"
#include "tests/support/guarded_matrix.hpp"
#include "tests/support/reference.hpp"
#include "tests/support/registry.hpp"

namespace tessera::support {
namespace {

const PolicyEntry* find_any_policy(std::string_view name) {
  for (const PolicyEntry& policy : user_policies()) {
    if (name == policy.name) return &policy;
  }
  return find_policy(name);
}

// 300 x 200 x 140, or with EvenTail, a tile more than run at once and a K that is worth cutting.
GemmShape shape_for(const PolicyEntry& policy) {
  alignas(16) static float data[4];
  const GemmShape shape{300, 200, 140};
  const TileConfig config = policy
                                .plan(1.0f, {data, shape.m, shape.k, shape.k, Layout::row},
                                      {data, shape.k, shape.n, shape.n, Layout::row}, 0.0f,
                                      {data, shape.m, shape.n, shape.n, Layout::row})
                                .config;
  if (config.even_tail.blocks == 0) return shape;
  return {(index_t{config.even_tail.blocks} + 1) * config.block_m(), config.block_n(),
          index_t{12} * config.block_k()};
}

int run(const PolicyEntry& policy) {
  const auto [m, n, k] = shape_for(policy);
  const HostMatrix host_a = filled(m, k, Fill::uniform, 1);
  const HostMatrix host_b = filled(k, n, Fill::uniform, 2);
  const Stream stream;
  GuardedMatrix a(host_a, {}, 0), b(host_b, {}, 0), c(HostMatrix(m, n), {}, 0);
  for (GuardedMatrix* matrix : {&a, &b, &c}) matrix->upload(stream);
  const LaunchPlan plan = policy.plan(1.0f, a.const_view(), b.const_view(), 0.0f, c.view());
  if (plan.config.even_tail.blocks > 0 && plan.tail.tiles == 0) {
    std::fprintf(stderr, "%s: no tail to capture\n", policy.name);
    return 1;
  }
  const HostMatrix expected = reference_by(plan, 1.0f, host_a, host_b, 0.0f, HostMatrix(m, n));

  cudaGraph_t graph = nullptr;
  cudaGraphExec_t executable = nullptr;
  check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), "cudaStreamBeginCapture");
  const Status status = policy.gemm(1.0f, a.const_view(), b.const_view(), 0.0f, c.view(), stream);
  check(cudaStreamEndCapture(stream, &graph), "cudaStreamEndCapture");
  if (!status.ok()) {
    std::fprintf(stderr, "%s: %s\n", policy.name, status.message());
    return 1;
  }
  check(cudaGraphInstantiate(&executable, graph, 0), "cudaGraphInstantiate");
  for (int replay = 0; replay < 3; ++replay) {
    c.upload(stream);  // as it was before the product
    check(cudaGraphLaunch(executable, stream), "cudaGraphLaunch");
    stream.synchronize();
    const Comparison same = compare_bits(c.download(stream), expected);
    if (!same) {
      std::fprintf(stderr, "%s, replay %d: %s\n", policy.name, replay, same.message.c_str());
      return 1;
    }
  }
  check(cudaGraphExecDestroy(executable), "cudaGraphExecDestroy");
  check(cudaGraphDestroy(graph), "cudaGraphDestroy");
  std::printf("%s: captured and replayed, equal to the reference to the bit\n", policy.name);
  return 0;
}

}  // namespace
}  // namespace tessera::support

int main(int argc, char** argv) {
  using namespace tessera::support;
  if (!device_present_else_say("captured")) return exit_no_device;
  const PolicyEntry* policy = argc == 2 ? find_any_policy(argv[1]) : nullptr;
  if (policy == nullptr) {
    std::fprintf(stderr, "usage: cold_capture POLICY\n");
    return 2;
  }
  try {
    return run(*policy);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", policy->name, error.what());
    return 1;
  }
}
