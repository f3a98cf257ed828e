#include "problem.hpp"

#include <cmath>
#include <limits>
#include <ostream>
#include <sstream>

#include "compare.hpp"
#include "reference.hpp"

namespace tessera::support {

namespace {

#if defined(__SANITIZE_ADDRESS__)
constexpr index_t guard_of_c = 0;  // the sanitizer sees more than sentinels would
#else
constexpr index_t guard_of_c = 64;
#endif

void print_scalar(std::ostream& os, float value) {
  if (std::isnan(value)) {
    os << "NAN";
  } else if (std::isinf(value)) {
    os << (value < 0 ? "-INFINITY" : "INFINITY");
  } else {
    std::ostringstream digits;
    digits.precision(std::numeric_limits<float>::max_digits10);
    digits << std::showpoint << value << 'f';
    os << digits.str();
  }
}

void print_operand(std::ostream& os, const OperandSpec& o) {
  os << "{{Layout::" << (o.at.layout == Layout::row ? "row" : "col") << ", " << o.at.ld_extra
     << ", " << o.at.offset << "}, Fill::" << name_of(o.fill) << (o.null ? ", true}" : "}");
}

AnyView<const float> input_view(const GuardedMatrix& matrix, const OperandSpec& spec) {
  AnyView<const float> view = matrix.const_view();
  if (spec.null) view.data = nullptr;
  return view;
}

Fill fill_of_c(const Problem& p) {
  if (p.c.fill != Fill::by_default) return p.c.fill;
  return p.beta == 0.0f ? Fill::all_nan : Fill::uniform;
}

}  // namespace

std::ostream& operator<<(std::ostream& os, const Problem& p) {
  os << "Problem{" << p.m << ", " << p.n << ", " << p.k << ", ";
  print_scalar(os, p.alpha);
  os << ", ";
  print_scalar(os, p.beta);
  for (const OperandSpec* operand : {&p.a, &p.b, &p.c}) {
    os << ", ";
    print_operand(os, *operand);
  }
  return os << ", " << p.seed << '}';
}

HostOperands::HostOperands(const Problem& p)
    : a(filled(p.m, p.k, p.a.fill, 3 * p.seed)),
      b(filled(p.k, p.n, p.b.fill, 3 * p.seed + 1)),
      c(filled(p.m, p.n, fill_of_c(p), 3 * p.seed + 2)) {}

HostMatrix expected_c(const Problem& p, const HostOperands& operands, const LaunchPlan& plan) {
  return reference_by(plan, p.alpha, operands.a, operands.b, p.beta, operands.c);
}

testing::AssertionResult run_and_check(const PolicyEntry& policy, const Problem& problem) {
  const HostOperands operands(problem);
  return run_and_check(policy, problem, operands, expected_c(problem, operands));
}

testing::AssertionResult run_and_check(const PolicyEntry& policy, const Problem& p,
                                       const HostOperands& operands, const HostMatrix& expected) {
  const Stream stream;
  GuardedMatrix a(operands.a, p.a.at, 0), b(operands.b, p.b.at, 0),
      c(operands.c, p.c.at, guard_of_c);
  for (GuardedMatrix* matrix : {&a, &b, &c}) matrix->upload(stream);
  const AnyView<const float> view_a = input_view(a, p.a), view_b = input_view(b, p.b);

  const LaunchPlan plan = policy.plan(p.alpha, view_a, view_b, p.beta, c.view());
  const auto fail = [&](const std::string& what) {
    return testing::AssertionFailure() << policy.name << ", " << p << "\nplan: " << plan << '\n'
                                       << what;
  };
  const Status status = policy.gemm(p.alpha, view_a, view_b, p.beta, c.view(), stream);
  if (!status.ok()) return fail(std::string("refused: ") + status.message());
  const cudaError_t error = cudaStreamSynchronize(stream);
  if (error != cudaSuccess) return fail(std::string("failed: ") + cudaGetErrorString(error));

  const Comparison same =
      compare_bits(c.download(stream), plan.splits_k() ? expected_c(p, operands, plan) : expected,
                   p.leaves_c() ? NanPayload::exact : NanPayload::any);
  if (!same) return fail(same.message);
  if (!c.guards_intact(stream)) return fail("memory around C's elements was written");
  if (!a.unchanged(stream)) return fail("A was written");
  if (!b.unchanged(stream)) return fail("B was written");
  return testing::AssertionSuccess();
}

LaunchPlan plan_of(const PolicyEntry& policy, const Problem& p) {
  // A plan touches no memory, so that four aligned floats can stand for any matrix.
  alignas(16) static float data[4];
  const auto input = [](index_t rows, index_t cols, Layout layout) {
    return AnyView<const float>{data, rows, cols, layout == Layout::row ? cols : rows, layout};
  };
  const AnyView<float> output{data, p.m, p.n, p.c.at.layout == Layout::row ? p.n : p.m,
                              p.c.at.layout};
  return policy.plan(p.alpha, input(p.m, p.k, p.a.at.layout), input(p.k, p.n, p.b.at.layout),
                     p.beta, output);
}

TileConfig config_of(const PolicyEntry& policy) {
  return plan_of(policy, {.m = 4096, .n = 4096, .k = 4096}).config;
}

std::vector<PolicyEntry> every_policy() {
  std::vector<PolicyEntry> policies(library_policies().begin(), library_policies().end());
  policies.insert(policies.end(), user_policies().begin(), user_policies().end());
  return policies;
}

std::string policy_name(const testing::TestParamInfo<PolicyEntry>& info) { return info.param.name; }

void PrintTo(const PolicyEntry& policy, std::ostream* os) { *os << policy.name; }

std::vector<Layouts> every_layout() {
  std::vector<Layouts> layouts;
  for (const Layout a : {Layout::row, Layout::col}) {
    for (const Layout b : {Layout::row, Layout::col}) {
      for (const Layout c : {Layout::row, Layout::col}) layouts.push_back({a, b, c});
    }
  }
  return layouts;
}

Problem with_layouts(Problem problem, Layouts layouts) {
  problem.a.at.layout = layouts.a;
  problem.b.at.layout = layouts.b;
  problem.c.at.layout = layouts.c;
  return problem;
}

testing::AssertionResult run_and_check_mirrored(const PolicyEntry& policy, Problem problem) {
  for (const bool mirrored : {false, true}) {
    if (mirrored) std::swap(problem.m, problem.n), std::swap(problem.a, problem.b);
    for (const Layouts& layouts : every_layout()) {
      const testing::AssertionResult result = run_and_check(policy, with_layouts(problem, layouts));
      if (!result) return result;
    }
  }
  return testing::AssertionSuccess();
}

}  // namespace tessera::support
