// LaunchPlan: everything gemm() decides before it launches, as a pure function of the arguments.
#pragma once

#include <cstdint>
#include <iosfwd>

#include "../arch/cluster_limit.hpp"
#include "../arch/visibility.hpp"
#include "../kernel/sum_slices_grid.hpp"
#include "../kernel/tail.hpp"
#include "../matrix_view.hpp"
#include "../status.hpp"
#include "../tile/tile_config.hpp"
#include "even_tail.hpp"
#include "gemm_shape.hpp"
#include "validate.hpp"

namespace tessera {

// A product that has rows or columns of C's rim, by policy::skinny: how many, and how it cuts K.
struct RimPlan {
  index_t extent = 0;
  int slices = 1, block_slices = 1;
  int block_k = 0;

  [[nodiscard]] constexpr bool splits_k() const { return slices > 1 || block_slices > 1; }
};

struct LaunchPlan {
  Status status;            // what gemm() returns instead of launching, unless ok
  const char* policy = "";  // the policy that runs: the chosen one under policy::automatic
  bool launches = false;    // false: C is already what it should be (or the call is refused)
  bool transposed = false;  // C is column-major: computed as C^T = B^T * A^T, A and B exchanged
  GemmShape shape{};        // as computed, after that exchange and without the rim
  index_t m_tiles = 0, n_tiles = 0, k_tiles = 0;          // k_tiles is 0 where A and B are not read
  index_t grid = 0;                                       // blocks, all in grid.x
  int block = 0;                                          // CUDA threads of a block
  int smem_bytes = 0;                                     // dynamic shared memory of a block
  int vec_width_a = 1, vec_width_b = 1, vec_width_c = 1;  // floats per gmem access
  bool guarded = false;  // some tile is ragged, so accesses carry guards
  // Slices of K (see kernel/slice.cuh), each a block for every tile, summed by clusters of so many
  // blocks or in a workspace on the stream, by a second kernel of reduction_grid blocks. Without a
  // product (k_tiles is 0) that kernel runs alone: grid, block and smem_bytes are 0.
  int slices = 1;
  int block_slices = 1;  // into which the threads of a block cut their slice: see SlicedK
  bool cluster = false;
  index_t reduction_grid = 0;
  // Each launch may begin while what is before it in the stream ends (programmatic dependent
  // launch): where all chips of the program can, sm_90 and newer. It touches no memory before.
  bool programmatic = false;
  Tail tail{};  // the tiles of a last wave that is not full, cut along K: see kernel/tail.hpp
  index_t workspace_bytes = 0;     // of slices, or of the tail
  RimPlan rim_rows{}, rim_cols{};  // of C, as computed; launched after the rest, in this order
  // Why policy::automatic chose this policy, and by which times; see Choice.
  const char* reason = "";
  double predicted_us = 0.0;
  const char* runner_up = "";
  double runner_up_us = 0.0;
  TileConfig config{};

  // Whether the sum of some element is that of several slices: see kernel/slice.cuh.
  [[nodiscard]] constexpr bool splits_k() const {
    return slices > 1 || block_slices > 1 || rim_rows.splits_k() || rim_cols.splits_k();
  }

  // Traffic that the block tile's shape implies, in bytes per fused multiply-add of a full tile.
  // gmem: what crosses from L2 when each block loads its tiles once; without smem tiles, every
  // thread loads its own operands. smem: what threads read into fragments.
  [[nodiscard]] constexpr double gmem_bytes_per_fma() const {
    if (config.stages.count == 0) return per_fma(config.thread_tile.m, config.thread_tile.n);
    return per_fma(config.block_m(), config.block_n());
  }
  [[nodiscard]] constexpr double smem_bytes_per_fma() const {
    return config.stages.count == 0 ? 0.0 : per_fma(config.thread_tile.m, config.thread_tile.n);
  }

 private:
  [[nodiscard]] static constexpr double per_fma(int m, int n) {
    return static_cast<double>(sizeof(float)) * (m + n) / (static_cast<double>(m) * n);
  }
};

template <class Traits>
std::basic_ostream<char, Traits>& operator<<(std::basic_ostream<char, Traits>& os,
                                             const LaunchPlan& p) {
  os << p.policy << ": ";
  if (!p.status.ok()) return os << "refused, " << p.status.message();
  const TileConfig& c = p.config;
  os << p.shape.m << 'x' << p.shape.n << 'x' << p.shape.k
     << (p.transposed ? " (transposed problem)" : "");
  if (!p.launches) return os << ", nothing to launch";
  if (p.k_tiles == 0) return os << ", no product, C scaled by a grid of " << p.reduction_grid;
  os << ", grid " << p.grid << " of " << p.block << " threads, smem " << p.smem_bytes
     << " B, block tile " << c.block_m() << 'x' << c.block_n() << 'x' << c.block_k()
     << ", thread tile " << c.thread_tile.m << 'x' << c.thread_tile.n << ", tiles " << p.m_tiles
     << 'x' << p.n_tiles << 'x' << p.k_tiles << ", vec_width " << p.vec_width_a << '/'
     << p.vec_width_b << '/' << p.vec_width_c << (p.guarded ? ", guarded" : ", exact");
  if (p.slices > 1) os << ", slices " << p.slices << (p.cluster ? " in clusters" : "");
  if (p.block_slices > 1) os << ", slices of a block " << p.block_slices;
  if (p.tail.tiles > 0) {
    os << ", tail of " << p.tail.tiles << " tiles cut into " << p.tail.rounds + 1 << " pieces";
  }
  if (p.workspace_bytes > 0) {
    os << " in a workspace of " << p.workspace_bytes << " B";
    if (p.slices > 1) os << ", summed by a grid of " << p.reduction_grid;
  }
  const auto print_rim = [&os](const RimPlan& rim, const char* what) {
    if (rim.extent == 0) return;
    os << ", " << rim.extent << ' ' << what << " more by skinny";
    if (rim.slices > 1) os << ", slices " << rim.slices;
    if (rim.block_slices > 1) os << ", slices of a block " << rim.block_slices;
  };
  print_rim(p.rim_rows, "rows");
  print_rim(p.rim_cols, "columns");
  if (p.reason[0] == '\0') return os;
  os << " (" << p.reason;
  if (p.predicted_us > 0.0) {
    os << "; predicted " << p.predicted_us << " us, " << p.runner_up << ' ' << p.runner_up_us
       << " us";
  }
  return os << ')';
}

namespace TESSERA_HIDDEN detail {

// Whether every line of a view is whole accesses of `floats` elements.
template <class Element, class Layout>
bool is_vectorizable(const MatrixView<Element, Layout>& view, int floats) {
  const auto bytes = static_cast<std::uintptr_t>(floats) * sizeof(float);
  const Lines lines = lines_of(view);
  return reinterpret_cast<std::uintptr_t>(view.data) % bytes == 0 && lines.length % floats == 0 &&
         (lines.count == 1 || lines.ld % floats == 0);
}

template <class ElementA, class LayoutA, class ElementB, class LayoutB>
bool are_vectorizable(const MatrixView<ElementA, LayoutA>& a,
                      const MatrixView<ElementB, LayoutB>& b, int floats) {
  return is_vectorizable(a, floats) && is_vectorizable(b, floats);
}

// Whether all that is read and written is.
template <class ElementA, class LayoutA, class ElementB, class LayoutB, class ElementC>
bool is_vectorizable(bool product, const MatrixView<ElementA, LayoutA>& a,
                     const MatrixView<ElementB, LayoutB>& b,
                     const MatrixView<ElementC, RowMajor>& c, int floats) {
  return is_vectorizable(c, floats) && (!product || are_vectorizable(a, b, floats));
}

// Whether C = beta * C changes C.
constexpr bool scales_c(float beta) { return beta != 1.0f; }

// The slices of a problem with `tiles` tiles of C, of those wanted: each has a k-tile, and all
// their blocks fit a grid and their sums an address space.
constexpr int planned_slices(const TileConfig& config, int wanted, const GemmShape& shape,
                             index_t tiles, index_t k_tiles) {
  index_t slices = wanted < config.slices.max ? wanted : config.slices.max;
  const auto at_most = [&slices](index_t limit) { slices = limit < slices ? limit : slices; };
  at_most(k_tiles);
  at_most(max_extent / tiles);
  at_most(max_elements / shape.m / shape.n);
  return slices > 1 ? static_cast<int>(slices) : 1;
}

// The slices of a block's K, of those wanted: a power of two; each has a k-tile, and the narrower
// tiles (at most so many times as many as `tiles`) fit a grid.
constexpr int planned_block_slices(const TileConfig& config, int wanted, index_t tiles,
                                   index_t k_tiles) {
  index_t most = wanted < config.block_slices.max ? wanted : config.block_slices.max;
  if (k_tiles < most) most = k_tiles;
  if (max_extent / tiles < most) most = max_extent / tiles;
  index_t slices = 1;
  while (2 * slices <= most) slices *= 2;
  return static_cast<int>(slices);
}

// The tail of so many tiles, if a grid holds its pieces too.
constexpr Tail planned_tail(const TileConfig& config, index_t tiles, index_t k_tiles) {
  if (config.even_tail.blocks == 0) return {};
  const Tail tail = even_tail(tiles, k_tiles, config.even_tail.blocks);
  return index_t{tail.tiles} * tail.rounds <= max_extent - tiles ? tail : Tail{};
}

// How K is cut: into as many slices as are wanted, added by clusters where all chips have them, and
// these among the threads of a block.
struct SlicePlan {
  int wanted = 1;
  bool clusters = false;
  int block_wanted = 1;
};

// The plan of a problem whose C is row-major.
template <class ElementA, class LayoutA, class ElementB, class LayoutB, class ElementC>
LaunchPlan make_plan(const char* policy, const TileConfig& config, float alpha,
                     const MatrixView<ElementA, LayoutA>& a, const MatrixView<ElementB, LayoutB>& b,
                     float beta, const MatrixView<ElementC, RowMajor>& c, SlicePlan cut = {}) {
  LaunchPlan plan;
  plan.policy = policy;
  plan.config = config;
  plan.shape = {c.rows, c.cols, a.cols};
  const bool product = has_product(alpha, a.cols);
  if (c.rows == 0 || c.cols == 0 || !(product || scales_c(beta))) return plan;

  plan.m_tiles = ceil_div(c.rows, config.block_m());
  plan.n_tiles = ceil_div(c.cols, config.block_n());
  plan.k_tiles = product ? ceil_div(a.cols, config.block_k()) : 0;
  if (plan.m_tiles > max_extent / plan.n_tiles) {
    plan.status = {Reason::size_limit, Operand::c};
    return plan;
  }
  plan.launches = true;
  plan.block_slices =
      planned_block_slices(config, cut.block_wanted, plan.m_tiles * plan.n_tiles, plan.k_tiles);
  if (config.streamed == Streamed::a) {
    plan.m_tiles = ceil_div(c.rows, config.block_m() / plan.block_slices);
  } else if (config.streamed == Streamed::b) {
    plan.n_tiles = ceil_div(c.cols, config.block_n() / plan.block_slices);
  }
  plan.guarded = c.rows % config.block_m() != 0 || c.cols % config.block_n() != 0 ||
                 (product && a.cols % config.block_k() != 0);
  const int width = config.vec_width.floats;
  // One narrow matrix makes all three narrow, as a variant per combination would cost every user
  // compile time; but see has_narrow_c_variant().
  const bool vectorized = is_vectorizable(product, a, b, c, width);
  plan.vec_width_a = plan.vec_width_b = plan.vec_width_c = vectorized ? width : 1;
  if (product && config.has_narrow_c_variant() && are_vectorizable(a, b, width)) {
    plan.vec_width_a = plan.vec_width_b = width;
  }
  // What is not compiled: see host/dispatch.cuh.
  plan.guarded = plan.guarded || !vectorized || !config.has_exact_variant();
  if (config.streamed != Streamed::none) {  // one operand decides
    plan.vec_width_a = plan.vec_width_b = plan.vec_width_c = 1;
    if (product && config.streamed == Streamed::a && is_vectorizable(a, width)) {
      plan.vec_width_a = width;
    }
    if (product && config.streamed == Streamed::b && is_vectorizable(b, width)) {
      plan.vec_width_b = width;
    }
  }

  const index_t accesses = c.rows * (c.cols / plan.vec_width_c);
  if (!product) {
    plan.reduction_grid = kernel::sum_slices_grid(accesses);
    return plan;
  }
  const index_t tiles = plan.m_tiles * plan.n_tiles;
  plan.slices =
      planned_slices(config, cut.wanted, plan.shape, tiles, plan.k_tiles / plan.block_slices);
  plan.tail = planned_tail(config, tiles, plan.k_tiles);
  const index_t short_pieces = index_t{plan.tail.tiles} * plan.tail.rounds;
  plan.grid = tiles * plan.slices + short_pieces;
  plan.block = config.block_threads();
  plan.smem_bytes = tessera::smem_bytes(config);
  plan.workspace_bytes =
      tail_bytes(plan.tail, config.block_m(), config.block_n(), config.thread_count() / 32);
  if (plan.slices == 1) return plan;
  plan.cluster = cut.clusters && config.adds_in_clusters() && plan.slices <= arch::max_cluster;
  if (plan.cluster) {
    if (plan.smem_bytes < reduction_bytes(config)) plan.smem_bytes = reduction_bytes(config);
  } else {
    plan.workspace_bytes = plan.slices * c.rows * c.cols * static_cast<index_t>(sizeof(float));
    const index_t elements = c.rows * c.cols;
    plan.reduction_grid = kernel::are_many_slices(elements, plan.slices)
                              ? kernel::many_slices_grid(elements)
                              : kernel::sum_slices_grid(accesses);
  }
  return plan;
}

}  // namespace detail
}  // namespace tessera
