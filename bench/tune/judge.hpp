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

inline std::string label(const std::string& policy, int slices, bool workspace) {
  if (slices == 1) return policy;
  return policy + " / " + std::to_string(slices) + (workspace ? " in a workspace" : "");
}

// choose(shape, vectorized): the policy's name, the slices and how they are added, and the time
// that the model says.
struct Chosen {
  std::string policy;
  int slices = 1;
  bool workspace = false;
  double us = 0.0;
};

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
  std::sort(judgement.verdicts.begin(), judgement.verdicts.end(),
            [](const Verdict& x, const Verdict& y) { return x.loss() > y.loss(); });
  return judgement;
}

inline void print(const Judgement& judgement) {
  constexpr std::size_t shown = 25;
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
