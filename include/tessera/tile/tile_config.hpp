// TileConfig: the compile-time shape of a kernel, one plain value per policy, and the pure
// functions that derive sizes from it.
#pragma once

#include "../arch/visibility.hpp"

namespace tessera {

// Which mode of an operand tile is contiguous: k, or the other one (m for A, n for B).
enum class Major { k, mn };

// CUDA threads of a block along m and n; each owns one thread tile.
struct Threads {
  int m, n;
};
// Lanes of a warp along m and n (their product is 32). {0, 0}: as wide along n as the block is.
// Neighbouring lanes are neighbours along n, or, with m_first, along m.
struct Lanes {
  int m, n;
  bool m_first = false;
};
// Elements of C owned by one thread, kept in registers.
struct ThreadTile {
  int m, n;
};
// Elements along k of one smem tile.
struct KTile {
  int k;
};
// Widest access to gmem, in floats: 1, 2 or 4. Narrower ones are chosen at run time where a pointer
// or an ld asks for it.
struct VecWidth {
  int floats;
};
// Which mode of A is contiguous in smem. (B is always n-major there.)
struct ASmem {
  Major major;
};
// Blocks that must fit on one SM: the compiler's register budget is 65536 / (blocks * threads).
struct MinBlocks {
  int per_sm;
};
// smem tiles per operand: 0 for kernels that stage nothing.
struct Stages {
  int count;
};
// Warps beside those of Threads that bring the tiles, for mainloop pipelined; 0 for the others,
// where every thread does.
struct Producers {
  int warps;
};
// Most slices that K may be cut into. Above 1, the sum of an element is that of its slices: see
// kernel/slice.cuh. With 1 the kernel holds no code for it.
struct Slices {
  int max;
};
// So many blocks run at once; the tiles of a last wave that does not fill it are cut along K, for
// mainloop pipelined: see kernel/tail.hpp. 0: they are not.
struct EvenTail {
  int blocks;
};
// Whether problems of whole tiles have a variant without guards. Where guards cost nothing it would
// only cost compile time.
struct ExactVariant {
  bool compiled;
};

// The operand that is nearly all the traffic, for mainloop streamed. Its pointer and ld alone
// decide the variant.
enum class Streamed { none, a, b };
// Most slices, a power of two, into which the threads of a block cut its K between them: see
// tile/block_slices.cuh. With S of them the block tile is an S-th as wide along the streamed
// operand. For mainloop streamed.
struct BlockSlices {
  int max;
};

struct TileConfig {
  Threads threads{16, 16};
  Lanes lanes{0, 0};
  ThreadTile thread_tile{1, 1};
  KTile k_tile{1};
  VecWidth vec_width{1};
  ASmem a_smem{Major::k};
  Stages stages{0};
  MinBlocks min_blocks{2};
  Producers producers{0};
  Slices slices{1};
  EvenTail even_tail{0};
  ExactVariant exact{true};
  Streamed streamed = Streamed::none;
  BlockSlices block_slices{1};

  [[nodiscard]] constexpr int thread_count() const { return threads.m * threads.n; }
  // CUDA threads of a block: those that multiply and those that bring the tiles.
  [[nodiscard]] constexpr int block_threads() const {
    return thread_count() + 32 * producers.warps;
  }
  [[nodiscard]] constexpr int lanes_n() const {
    return lanes.n != 0 ? lanes.n : threads.n < 32 ? threads.n : 32;
  }
  [[nodiscard]] constexpr int lanes_m() const { return lanes.m != 0 ? lanes.m : 32 / lanes_n(); }
  [[nodiscard]] constexpr int block_m() const { return threads.m * thread_tile.m; }
  [[nodiscard]] constexpr int block_n() const { return threads.n * thread_tile.n; }
  [[nodiscard]] constexpr int block_k() const { return k_tile.k; }
  // Whether a variant without guards is compiled: not where guards cost the mainloop nothing.
  [[nodiscard]] constexpr bool has_exact_variant() const {
    return exact.compiled && producers.warps == 0 && streamed == Streamed::none;
  }
  // Whether there is a variant with wide accesses of A and B and scalar ones of C: for layers with
  // an odd number of outputs.
  [[nodiscard]] constexpr bool has_narrow_c_variant() const {
    return producers.warps > 0 && vec_width.floats > 1;
  }
  // What more a guarded kernel does to save time takes registers, which 8 x 4 accumulators leave
  // and 8 x 8 do not.
  [[nodiscard]] constexpr bool has_registers_left() const {
    return thread_tile.m * thread_tile.n <= 32;
  }
  // Whether clusters add up to arch::max_cluster slices, where there are clusters: with Producers a
  // second epilogue costs the mainloop registers.
  [[nodiscard]] constexpr bool adds_in_clusters() const {
    return slices.max > 1 && producers.warps == 0;
  }
};

namespace TESSERA_HIDDEN detail {
constexpr void set(TileConfig& config, Threads value) { config.threads = value; }
constexpr void set(TileConfig& config, Lanes value) { config.lanes = value; }
constexpr void set(TileConfig& config, ThreadTile value) { config.thread_tile = value; }
constexpr void set(TileConfig& config, KTile value) { config.k_tile = value; }
constexpr void set(TileConfig& config, VecWidth value) { config.vec_width = value; }
constexpr void set(TileConfig& config, ASmem value) { config.a_smem = value; }
constexpr void set(TileConfig& config, Stages value) { config.stages = value; }
constexpr void set(TileConfig& config, MinBlocks value) { config.min_blocks = value; }
constexpr void set(TileConfig& config, Producers value) { config.producers = value; }
constexpr void set(TileConfig& config, Slices value) { config.slices = value; }
constexpr void set(TileConfig& config, EvenTail value) { config.even_tail = value; }
constexpr void set(TileConfig& config, ExactVariant value) { config.exact = value; }
constexpr void set(TileConfig& config, Streamed value) { config.streamed = value; }
constexpr void set(TileConfig& config, BlockSlices value) { config.block_slices = value; }
}  // namespace detail

// `base` with the named changes: with(policy::vectorized::config, ThreadTile{4, 8}, KTile{16}).
template <class... Changes>
[[nodiscard]] constexpr TileConfig with(TileConfig base, Changes... changes) {
  (detail::set(base, changes), ...);
  return base;
}

// Floats between two lines of an smem tile beyond the tile itself. 4 keeps every line 16-byte
// aligned and shifts the banks of neighbouring lines, so that the stores which transpose a tile do
// not collide.
inline constexpr int smem_padding = 4;

// Elements of one smem tile of mn x k, padding included.
[[nodiscard]] TESSERA_HIDDEN constexpr int smem_tile_floats(int mn, int k, Major major) {
  return major == Major::k ? mn * (k + smem_padding) : k * (mn + smem_padding);
}

// Slices of a block's K of which one warp has streams, at most: mainloop streamed.
[[nodiscard]] TESSERA_HIDDEN constexpr int streamed_slices_of_warp(const TileConfig& c) {
  const int slices = 32 * c.block_slices.max / c.thread_count();
  return slices > 1 ? slices : 1;
}

// The same under mainloop streamed: for each warp and stage a tile of 32 streams, in either layout,
// and of the narrow operand one for each slice; and the sums of all threads.
[[nodiscard]] TESSERA_HIDDEN constexpr int streamed_smem_bytes(const TileConfig& c) {
  const int narrow = c.streamed == Streamed::a ? c.thread_tile.n : c.thread_tile.m;
  const int k = c.block_k(), of_k = smem_tile_floats(32, k, Major::k);
  const int of_mn = smem_tile_floats(32, k, Major::mn);
  const int stage = (of_k > of_mn ? of_k : of_mn) +
                    streamed_slices_of_warp(c) * smem_tile_floats(narrow, k, Major::k);
  const int threads = c.thread_count();
  return (threads / 32 * c.stages.count * stage + threads * narrow) *
         static_cast<int>(sizeof(float));
}

// Dynamic shared memory of one block, in bytes.
[[nodiscard]] TESSERA_HIDDEN constexpr int smem_bytes(const TileConfig& c) {
  if (c.streamed != Streamed::none) return streamed_smem_bytes(c);
  const int a = smem_tile_floats(c.block_m(), c.block_k(), c.a_smem.major);
  const int b = smem_tile_floats(c.block_n(), c.block_k(), Major::mn);
  const int barriers = c.producers.warps > 0 ? 2 * 8 : 0;  // full and empty
  return c.stages.count * ((a + b) * static_cast<int>(sizeof(float)) + barriers);
}

// Shared memory in which a block of a cluster leaves its accumulators, in bytes; under mainloop
// streamed it has that anyway.
[[nodiscard]] TESSERA_HIDDEN constexpr int reduction_bytes(const TileConfig& c) {
  if (c.streamed != Streamed::none) return 0;
  return c.block_m() * c.block_n() * static_cast<int>(sizeof(float));
}

}  // namespace tessera
