// What the bench runs: its own flags, and the cases (policy, problem, mode) that they name.
#pragma once

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "sweeps.hpp"
#include "tests/support/registry.hpp"
#include "timing_modes.hpp"

namespace tessera::bench {

struct Case {
  const support::PolicyEntry* policy;
  Problem problem;
  Mode mode;
  std::vector<std::string> sweeps;
  // From a list of defaults: left out where it is far too slow to be of interest.
  bool optional = false;

  [[nodiscard]] std::string name() const {
    std::string text = std::string("gemm/") + policy->name + '/' + problem.name();
    if (mode != Mode::hot) text += std::string("/") + name_of(mode);
    return text;
  }
};

struct Flags {
  std::optional<std::string> policies, shapes, layouts, sweeps, modes, revision, repetitions;
  bool help = false, list = false;
};

inline std::string usage() {
  std::string text =
      "gemm_bench: policies against cuBLAS, verified before timed.\n"
      "  --sweep=a,b           named sweeps, or all:\n";
  for (const Sweep& sweep : every_sweep) {
    text += "                          " + std::string(sweep.name) + ": " + sweep.content + '\n';
  }
  return text +
         "  --shapes=MxNxK,...    these shapes instead\n"
         "  --layouts=RRR,...     their layouts of A, B, C, each R or C\n"
         "  --policies=a,b        names of policies (default: of a sweep, double_buffered and all\n"
         "                        above it; of ladder and of --shapes, all)\n"
         "  --modes=hot,...       hot (default), cold, sustained: see bench/README.md\n"
         "  --repetitions=N       of each of a pair (default: 5 or more)\n"
         "  --revision=TEXT       of the sources, where git did not tell the build; ends in "
         "-dirty\n"
         "                        where the tree has changes\n"
         "  --list                prints the cases and runs none; needs no GPU\n"
         "Without --sweep and --shapes: --sweep=ladder.\n"
         "Google Benchmark's flags work too, such as --benchmark_out=FILE for the JSON.\n\n";
}

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
    if (argument == "--list") {
      flags.list = true;
      continue;
    }
    if (take("--policies=", flags.policies) || take("--shapes=", flags.shapes) ||
        take("--layouts=", flags.layouts) || take("--sweep=", flags.sweeps) ||
        take("--modes=", flags.modes) || take("--revision=", flags.revision) ||
        take("--repetitions=", flags.repetitions)) {
      continue;
    }
    argv[kept++] = argv[i];
  }
  argc = kept;
  argv[argc] = nullptr;
  return flags;
}

namespace detail {

using Policies = std::vector<const support::PolicyEntry*>;

inline Policies parse_policies(const std::string& names) {
  Policies policies;
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

inline Policies all_policies() {
  Policies policies;
  for (const support::PolicyEntry& entry : support::library_policies()) policies.push_back(&entry);
  return policies;
}

// The last rung and whatever stands above the ladder.
inline Policies policies_of_interest() {
  Policies policies;
  for (const support::PolicyEntry& entry : support::library_policies()) {
    if (!entry.ladder || std::string_view(entry.name) == "double_buffered") {
      policies.push_back(&entry);
    }
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

inline std::vector<Mode> parse_modes(const std::string& text) {
  std::vector<Mode> modes;
  for (const std::string_view name : split(text, ',')) {
    const auto* found = std::find_if(std::begin(every_mode), std::end(every_mode),
                                     [&](Mode mode) { return name == name_of(mode); });
    if (found == std::end(every_mode)) {
      throw std::runtime_error('"' + std::string(name) +
                               "\" is not a mode: there are hot, cold, sustained");
    }
    modes.push_back(*found);
  }
  return modes;
}

inline std::vector<const Sweep*> parse_sweeps(const std::string& text) {
  std::vector<const Sweep*> sweeps;
  for (const std::string_view name : split(text, ',')) {
    const std::size_t before = sweeps.size();
    std::string known;
    for (const Sweep& sweep : every_sweep) {
      if (name == sweep.name || name == "all") sweeps.push_back(&sweep);
      known += std::string(" ") + sweep.name;
    }
    if (sweeps.size() == before) {
      throw std::runtime_error("no sweep is called \"" + std::string(name) + "\"; there are all" +
                               known);
    }
  }
  return sweeps;
}

// Cases with those of one problem together, each once; a case remembers all its sweeps.
class CaseList {
 public:
  explicit CaseList(std::vector<Mode> modes) : modes_(std::move(modes)) {}

  void add(const Problem& problem, const Policies& policies, const std::string& sweep,
           bool optional) {
    const auto [entry, is_new] = places_.try_emplace(problem.name(), groups_.size());
    if (is_new) groups_.emplace_back();
    std::vector<Case>& group = groups_[entry->second];
    for (const support::PolicyEntry* policy : policies) {
      for (const Mode mode : modes_) {
        const auto same = std::find_if(group.begin(), group.end(), [&](const Case& c) {
          return c.policy == policy && c.mode == mode;
        });
        if (same == group.end()) {
          group.push_back({policy, problem, mode, {sweep}, optional});
        } else {
          if (same->sweeps.back() != sweep) same->sweeps.push_back(sweep);
          same->optional = same->optional && optional;
          // Of two rows with one shape, the one that is a single product.
          Product& product = same->problem.product;
          product.batch = std::min(product.batch, problem.product.batch);
        }
      }
    }
  }
  [[nodiscard]] std::vector<Case> take() const {
    std::vector<Case> cases;
    for (const std::vector<Case>& group : groups_) {
      cases.insert(cases.end(), group.begin(), group.end());
    }
    return cases;
  }

 private:
  std::vector<Mode> modes_;
  std::vector<std::vector<Case>> groups_;  // one a problem
  std::map<std::string, std::size_t> places_;
};

}  // namespace detail

inline std::optional<int> parse_repetitions(const Flags& flags) {
  if (!flags.repetitions) return {};
  const std::optional<long long> value = parse_extent(*flags.repetitions);
  if (!value || *value > 1000) {
    throw std::runtime_error("--repetitions takes a whole number from 1 to 1000");
  }
  return static_cast<int>(*value);
}

inline std::vector<Case> make_cases(const Flags& flags, const std::string& shapes_dir) {
  using namespace detail;
  if (flags.layouts && !flags.shapes) {
    throw std::runtime_error("--layouts belongs to --shapes: a sweep's shapes have their own");
  }
  CaseList list(parse_modes(flags.modes.value_or("hot")));
  std::optional<Policies> asked;
  if (flags.policies) asked = parse_policies(*flags.policies);

  if (flags.shapes) {
    for (const std::string_view shape : split(*flags.shapes, ',')) {
      const Product p = parse_shape(shape);
      for (const std::string& layouts : parse_layouts(flags.layouts.value_or("RRR"))) {
        list.add(problem_of(p.m, p.n, p.k, layouts), asked.value_or(all_policies()), "shapes",
                 false);
      }
    }
  }
  if (!flags.shapes || flags.sweeps) {
    for (const Sweep* sweep : parse_sweeps(flags.sweeps.value_or("ladder"))) {
      const bool climbs = std::string_view(sweep->name) == "ladder";
      const Policies policies = asked.value_or(climbs ? all_policies() : policies_of_interest());
      for (const Problem& problem : sweep->problems(shapes_dir)) {
        list.add(problem, policies, sweep->name, !asked && !climbs);
      }
    }
  }
  return list.take();
}

}  // namespace tessera::bench
