// Problem: one GEMM as a value, printable as C++ that reproduces it; run_and_check holds a policy
// to the contract on it.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

#include "fill.hpp"
#include "guarded_matrix.hpp"
#include "reference.hpp"
#include "registry.hpp"

namespace tessera::support {

struct OperandSpec {
  Placement at = {};
  Fill fill = Fill::by_default;
  bool null = false;  // pass a null pointer
};

struct Problem {
  index_t m = 0, n = 0, k = 0;
  float alpha = 1.0f, beta = 0.0f;
  OperandSpec a = {}, b = {}, c = {};
  std::uint64_t seed = 1;

  // Whether A * B contributes; and whether C must keep its very bits.
  [[nodiscard]] bool has_product() const { return alpha != 0.0f && k != 0; }
  [[nodiscard]] bool leaves_c() const { return !has_product() && beta == 1.0f; }
};

std::ostream& operator<<(std::ostream& os, const Problem& problem);

struct HostOperands {
  HostMatrix a, b, c;
  explicit HostOperands(const Problem& problem);
};

// C as the contract has it.
[[nodiscard]] HostMatrix expected_c(const Problem& problem, const HostOperands& operands,
                                    const LaunchPlan& plan = {});

// Runs `policy` on the problem on a stream of its own and checks: success; every element of C equal
// to the reference to the bit; sentinels around C intact; A and B unchanged.
[[nodiscard]] testing::AssertionResult run_and_check(const PolicyEntry& policy,
                                                     const Problem& problem);
// The same on given data, whose extents are the problem's. `expected` is for a K in one slice:
// where the plan has more, it is computed anew.
[[nodiscard]] testing::AssertionResult run_and_check(const PolicyEntry& policy,
                                                     const Problem& problem,
                                                     const HostOperands& operands,
                                                     const HostMatrix& expected);

// The plan of the problem, aligned and with the smallest lds.
[[nodiscard]] LaunchPlan plan_of(const PolicyEntry& policy, const Problem& problem);

// The plan of a large problem: the policy that `automatic` picks there included.
[[nodiscard]] TileConfig config_of(const PolicyEntry& policy);

// library_policies() and user_policies(), as parameters of a test suite.
[[nodiscard]] std::vector<PolicyEntry> every_policy();
[[nodiscard]] std::string policy_name(const testing::TestParamInfo<PolicyEntry>& info);
void PrintTo(const PolicyEntry& policy, std::ostream* os);

// The eight layout combinations of A, B and C.
struct Layouts {
  Layout a, b, c;
};
[[nodiscard]] std::vector<Layouts> every_layout();
[[nodiscard]] Problem with_layouts(Problem problem, Layouts layouts);

// run_and_check() on the problem and its mirror image (m and n, A and B exchanged), under all
// layouts.
[[nodiscard]] testing::AssertionResult run_and_check_mirrored(const PolicyEntry& policy,
                                                              Problem problem);

class PolicyTest : public testing::TestWithParam<PolicyEntry> {};

}  // namespace tessera::support
