#include "generator.hpp"

#include <algorithm>
#include <limits>
#include <ostream>
#include <vector>

namespace tessera::differential {

namespace {

using support::Fill;
using support::Layout;
using support::OperandSpec;
using support::PolicyEntry;
using support::Problem;

// ---- shape

index_t extent_at_edge(Random& random, index_t tile, index_t most_tiles) {
  return std::max(index_t{1}, random.between(0, most_tiles) * tile + random.between(-1, 1));
}

index_t prime(Random& random) {
  return random.pick(
      {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 53, 61, 67, 79, 97, 127, 131});
}

// One long extent, the others at most 5.
GemmShape skinny(Random& random) {
  index_t extents[3];
  for (index_t& extent : extents) extent = random.between(1, 5);
  extents[random.below(3)] = random.between(1, random.chance(1, 2) ? 300 : 3000);
  return {extents[0], extents[1], extents[2]};
}

// Nothing or little to multiply, but any C.
GemmShape degenerate(Random& random) {
  GemmShape shape{random.between(1, 140), random.between(1, 140), random.between(1, 70)};
  switch (random.below(6)) {
    case 0:
      shape.m = 0;
      break;
    case 1:
      shape.n = 0;
      break;
    case 2:
      shape.m = shape.k = random.below(2);
      break;
    case 3:
      shape.k = 1;
      break;
    default:
      shape.k = 0;
  }
  return shape;
}

// Up to 2^29 products.
GemmShape large(Random& random) {
  const index_t m = random.between(200, 2048), n = random.between(200, 2048);
  return {m, n, std::min(random.between(1, 2048), (index_t{1} << 29) / (m * n))};
}

GemmShape draw_shape(Random& random, const TileConfig& config) {
  const index_t m = config.block_m(), n = config.block_n(), k = std::max(4, config.block_k());
  const auto up_to = [&](index_t most) { return random.between(1, most); };
  if (random.chance(1, 50)) return large(random);
  // Some waves, where they are small, and a K that is worth cutting.
  if (config.even_tail.blocks > 0 && config.even_tail.blocks < 10 && random.chance(1, 2)) {
    return {3 * m + extent_at_edge(random, m, 4), extent_at_edge(random, n, 2), up_to(100 * k)};
  }
  // Braced: the order of the draws is that of the text.
  const index_t kind = random.below(20);
  if (kind < 3) return {up_to(9), up_to(9), up_to(9)};
  if (kind < 6) return {up_to(70), up_to(70), up_to(70)};
  if (kind < 10) {
    return {extent_at_edge(random, m, 2), extent_at_edge(random, n, 2),
            extent_at_edge(random, k, 4)};
  }
  if (kind < 14) return {up_to(2) * m, up_to(2) * n, up_to(5) * k};
  if (kind < 15) return {up_to(300), up_to(300), up_to(150)};
  if (kind < 16) return {prime(random), prime(random), prime(random)};
  // Where `automatic` stops to stream.
  if (kind < 17) return {random.between(31, 33), up_to(300), up_to(400)};
  if (kind < 18) return degenerate(random);
  return skinny(random);
}

// ---- placement

// Every line of every matrix is whole accesses of `width` floats: the extents that are contiguous
// somewhere, ld and pointers.
void align(Random& random, Problem& p, index_t width) {
  const auto round_up = [&](index_t& extent) { extent = (extent + width - 1) / width * width; };
  const bool a_row = p.a.at.layout == Layout::row, b_row = p.b.at.layout == Layout::row;
  const bool c_row = p.c.at.layout == Layout::row;
  if (!a_row || !c_row) round_up(p.m);
  if (b_row || c_row) round_up(p.n);
  if (a_row || !b_row) round_up(p.k);
  for (OperandSpec* operand : {&p.a, &p.b, &p.c}) {
    operand->at.ld_extra = random.chance(1, 2) ? 0 : random.pick({1, 2, 3, 16}) * width;
    operand->at.offset = static_cast<int>(random.chance(1, 4) ? width : 0);
  }
}

// One operand or extent that is not aligned any more.
void misalign_one(Random& random, Problem& p) {
  OperandSpec& operand = *random.pick({&p.a, &p.b, &p.c});
  const index_t by = random.between(1, 3);
  switch (random.below(3)) {
    case 0:
      operand.at.offset += static_cast<int>(by);
      break;
    case 1:
      operand.at.ld_extra += by;
      break;
    default:
      *random.pick({&p.m, &p.n, &p.k}) += by;
  }
}

void draw_placement(Random& random, Problem& p, index_t width) {
  for (OperandSpec* operand : {&p.a, &p.b, &p.c}) {
    operand->at.layout = random.chance(1, 2) ? Layout::row : Layout::col;
  }
  if (random.chance(3, 4)) {
    align(random, p, width);
    if (random.chance(1, 3)) misalign_one(random, p);
    return;
  }
  for (OperandSpec* operand : {&p.a, &p.b, &p.c}) {
    operand->at.ld_extra = random.chance(1, 2) ? 0 : random.pick({1, 2, 3, 7, 64, 101});
    operand->at.offset = static_cast<int>(random.below(4));
  }
}

// ---- alpha and beta

float draw_scalar(Random& random, index_t zeros_of_24) {
  using limits = std::numeric_limits<float>;
  const index_t kind = random.below(24);
  if (kind < zeros_of_24) return random.pick({0.0f, -0.0f});
  if (kind < 11) return 1.0f;
  if (kind < 14) return random.pick({-1.0f, 0.5f, 2.0f});
  if (kind < 16) {
    return random.pick({limits::quiet_NaN(), limits::infinity(), -limits::infinity(),
                        limits::denorm_min(), -0x1p-120f, 0x1p100f});
  }
  return 4.0f * support::fill_value(Fill::uniform, random.bits());
}

struct Candidate {
  PolicyEntry policy;
  TileConfig config;
};

// Every policy; those that choose once for each policy that they choose among.
const std::vector<Candidate>& candidates() {
  static const std::vector<Candidate> all = [] {
    std::vector<Candidate> list;
    for (const PolicyEntry& policy : support::every_policy()) {
      list.push_back({policy, support::config_of(policy)});
    }
    for (const char* chooser : {"automatic", "automatic_unsplit"}) {
      for (const char* chosen : {"split_k_wide", "split_k_tall", "split_k", "split_k_pipelined"}) {
        list.push_back(
            {*support::find_policy(chooser), support::config_of(*support::find_policy(chosen))});
      }
    }
    return list;
  }();
  return all;
}

double product(double x, double y, double z) { return x * y * z; }

}  // namespace

Call generate(std::uint64_t seed) {
  Random random(seed);
  Call call;
  call.seed = seed;
  const std::vector<Candidate>& all = candidates();
  const Candidate& drawn =
      all[static_cast<std::size_t>(random.below(static_cast<index_t>(all.size())))];
  call.policy = drawn.policy;
  call.config = drawn.config;

  Problem& p = call.problem;
  p.seed = seed;
  const GemmShape shape = draw_shape(random, call.config);
  p.m = shape.m, p.n = shape.n, p.k = shape.k;
  draw_placement(random, p, std::max(2, call.config.vec_width.floats));
  p.alpha = draw_scalar(random, 2);
  p.beta = draw_scalar(random, 8);
  p.a.null = !p.has_product() && random.chance(1, 2);
  p.b.null = !p.has_product() && random.chance(1, 2);

  call.a = draw_data(random);
  call.b = random.chance(1, 2) ? call.a : draw_data(random);
  call.c = p.beta == 0.0f ? Data::all_nan : draw_data(random);
  if (random.chance(1, 8)) call.refusal = draw_refusal(random, p);
  return call;
}

std::ostream& operator<<(std::ostream& os, const Call& call) {
  os << call.policy.name << ", " << call.problem << ", A " << name_of(call.a) << ", B "
     << name_of(call.b) << ", C " << name_of(call.c);
  if (!call.is_refused()) return os;
  return os << ", to be refused: " << call.refusal.status.message()
            << (call.refusal.beyond_grid ? " (tiles)" : "");
}

index_t largest_extent(const Call& call) {
  return std::max({call.problem.m, call.problem.n, call.problem.k});
}

double volume(const Call& call) {
  const Problem& p = call.problem;
  return product(static_cast<double>(p.m), static_cast<double>(p.n), static_cast<double>(p.k));
}

double tiled_volume(const Call& call) {
  const Problem& p = call.problem;
  const auto rounded = [](index_t extent, int tile) {
    return static_cast<double>((extent + tile - 1) / tile * tile);
  };
  return product(rounded(p.m, call.config.block_m()), rounded(p.n, call.config.block_n()),
                 rounded(p.k, call.config.block_k()));
}

support::HostOperands operands_of(const Call& call) {
  const Problem& p = call.problem;
  support::HostOperands operands{Problem{}};
  operands.a = matrix_of(p.m, p.k, call.a, Random(call.seed ^ 0xa));
  operands.b = matrix_of(p.k, p.n, call.b, Random(call.seed ^ 0xb0));
  operands.c = matrix_of(p.m, p.n, call.c, Random(call.seed ^ 0xc00));
  return operands;
}

}  // namespace tessera::differential
