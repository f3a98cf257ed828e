// The registry: every policy of the library, and a few of the tests' own, by name and behind
// function pointers, so that tests, the bench and the ladder example compile each policy's kernels
// once.
#pragma once

#include <cuda_runtime.h>

#include <span>
#include <string_view>
#include <tessera/host/plan.hpp>

#include "any_view.hpp"

namespace tessera::support {

struct PolicyEntry {
  const char* name;
  bool ladder;        // one of the six rungs
  bool user_defined;  // one of the tests' own, see test_policies.cuh
  Status (*gemm)(float alpha, const AnyView<const float>& a, const AnyView<const float>& b,
                 float beta, const AnyView<float>& c, cudaStream_t stream);
  LaunchPlan (*plan)(float alpha, const AnyView<const float>& a, const AnyView<const float>& b,
                     float beta, const AnyView<float>& c);
};

// The six rungs in order, then the others, automatic last.
std::span<const PolicyEntry> library_policies();
// Policies a user could write, with odd shapes; only in the target tessera_test_policies.
std::span<const PolicyEntry> user_policies();
// The entry of that name in library_policies(), or nullptr.
const PolicyEntry* find_policy(std::string_view name);

}  // namespace tessera::support
