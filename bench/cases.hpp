// What the bench runs: its own flags, and the cases (policy, layouts, shape) that they name.
#pragma once

#include <algorithm>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "shapes.hpp"
#include "tests/support/registry.hpp"

namespace tessera::bench {

struct Case {
  const support::PolicyEntry* policy;
  Product product;
  char layout_c = 'R';

  [[nodiscard]] std::string layouts() const {
    return {product.layout_a, product.layout_b, layout_c};
  }
  [[nodiscard]] std::string name() const {
    return std::string("gemm/") + policy->name + '/' + layouts() + '/' + to_string(product);
  }
};

struct Flags {
  std::optional<std::string> policies, shapes, layouts;
  bool help = false;
};

inline constexpr const char* usage =
    "gemm_bench: policies against cuBLAS, hot, verified before timed.\n"
    "  --policies=a,b        names of policies (default: all of the library)\n"
    "  --shapes=MxNxK,...    and any of: squares (256 to 4096), transformer, deepbench (the rows "
    "of\n"
    "                        bench/shapes, in their own layouts; a batched row counts as one "
    "product)\n"
    "  --layouts=RRR,...     layouts of A, B, C, each R or C, of shapes that have none of their "
    "own\n"
    "With none of these: all policies over the squares RRR; vectorized, double_buffered and\n"
    "automatic also RCR, CRR, CCR at 4096 and RRR at 1023, 4095, 4097.\n"
    "Google Benchmark's flags work too, such as --benchmark_out=FILE for the JSON.\n\n";

// Takes the flags above out of argv and leaves Google Benchmark's.
inline Flags take_flags(int& argc, char** argv) {
  Flags flags;
  int kept = 1;
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    const auto take = [&](std::string_view name, std::optional<std::string>& value) {
      if (!argument.starts_with(name)) return false;
      value = argument.substr(name.size());
      return true;
    };
    if (argument == "--help") flags.help = true;
    if (take("--policies=", flags.policies) || take("--shapes=", flags.shapes) ||
        take("--layouts=", flags.layouts)) {
      continue;
    }
    argv[kept++] = argv[i];
  }
  argc = kept;
  argv[argc] = nullptr;
  return flags;
}

namespace detail {

inline std::vector<const support::PolicyEntry*> parse_policies(const std::string& names) {
  std::vector<const support::PolicyEntry*> policies;
  for (const std::string_view name : split(names, ',')) {
    policies.push_back(support::find_policy(name));
    if (policies.back() != nullptr) continue;
    std::string known;
    for (const support::PolicyEntry& entry : support::library_policies()) {
      known += std::string(" ") + entry.name;
    }
    throw std::runtime_error("no policy is called \"" + std::string(name) + "\"; there are" +
                             known);
  }
  return policies;
}

inline std::vector<std::string> parse_layouts(const std::string& text) {
  std::vector<std::string> layouts;
  for (const std::string_view letters : split(text, ',')) {
    if (letters.size() != 3 || letters.find_first_not_of("RC") != std::string_view::npos) {
      throw std::runtime_error('"' + std::string(letters) +
                               "\" is not a layout: write three letters R or C, for A, B and C");
    }
    layouts.emplace_back(letters);
  }
  return layouts;
}

inline Product square(long long extent) {
  Product product;
  product.m = product.n = product.k = extent;
  return product;
}

// Cases in order, each once.
class CaseList {
 public:
  void add(const support::PolicyEntry* policy, Product product, const std::string& layouts) {
    product.layout_a = layouts[0];
    product.layout_b = layouts[1];
    Case c{policy, product, layouts[2]};
    if (names_.insert(c.name()).second) cases_.push_back(std::move(c));
  }
  [[nodiscard]] std::vector<Case> take() { return std::move(cases_); }

 private:
  std::vector<Case> cases_;
  std::set<std::string> names_;
};

}  // namespace detail

inline std::vector<Case> make_cases(const Flags& flags, const std::string& shapes_dir) {
  constexpr const char* all =
      "naive,smem_tile,register_tile_1d,register_tile_2d,vectorized,double_buffered,automatic";
  const bool selected = flags.policies || flags.shapes || flags.layouts;
  const auto policies = detail::parse_policies(flags.policies.value_or(all));
  const auto layouts = detail::parse_layouts(flags.layouts.value_or("RRR"));

  detail::CaseList list;
  const auto add = [&](const Product& product, const std::vector<std::string>& of_product) {
    for (const std::string& letters : of_product) {
      for (const support::PolicyEntry* policy : policies) list.add(policy, product, letters);
    }
  };
  const std::string shapes = flags.shapes.value_or("squares");
  for (const std::string_view shape : split(shapes, ',')) {
    if (shape == "squares") {
      for (const int extent : {256, 512, 1024, 2048, 4096}) add(detail::square(extent), layouts);
    } else if (shape == "transformer" || shape == "deepbench") {
      for (const Product& p : read_products(shapes_dir + '/' + std::string(shape) + "_gemm.csv")) {
        add(p, {{p.layout_a, p.layout_b, 'R'}});
      }
    } else {
      add(parse_shape(shape), layouts);
    }
  }
  if (!selected) {
    for (const auto* policy : detail::parse_policies("vectorized,double_buffered,automatic")) {
      for (const char* letters : {"RCR", "CRR", "CCR"}) {
        list.add(policy, detail::square(4096), letters);
      }
      for (const int extent : {1023, 4095, 4097}) {
        list.add(policy, detail::square(extent), "RRR");
      }
    }
  }
  return list.take();
}

}  // namespace tessera::bench
