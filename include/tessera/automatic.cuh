// The default policy: chooses among those of policy.cuh by the cost model, shape and alignment.
#pragma once

#include "host/chips/h200.hpp"
#include "host/cost_model.hpp"
#include "host/gemm_shape.hpp"
#include "host/rim.hpp"
#include "policy.cuh"

namespace tessera::policy {

// Chooses among true-FP32 policies, and into how many slices to cut K, by shape and alignment: the
// fewest microseconds by the cost model (host/cost_model.hpp), with the constants of an H200. On
// another chip they may pick a policy that is not its best; results are right on every chip. No
// device is asked and nothing is remembered, so a call's bits depend on its arguments alone. A rim
// of C (host/rim.hpp) goes to skinny, where that takes less time.
struct automatic {
  static constexpr const char* name = "automatic";
  using rim_policy = skinny;

  // In the order in which they win a tie.
  TESSERA_HIDDEN static constexpr detail::Candidates candidates(const Chip& chip,
                                                                const GemmShape& shape) {
    detail::Candidates all{{{pipelined::name, pipelined::config, &chip.pipelined},
                            {split_k_wide::name, split_k_wide::config, &chip.split_k_wide},
                            {split_k_tall::name, split_k_tall::config, &chip.split_k_tall},
                            // Measured over predicted: 0.91 to 1.03, 0.98 in the mean.
                            {split_k::name, split_k::config, &chip.split_k, 0, 0.96}},
                           4};
    all.list[all.count++] = split_k_pipelined::select(shape, [&](auto tile) {
      return detail::Candidate{tile.name, tile.config, &chip.split_k_pipelined, 0, never};
    });
    // Up to 8 wide nothing comes near skinny, which the model does not see where launches are most
    // of the time.
    const index_t width = shape.m < shape.n ? shape.m : shape.n;
    if (width == 0 || shape.k == 0) return all;
    if (width <= widest_skinny) {
      all.list[all.count++] = skinny::select(shape, [&](auto tile) {
        return detail::Candidate{skinny::name, tile.config, &chip.skinny, tile.slices(shape)};
      });
      all.preferred = all.count - 1;
    } else if (width <= widest_narrow) {
      all.list[all.count++] = narrow::select(shape, [&](auto tile) {
        return detail::Candidate{narrow::name, tile.config, &tile.cost(chip)};
      });
    }
    return all;
  }

  // Calls f with the policy and its Choice.
  template <class Function>
  TESSERA_HIDDEN static constexpr auto select(const GemmShape& shape, Vectorized vectorized,
                                              Function&& f) {
    constexpr int most_slices = 1 << 30;
    return select_up_to(most_slices, shape, vectorized, f);
  }

 protected:
  template <class Function>
  TESSERA_HIDDEN static constexpr auto select_up_to(int most_slices, const GemmShape& shape,
                                                    Vectorized vectorized, Function&& f) {
    const auto rank = [&](const detail::Candidates& of, const GemmShape& product) {
      return detail::rank(chips::h200, of, product, vectorized, most_slices);
    };
    GemmShape rest = shape;  // all but the rim
    detail::Candidates all = candidates(chips::h200, shape);
    detail::Ranking ranking = rank(all, shape);
    Rim rim{};
    double rim_us = 0.0;
    if (const Rim possible = detail::rim_of(shape); !possible.empty()) {
      constexpr detail::RimConfigs configs{skinny_tile<Streamed::b, 8>::config,
                                           skinny_tile<Streamed::a, 8>::config};
      const GemmShape inner = detail::inner_shape(shape, possible);
      const detail::Candidates of_inner = candidates(chips::h200, inner);
      const detail::Ranking inner_ranking = rank(of_inner, inner);
      const double us = detail::rim_us(configs, shape, possible, vectorized.all, most_slices > 1);
      if (inner_ranking.best.us + us < worth_a_rim * ranking.best.us) {
        rest = inner, all = of_inner, ranking = inner_ranking, rim = possible, rim_us = us;
      }
    }
    const detail::Option &best = ranking.best, &runner_up = ranking.runner_up;
    const auto choice = [&](const char* reason) {
      return Choice{.slices = best.slices,
                    .workspace = best.workspace,
                    .rim = rim,
                    .rim_slices = most_slices > 1 ? 0 : 1,
                    .reason = reason,
                    .predicted_us = best.us + rim_us,
                    .runner_up = all.list[runner_up.candidate].name,
                    .runner_up_us = runner_up.us + rim_us};
    };
    // The reason: that of slices, or what else speaks for the policy.
    const auto chosen = [&](const char* reason) {
      return choice(best.slices > 1 ? "few tiles: K in slices fills the SMs" : reason);
    };
    switch (best.candidate) {
      case 0:
        return f(pipelined{}, chosen("large: the widest thread tile"));
      case 1:
        return f(split_k_wide{}, chosen("medium: tiles of 64 x 128 fill the last wave"));
      case 2:
        return f(split_k_tall{}, chosen("medium: tiles of 128 x 64 fill the last wave"));
      case 3:
        return f(split_k{}, chosen("small: tiles of 64 x 64 reach more SMs"));
      case 4:
        return split_k_pipelined::select(
            rest, [&](auto tile) { return f(tile, chosen("few tiles: the widest thread tile")); });
      default:
        if (rest.m <= widest_skinny || rest.n <= widest_skinny) {
          return skinny::select(rest, [&](auto tile) {
            // In how many slices, the tile knows.
            Choice streamed = choice("narrow: one operand is streamed once");
            streamed.slices = most_slices > 1 ? 0 : 1;
            return f(tile, streamed);
          });
        }
        return narrow::select(
            rest, [&](auto tile) { return f(tile, chosen("narrow: a tile as wide as C")); });
    }
  }

 private:
  static constexpr index_t widest_skinny = 8, widest_narrow = 48;
  // Uncut, split_k_pipelined is pipelined without its tail.
  static constexpr double never = 10.0;
  // A rim must save 2 %: its own times are that uncertain, as both sides share the others.
  static constexpr double worth_a_rim = 0.98;
};

static_assert(pipelined::config.min_blocks.per_sm <= TileCost::most_blocks &&
                  split_k_wide::config.min_blocks.per_sm <= TileCost::most_blocks &&
                  split_k_tall::config.min_blocks.per_sm <= TileCost::most_blocks &&
                  split_k::config.min_blocks.per_sm <= TileCost::most_blocks &&
                  skinny_tile<Streamed::b, 8>::config.min_blocks.per_sm <= TileCost::most_blocks &&
                  narrow_16x128::config.min_blocks.per_sm <= TileCost::most_blocks,
              "the cost model knows up to TileCost::most_blocks blocks on an SM");

// automatic without slices: every result has the bits of the policies of the ladder.
struct automatic_unsplit : private automatic {
  static constexpr const char* name = "automatic_unsplit";
  using automatic::rim_policy;

  template <class Function>
  TESSERA_HIDDEN static constexpr auto select(const GemmShape& shape, Vectorized vectorized,
                                              Function&& f) {
    return select_up_to(1, shape, vectorized, f);
  }
};

}  // namespace tessera::policy
