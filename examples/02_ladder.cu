// Climbs the six rungs of the ladder on the products of a model's forward pass. With a GPU: time,
// TFLOPS and ratio to cuBLAS. In the emulator: the same kernels on cut shapes, without a clock.
// Either way each rung is first verified to the bit. See --help.
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>
#include <vector>

#include "ladder/options.hpp"
#include "ladder/problem.hpp"
#include "tests/support/device_present.hpp"
#ifdef TESSERA_EMULATOR
#include "ladder/emulated_table.hpp"
#else
#include "ladder/gpu_table.hpp"
#endif

namespace tessera::ladder {
namespace {

struct Tally {
  int climbed = 0, verified = 0;
};

void print_title(const bench::Product& asked, const bench::Product& run) {
  std::printf("\n%s%s%s", asked.name.c_str(), asked.name.empty() ? "" : "  ",
              to_string(asked).c_str());
  if (to_string(asked) != to_string(run)) std::printf(" cut to %s", to_string(run).c_str());
  const auto layout = [](char letter) { return letter == 'R' ? "row" : "column"; };
  std::printf(", A %s-major, B %s-major", layout(asked.layout_a), layout(asked.layout_b));
  if (asked.batch > 1) std::printf(", one of %lld such products", asked.batch);
  std::printf("\n");
}

Tally climb(const bench::Product& asked, const Table& table) {
  const bench::Product product = table.fit(asked);
  print_title(asked, product);
  std::fflush(stdout);
  const Problem problem(product, table.sampled_rows(product));
  table.print_head();
  Tally tally;
  for (const support::PolicyEntry& rung : support::library_policies()) {
    if (!rung.ladder) continue;
    const Verification verification = problem.verify(rung);
    table.print_row(problem, rung, verification);
    std::fflush(stdout);
    ++tally.climbed;
    if (verification.verified) ++tally.verified;
  }
  return tally;
}

int run(const Options& options) {
  const std::vector<bench::Product> all =
      bench::read_products(TESSERA_SHAPES_DIR "/transformer_gemm.csv");
  if (options.help) {
    std::printf("%sModels:%s\n", usage, model_names(all).c_str());
    return 0;
  }
  const std::vector<bench::Product> products =
      options.shapes.empty() ? products_of(options.model, all) : options.shapes;
  if (!support::device_present()) {
    std::fputs(
        "02_ladder: NO CUDA DEVICE HERE; 02_ladder_emulated runs the same kernels on the CPU\n",
        stderr);
    return support::exit_no_device;
  }

  if (options.shapes.empty()) {
    std::printf("One forward pass of %s: %zu products, six rungs each.\n", options.model.c_str(),
                products.size());
  }
  const Table table(products.size());
  Tally total;
  for (const bench::Product& product : products) {
    try {
      const Tally tally = climb(product, table);
      total.climbed += tally.climbed;
      total.verified += tally.verified;
    } catch (const std::exception& error) {
      throw std::runtime_error(to_string(product) + ": " + error.what());
    }
  }
  std::printf("\n%d of %d verified to the bit%s\n", total.verified, total.climbed, Table::closing);
  return total.verified == total.climbed ? 0 : 1;
}

}  // namespace
}  // namespace tessera::ladder

int main(int argc, char** argv) {
  using namespace tessera::ladder;
  try {
    return run(parse_options(argc, argv));
  } catch (const std::exception& error) {
    std::fflush(stdout);
    std::fprintf(stderr, "02_ladder: %s\n", error.what());
    return 1;
  }
}
