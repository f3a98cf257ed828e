// Which problems the tuning program measures.
#pragma once

#include <cmath>
#include <set>
#include <string>
#include <tessera/host/cost_model.hpp>
#include <tessera/host/gemm_shape.hpp>
#include <tessera/tile/tile_config.hpp>
#include <tuple>
#include <vector>

#include "bench/sweeps.hpp"

namespace tessera::bench {

struct Point {
  GemmShape shape{};
  int slices = 1;
  bool workspace = false;  // adds them although a cluster could hold them
  bool aligned = true;     // false: pointers off by one float
  bool own_cut = false;    // the policy cuts K, `slices` only says into how many
};

namespace detail {

inline constexpr double most_fma = 3e11;  // a launch of about 10 ms

// About `tiles` tiles of C, near a square; at most so many.
inline GemmShape shape_of(const TileConfig& config, index_t tiles, index_t k_tiles) {
  const auto m_tiles = static_cast<index_t>(std::sqrt(static_cast<double>(tiles)));
  return {m_tiles * config.block_m(), tiles / m_tiles * config.block_n(),
          k_tiles * config.block_k()};
}

inline bool is_short(const GemmShape& s) {
  return static_cast<double>(s.m) * static_cast<double>(s.n) * static_cast<double>(s.k) < most_fma;
}

}  // namespace detail

// Of a policy of block tiles: every number of blocks on an SM, several waves, k short and long;
// ragged and scalar; slices, and these ragged and scalar.
inline std::vector<Point> points_of(const TileConfig& config, int sm_count) {
  std::vector<Point> points;
  const index_t sms = sm_count, share = config.min_blocks.per_sm;
  std::vector<index_t> tiles{sms / 4, sms, 2 * share * sms, 4 * share * sms + sms};
  for (index_t j = 2; j <= share; ++j) tiles.push_back(j * sms);
  for (const index_t count : tiles) {
    for (const index_t k_tiles : {8, 32, 128, 384}) {
      const GemmShape shape = detail::shape_of(config, count, k_tiles);
      if (detail::is_short(shape)) points.push_back({shape});
    }
  }
  const std::set<index_t> guarded_tiles{sms, share * sms, 2 * share * sms};
  for (const index_t count : guarded_tiles) {
    for (const index_t k_tiles : {8, 32, 128}) {
      const auto [m, n, k] = detail::shape_of(config, count, k_tiles);
      points.push_back({{m - 4, n - 4, k - 4}});
      points.push_back({{m - 4, n, k}});  // whole cache lines of C
      points.push_back({{m, n, k}, 1, false, false});
    }
  }
  for (const int slices : {2, 3, 4, 6, 8, 12, 16, 32, 128, 512}) {
    if (slices > config.slices.max) break;
    // A cluster of another size packs SMs in ways that the model does not know.
    const bool in_cluster = tessera::detail::cluster_holds(slices);
    const bool power_of_two = (slices & (slices - 1)) == 0;
    for (const index_t count :
         {index_t{1}, index_t{4}, index_t{16}, index_t{64}, sms / 2, 2 * sms / 3, 4 * sms / 3}) {
      if (count * slices > 4 * share * sms) continue;
      for (const index_t k_tiles : {8, 24, 64}) {
        const GemmShape shape = detail::shape_of(config, count, slices * k_tiles);
        if (!detail::is_short(shape)) continue;
        if (!in_cluster || (power_of_two && config.adds_in_clusters()))
          points.push_back({shape, slices});
        if (in_cluster) points.push_back({shape, slices, true});
      }
    }
  }
  for (const int slices : {2, 4, 8}) {
    if (slices > config.slices.max) break;
    for (const index_t count : {sms / 8, sms / 2}) {
      for (const index_t k_tiles : {8, 24}) {
        const auto [m, n, k] = detail::shape_of(config, count, slices * k_tiles);
        for (const bool workspace : {false, true}) {
          if (!workspace && !config.adds_in_clusters()) continue;
          points.push_back({{m - 4, n - 4, k - 4}, slices, workspace});
          points.push_back({{m, n, k}, slices, workspace, false});
        }
      }
    }
  }
  return points;
}

// Of skinny, C narrow in m and in n, with operands that the L2 holds.
inline std::vector<Point> skinny_points(int narrow) {
  std::vector<Point> points;
  constexpr double in_l2 = 8.5e6;  // elements
  for (const index_t wide : {512, 1024, 4096, 8192}) {
    for (const index_t k : {512, 2048, 8192}) {
      if (static_cast<double>(wide) * static_cast<double>(k) > in_l2) continue;
      for (const int slices : {1, 4, 8, 16, 64}) {
        if (slices * 32 > k) continue;
        points.push_back({{narrow, wide, k}, slices});
        points.push_back({{wide, narrow, k}, slices});
      }
    }
  }
  return points;
}

// Of a tile of narrow, `width` wide and `length` long: each number of blocks on an SM and several
// waves, in one slice and in many; in clusters; scalar. Most are longer than the L2. C is narrow in
// n, where A, row-major, is transposed on its way to smem: the slower of the two.
inline std::vector<Point> narrow_points(index_t width, index_t length, int blocks_per_sm,
                                        int sm_count) {
  std::vector<Point> points;
  constexpr index_t block_k = 16;
  const auto add = [&](index_t tiles, int slices, index_t k_tiles, bool aligned = true) {
    points.push_back({{tiles * length, width, slices * k_tiles * block_k}, slices, false, aligned});
  };
  const int quarter = sm_count / 4;
  for (int blocks = 1; blocks <= blocks_per_sm; ++blocks) {
    for (const index_t k_tiles : {4, 12, 28, 36, 44}) add(quarter, 4 * blocks, k_tiles);
    for (const index_t k_tiles : {16, 64}) add(index_t{sm_count} * blocks, 1, k_tiles);
  }
  for (const index_t k_tiles : {1, 4, 12}) {
    add(quarter, 8 * blocks_per_sm, k_tiles);
    add(index_t{sm_count} * (2 * blocks_per_sm + 1), 1, 2 * k_tiles);
  }
  for (const int slices : {2, 4, 6, 8}) {
    for (const index_t tiles : {4, 16, 64}) {
      for (const index_t k_tiles : {8, 32}) add(tiles, slices, k_tiles);
    }
  }
  for (const index_t tiles : {1, 4, 8}) {
    for (const int slices : {16, 64}) add(tiles, slices, 8);
  }
  for (const index_t k_tiles : {12, 36}) {
    for (const int slices : {4, 8, 16}) add(quarter, slices, k_tiles, false);
  }
  return points;
}

// The problems by which choices are judged, each once, row-major: squares, odd ones among them, the
// shapes of bench/shapes, and some with K far above m and n.
inline std::vector<GemmShape> judged_shapes(const std::string& shapes_dir) {
  std::vector<GemmShape> shapes;
  std::set<std::tuple<index_t, index_t, index_t>> seen;
  const auto add = [&](index_t m, index_t n, index_t k) {
    if (seen.insert({m, n, k}).second) shapes.push_back({m, n, k});
  };
  for (const index_t extent :
       {64, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096, 6144, 8192}) {
    add(extent, extent, extent);
  }
  for (const index_t extent : {255, 257, 511, 513, 1023, 1025, 2047, 2049, 4095, 4097}) {
    add(extent, extent, extent);
  }
  for (const char* file : {"/transformer_gemm.csv", "/deepbench_gemm.csv"}) {
    for (const Product& p : read_products(shapes_dir + file)) add(p.m, p.n, p.k);
  }
  for (const Problem& p : detail::kheavy(shapes_dir)) add(p.product.m, p.product.n, p.product.k);
  return shapes;
}

}  // namespace tessera::bench
