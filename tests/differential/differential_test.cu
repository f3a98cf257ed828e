// The differential test: random calls under every policy, held to the contract bit for bit against
// the host reference; wrong calls must be refused with the right reason and write nothing.
#include <algorithm>
#include <chrono>
#include <exception>
#include <iostream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tessera/arch/cluster.cuh>
#include <tuple>

#include "compare.hpp"
#include "device_present.hpp"
#include "generator.hpp"
#include "options.hpp"
#include "reference.hpp"
#include "reproduction.hpp"

namespace tessera::differential {

namespace {

using support::GuardedMatrix;
using support::HostMatrix;
using support::HostOperands;
using support::Problem;
using support::Stream;
using testing::AssertionFailure;
using testing::AssertionResult;
using testing::AssertionSuccess;

#if defined(TESSERA_EMULATOR)
constexpr bool is_emulated = true;
#else
constexpr bool is_emulated = false;
#endif

// Up to here the host computes what is right (about 3 ms). Beyond, `naive` does so on the device:
// itself it is always compared with the host.
constexpr double host_volume = 0x1p24;

HostMatrix naive_c(const Call& call, const HostOperands& operands) {
  const Stream stream;
  GuardedMatrix a(operands.a, {}, 0), b(operands.b, {}, 0), c(operands.c, {}, 0);
  for (GuardedMatrix* matrix : {&a, &b, &c}) matrix->upload(stream);
  const Status status = support::find_policy("naive")->gemm(
      call.problem.alpha, a.const_view(), b.const_view(), call.problem.beta, c.view(), stream);
  if (!status.ok()) throw std::runtime_error(std::string("naive: ") + status.message());
  return c.download(stream);
}

HostMatrix right_c(const Call& call, const HostOperands& operands) {
  if (is_emulated || volume(call) <= host_volume || call.policy.name == std::string_view("naive")) {
    return support::expected_c(call.problem, operands);
  }
  return naive_c(call, operands);
}

void print_status(std::ostream& os, const Status& status) {
  os << "reason " << static_cast<int>(status.reason()) << ", operand "
     << static_cast<int>(status.operand()) << " (" << status.message() << ')';
}

AssertionResult check_refused(const Call& call, const HostOperands& operands) {
  const Problem& p = call.problem;
  const Status& expected = call.refusal.status;
  const Stream stream;
  constexpr index_t guard = 64;
  GuardedMatrix a(operands.a, p.a.at, guard), b(operands.b, p.b.at, guard),
      c(operands.c, p.c.at, guard);
  for (GuardedMatrix* matrix : {&a, &b, &c}) matrix->upload(stream);
  Views views{a.const_view(), b.const_view(), c.view()};
  if (p.a.null) views.a.data = nullptr;
  if (p.b.null) views.b.data = nullptr;
  spoil(views, call.refusal);

  const auto differs = [&](const char* who, const Status& got) {
    std::ostringstream os;
    os << who << " says ";
    print_status(os, got);
    os << ", expected ";
    print_status(os, expected);
    for (const auto& [name, rows, cols, ld] :
         {std::tuple{'A', views.a.rows, views.a.cols, views.a.ld},
          std::tuple{'B', views.b.rows, views.b.cols, views.b.ld},
          std::tuple{'C', views.c.rows, views.c.cols, views.c.ld}}) {
      os << "\n  " << name << ": " << rows << " x " << cols << ", ld " << ld;
    }
    return AssertionFailure() << os.str();
  };
  const LaunchPlan plan = call.policy.plan(p.alpha, views.a, views.b, p.beta, views.c);
  if (!(plan.status == expected)) return differs("plan()", plan.status);
  if (plan.launches) return AssertionFailure() << "the plan of a refused call launches";
  const Status status = call.policy.gemm(p.alpha, views.a, views.b, p.beta, views.c, stream);
  if (!(status == expected)) return differs("gemm()", status);
  stream.synchronize();
  if (!a.unchanged(stream) || !b.unchanged(stream) || !c.unchanged(stream)) {
    return AssertionFailure() << "a refused call wrote to memory";
  }
  return AssertionSuccess();
}

AssertionResult check_call(const Call& call) {
#if defined(TESSERA_EMULATOR)
  if (chosen_order == nullptr) {
    constexpr emulator::Order orders[] = {emulator::Order::forward, emulator::Order::reverse,
                                          emulator::Order::random};
    emulator::options.order = orders[call.seed % 3];
    emulator::options.seed = call.seed;
  }
#endif
  try {
    const HostOperands operands = operands_of(call);
    if (call.is_refused()) return check_refused(call, operands);
    return run_and_check(call.policy, call.problem, operands, right_c(call, operands));
  } catch (const std::exception& error) {
    return AssertionFailure() << error.what();
  }
}

#if defined(__SANITIZE_THREAD__)
constexpr bool small_problems = true;
#else
constexpr bool small_problems = false;
#endif

// How often each compiled variant ran, and each way to sum slices, so that a generator which misses
// one is noticed.
class Coverage {
 public:
  void add(const Call& call) {
    if (call.is_refused()) {
      ++counts_[6];
      return;
    }
    const LaunchPlan plan = plan_of(call);
    ++counts_[kind_of(plan)];
    if (plan.slices > 1) ++counts_[plan.cluster ? 7 : 8];
    if (plan.tail.tiles > 0) ++counts_[9];
    if (plan.rim_rows.extent > 0) ++counts_[10];
    if (plan.rim_cols.extent > 0) ++counts_[11];
  }

  [[nodiscard]] bool is_complete() const {
    for (int kind = 0; kind < kinds; ++kind) {
      // A tail takes a k of 89 or more: ThreadSanitizer's problems are rarely so large.
      const bool possible = kind == 7 ? arch::clusters_everywhere : kind != 9 || !small_problems;
      if (possible && counts_[kind] == 0) return false;
    }
    return true;
  }
  friend std::ostream& operator<<(std::ostream& os, const Coverage& coverage) {
    constexpr const char* names[] = {"exact",
                                     "exact, scalar policy",
                                     "guarded",
                                     "guarded and scalar",
                                     "scaling C only",
                                     "nothing to launch",
                                     "refused",
                                     "slices in clusters",
                                     "slices in a workspace",
                                     "a tail",
                                     "rows of a rim",
                                     "columns of a rim"};
    for (int kind = 0; kind < kinds; ++kind) {
      os << (kind > 0 ? "; " : "") << names[kind] << ' ' << coverage.counts_[kind];
    }
    return os;
  }

 private:
  static constexpr int kinds = 12;

  static int kind_of(const LaunchPlan& plan) {
    if (!plan.launches) return 5;
    if (plan.k_tiles == 0) return 4;
    const bool narrow = plan.vec_width_c == 1;
    return plan.guarded ? 2 + narrow : narrow;
  }

  static LaunchPlan plan_of(const Call& call) {
    const Problem& p = call.problem;
    // Stands for the operands: a plan reads no memory. Aligned like them, to the float.
    alignas(256) static float memory[64];
    const auto view = [](const support::OperandSpec& spec, index_t rows, index_t cols) {
      const index_t length = spec.at.layout == support::Layout::row ? cols : rows;
      return support::AnyView<float>{memory + spec.at.offset, rows, cols,
                                     std::max(index_t{1}, length) + spec.at.ld_extra,
                                     spec.at.layout};
    };
    const auto input = [&](const support::OperandSpec& spec, index_t rows, index_t cols) {
      const auto v = view(spec, rows, cols);
      return support::AnyView<const float>{v.data, v.rows, v.cols, v.ld, v.layout};
    };
    return call.policy.plan(p.alpha, input(p.a, p.m, p.k), input(p.b, p.k, p.n), p.beta,
                            view(p.c, p.m, p.n));
  }

  std::uint64_t counts_[kinds] = {};
};

bool is_wanted(const Call& call, const Options& options) {
  if (options.count == 1) return true;
  const auto& names = options.policies;
  return largest_extent(call) <= options.max_size &&
         tiled_volume(call) <= options.max_tiled_volume &&
         (names.empty() || std::find(names.begin(), names.end(), call.policy.name) != names.end());
}

bool is_policy(const std::string& name) {
  const auto all = support::every_policy();
  return std::any_of(all.begin(), all.end(), [&](const auto& p) { return name == p.name; });
}

int run(const Options& options) {
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  const auto elapsed = [&] { return std::chrono::duration<double>(Clock::now() - start).count(); };
  double next_progress = 5;
  std::uint64_t done = 0;
  Coverage coverage;
  for (std::uint64_t seed = options.seed; options.count == 0 || done < options.count; ++seed) {
    if (options.seconds > 0 && elapsed() >= options.seconds) break;
    Reproduction::set(seed);
    const Call call = generate(seed);
    if (!is_wanted(call, options)) continue;
    if (options.count == 1) std::cout << call << std::endl;
    if (const AssertionResult result = check_call(call); !result) {
      std::cout << "FAILED, reproduce with\n  " << Reproduction::line() << call << '\n'
                << result.message() << '\n'
                << done + 1 << " problems, 1 failed (seed " << options.seed << ")" << std::endl;
      return 1;
    }
    ++done;
    coverage.add(call);
    if (elapsed() >= next_progress) {
      std::cout << done << " problems in " << static_cast<int>(elapsed()) << " s, at seed " << seed
                << std::endl;
      next_progress = elapsed() + 5;
    }
  }
  std::cout << coverage << '\n';
  if (done >= 1000 && options.policies.empty() && !coverage.is_complete()) {
    std::cout << "FAILED: the generator misses one of these kinds" << std::endl;
    return 1;
  }
  std::cout << done << " problems, 0 failed (seed " << options.seed << ")" << std::endl;
  return done > 0 ? 0 : 1;
}

}  // namespace

}  // namespace tessera::differential

int main(int argc, char** argv) {
  using namespace tessera::differential;
  const Options options = parse_options(argc, argv);
  if (!options.valid || !std::all_of(options.policies.begin(), options.policies.end(), is_policy)) {
    print_usage(program_name);
    return 2;
  }
#if defined(TESSERA_EMULATOR)
  std::printf("emulated: the kernels run on the CPU\n");
#else
  if (!tessera::support::device_present_else_say("tested")) {
    return tessera::support::exit_no_device;
  }
#endif
  std::printf("%s --seed=%llu\n", program_name, static_cast<unsigned long long>(options.seed));
  Reproduction::print_at_death();
  return run(options);
}
