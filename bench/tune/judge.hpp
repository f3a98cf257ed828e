// How good the model's choices are on the problems of the set "judge": the measured time of what it
// chooses over the fewest microseconds measured of any candidate.
#pragma once

#include <algorithm>
#include <cstdio>
#include <map>
#include <tuple>

#include "fit.hpp"

namespace tessera::bench {

inline constexpr double close_to_best = 1.05;

struct Verdict {
  GemmShape shape{};
  bool vectorized = true;
  std::string chosen, best;  // policy and slices
  double chosen_us = 0.0, best_us = 0.0, predicted_us = 0.0;

  [[nodiscard]] double loss() const { return chosen_us / best_us; }
};

struct Judgement {
  std::vector<Verdict> verdicts;  // the worst first
  int unmeasured = 0;             // problems whose choice is not among the samples

  [[nodiscard]] double share_close() const {
    const auto close = std::count_if(verdicts.begin(), verdicts.end(),
                                     [](const Verdict& v) { return v.loss() <= close_to_best; });
    return static_cast<double>(close) /
           static_cast<double>(std::max<std::size_t>(verdicts.size(), 1));
  }
};

inline void sort_worst_first(std::vector<Verdict>& verdicts) {
  std::sort(verdicts.begin(), verdicts.end(),
            [](const Verdict& x, const Verdict& y) { return x.loss() > y.loss(); });
}

inline std::string label(const std::string& policy, int slices, bool workspace) {
  if (slices == 1) return policy;
  return policy + " / " + std::to_string(slices) + (workspace ? " in a workspace" : "");
}

// A policy's name, the slices and how they are added, and the time that the model says.
struct Chosen {
  std::string policy;
  int slices = 1;
  bool workspace = false;
  double us = 0.0;
};

// What the model chooses of candidates(chip, shape).
template <class Candidates>
Chosen choose(const Candidates& candidates, const Chip& chip, const GemmShape& shape,
              bool vectorized) {
  constexpr int most_slices = 1 << 30;
  const tessera::detail::Candidates all = candidates(chip, shape);
  const auto best = tessera::detail::rank(chip, all, shape, vectorized, most_slices).best;
  const tessera::detail::Candidate& c = all.list[best.candidate];
  // The preferred one cuts K itself, whatever the model thinks of that.
  const int slices = best.candidate == all.preferred ? c.slices : best.slices;
  return {c.name, slices, best.workspace, best.us};
}

// choose(shape, vectorized) -> Chosen.
template <class Choose>
Judgement judge(const Samples& samples, const Choose& choose) {
  std::map<std::tuple<index_t, index_t, index_t, bool>, std::vector<const Sample*>> problems;
  for (const Sample& s : samples.rows) {
    if (s.set == "judge") {
      problems[{s.shape.m, s.shape.n, s.shape.k, s.vectorized}].push_back(&s);
    }
  }
  Judgement judgement;
  for (const auto& [key, measured] : problems) {
    const GemmShape& shape = measured[0]->shape;
    const Chosen chosen = choose(shape, measured[0]->vectorized);
    const auto same = std::find_if(measured.begin(), measured.end(), [&](const Sample* s) {
      return s->policy == chosen.policy && s->slices == chosen.slices &&
             s->workspace == chosen.workspace;
    });
    if (same == measured.end()) {
      ++judgement.unmeasured;
      continue;
    }
    const Sample* best =
        *std::min_element(measured.begin(), measured.end(),
                          [](const Sample* x, const Sample* y) { return x->us < y->us; });
    judgement.verdicts.push_back(
        {shape, measured[0]->vectorized, label(chosen.policy, chosen.slices, chosen.workspace),
         label(best->policy, best->slices, best->workspace), (*same)->us, best->us, chosen.us});
  }
  sort_worst_first(judgement.verdicts);
  return judgement;
}

// Every problem judged by constants fitted without its own measurements: a fifth of the problems is
// left out of the fit, judged and put back, then the next. What a choice is worth on other shapes.
template <class Candidates>
Judgement judge_unseen(const Samples& samples, const Candidates& candidates) {
  constexpr std::size_t folds = 5;
  std::map<std::tuple<index_t, index_t, index_t, bool>, std::size_t> numbers;
  const auto fold_of = [&](const Sample& s) {
    const std::tuple problem(s.shape.m, s.shape.n, s.shape.k, s.vectorized);
    return numbers.try_emplace(problem, numbers.size()).first->second % folds;
  };
  Judgement all;
  for (std::size_t fold = 0; fold < folds; ++fold) {
    Samples seen = samples, unseen = samples;
    const auto is_held = [&](const Sample& s) { return s.set == "judge" && fold_of(s) == fold; };
    std::erase_if(seen.rows, is_held);
    std::erase_if(unseen.rows, [&](const Sample& s) { return !is_held(s); });
    const Chip chip = fit_chip(seen, candidates);
    const Judgement part = judge(unseen, [&](const GemmShape& shape, bool vectorized) {
      return choose(candidates, chip, shape, vectorized);
    });
    all.verdicts.insert(all.verdicts.end(), part.verdicts.begin(), part.verdicts.end());
    all.unmeasured += part.unmeasured;
  }
  sort_worst_first(all.verdicts);
  return all;
}

// The `shown` worst problems, then the sum of all.
inline void print(const Judgement& judgement, std::size_t shown) {
  std::printf("%20s  %-32s %10s %10s  %-32s %10s  loss\n", "m x n x k", "chosen", "us", "predicted",
              "best", "us");
  for (std::size_t i = 0; i < std::min(shown, judgement.verdicts.size()); ++i) {
    const Verdict& v = judgement.verdicts[i];
    const std::string shape = std::to_string(v.shape.m) + 'x' + std::to_string(v.shape.n) + 'x' +
                              std::to_string(v.shape.k) + (v.vectorized ? "" : " scalar");
    std::printf("%20s  %-32s %10.2f %10.2f  %-32s %10.2f  %.3f\n", shape.c_str(), v.chosen.c_str(),
                v.chosen_us, v.predicted_us, v.best.c_str(), v.best_us, v.loss());
  }
  double error = 0.0;
  for (const Verdict& v : judgement.verdicts) error += std::abs(v.predicted_us / v.chosen_us - 1.0);
  const auto count = static_cast<double>(std::max<std::size_t>(judgement.verdicts.size(), 1));
  std::printf(
      "\n%zu problems: the choice takes at most %.0f %% more than the best on %.1f %%; worst %.3f;"
      " mean error of the predicted time %.1f %%\n",
      judgement.verdicts.size(), 100.0 * (close_to_best - 1.0), 100.0 * judgement.share_close(),
      judgement.verdicts.empty() ? 0.0 : judgement.verdicts[0].loss(), 100.0 * error / count);
  if (judgement.unmeasured > 0) {
    std::printf("%d problems left out: their choice was not measured\n", judgement.unmeasured);
  }
}

}  // namespace tessera::bench
