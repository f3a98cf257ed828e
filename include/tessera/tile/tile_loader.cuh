// TileLoader: brings the k-tiles of one operand from gmem to smem, by all threads of a block,
// through registers or by cp.async. Verbs: gmem_to_reg and reg_to_smem, or gmem_to_smem; next.
#pragma once

#include "../arch/async_copy.cuh"
#include "../arch/opaque.cuh"
#include "../arch/vector_access.cuh"
#include "../matrix_view.hpp"
#include "smem_tile.cuh"
#include "tile_config.hpp"

namespace tessera::tile {

// One operand of one block tile in gmem: `mn` lines or columns from the block's first one on.
struct GmemTile {
  const float* data;  // element (0, 0) of the block's strip of the operand
  index_t ld;
  int mn_left;  // elements of the operand along mn from there on; guards compare against it
  int k_left;   // elements along k
};

// along: the contiguous mode in gmem. Smem: the SmemTile that the k-tiles go to. Width: floats per
// access. Guarded: the first k-tile takes the residue of k, at its end and behind `padding`, so
// that no other needs a guard along k. Elements beyond mn_left are not read; what smem holds there
// is anything, for its products are never stored.
template <Major along, class Smem, int Threads, int Width, bool Guarded>
class TileLoader {
  static constexpr int k_extent = Smem::k_extent;
  static constexpr int line_length = along == Major::k ? k_extent : Smem::mn_extent;
  static constexpr int line_count = along == Major::k ? Smem::mn_extent : k_extent;
  static_assert(line_length % Width == 0, "a line of the tile must be whole accesses");
  static constexpr int line_accesses = line_length / Width;

  // Threads side by side on a line: as many as divide its accesses. Scalar ones are many: no more
  // than a warp along mn, so that a thread's next ones on the line are constant steps away, and 16
  // along k: with 8, a warp reads twice as many lines at once (1023^3, both operands: +8 % time).
  static constexpr int gcd(int p, int q) { return q == 0 ? p : gcd(q, p % q); }
  static constexpr int threads_on_line() {
    const int most = gcd(line_accesses, Threads);
    const int few = Width > 1 ? most : along == Major::k ? 16 : 32;
    return most % few == 0 && line_count % (Threads / few) == 0 ? few : most;
  }
  static constexpr int run = threads_on_line();
  static constexpr int line_step = Threads / run, place_step = run * Width;
  static constexpr int lines = (line_count + line_step - 1) / line_step;  // of a thread
  static constexpr int places = line_accesses / run;                      // of a thread, on a line
  static constexpr bool ragged = line_count % line_step != 0;  // some threads idle at the end

 public:
  __device__ __forceinline__ TileLoader(const GmemTile& tile, int thread, float padding)
      : tile_(tile), thread_(thread), padding_(padding) {
    // First: else the compiler shares less of this with next(), and exact variants lose up to 3 %.
    tile_.data += first_line() * tile.ld + first_place();
    if constexpr (Guarded) {
      mn_left_ = tile.mn_left - (along == Major::k ? first_line() : first_place());
      k_padding_ = (k_extent - tile.k_left % k_extent) % k_extent;
      tile_.data -= along == Major::k ? index_t{k_padding_} : k_padding_ * tile.ld;
    }
  }

  // Requests the current k-tile.
  __device__ __forceinline__ void gmem_to_reg() {
    const auto set = [&](int i, int j, float value) {
#pragma unroll
      for (int v = 0; v < Width; ++v) reg_[i][j][v] = value;
    };
    // Beyond mn_left: or registers would carry the k-tile before from one request to the next.
    if constexpr (Guarded) {
      for_each_access([&](int i, int j, auto) { set(i, j, arch::anything()); });
    }
    for_each_inside(
        [&](int i, int j, const float* source) { arch::gmem_to_reg<Width>(reg_[i][j], source); },
        [&](int i, int j) { set(i, j, padding_); });
  }

  // The same of a first k-tile whose padding nobody reads: anything stands there.
  __device__ __forceinline__ void gmem_to_reg_behind_padding() {
    for_each_access([&](int i, int j, const float* source) {
#pragma unroll
      for (int v = 0; v < Width; ++v) reg_[i][j][v] = arch::anything();
      if (k(i, j) >= k_padding_ && is_inside(i, j)) arch::gmem_to_reg<Width>(reg_[i][j], source);
    });
  }

  __device__ __forceinline__ void reg_to_smem(Smem& smem) const {
    for_each_access(
        [&](int i, int j, auto) { smem.template store<along>(mn(i, j), k(i, j), reg_[i][j]); });
  }

  // Copies the current k-tile, float by float: it is there once the copies are waited for.
  __device__ __forceinline__ void gmem_to_smem(Smem& smem) const requires(Width == 1) {
    float* const first = arch::opaque(&smem.data[Smem::index(mn(0, 0), k(0, 0))]);
    for_each_inside(
        [&](int i, int j, const float* source) {
          const int line = i * line_step, place = j * place_step;
          arch::copy_async<1>(
              first + (along == Major::k ? Smem::index(line, place) : Smem::index(place, line)),
              source);
        },
        [&](int i, int j) { smem.data[Smem::index(mn(i, j), k(i, j))] = padding_; });
  }

  // Steps to the next k-tile.
  __device__ __forceinline__ void next() {
    tile_.data += along == Major::k ? index_t{k_extent} : k_extent * tile_.ld;
    if constexpr (Guarded) k_padding_ = 0;
  }

  // Elements along k of the current k-tile that stand before the operand.
  [[nodiscard]] __device__ __forceinline__ int k_padding() const { return k_padding_; }

 private:
  // Line of this thread's first access, and its place there.
  __device__ __forceinline__ int first_line() const { return thread_ / run; }
  __device__ __forceinline__ int first_place() const { return thread_ % run * Width; }
  // Where access j of this thread to its line i stands. Adjacent threads read adjacent addresses.
  __device__ __forceinline__ int mn(int i, int j) const {
    return along == Major::k ? first_line() + i * line_step : first_place() + j * place_step;
  }
  __device__ __forceinline__ int k(int i, int j) const {
    return along == Major::k ? first_place() + j * place_step : first_line() + i * line_step;
  }
  // Along mn, which is whole accesses (the plan sees to it).
  __device__ __forceinline__ bool is_inside(int i, int j) const {
    return !Guarded || mn_left_ > (along == Major::k ? i * line_step : j * place_step);
  }

  // f(i, j, source) for each access of this thread.
  template <class Function>
  __device__ __forceinline__ void for_each_access(Function f) const {
    const float* line = tile_.data;
#pragma unroll
    for (int i = 0; i < lines; ++i) {
      if (ragged && first_line() + i * line_step >= line_count) break;
      // Under guards opaque, so that each address is the one before plus a step: else the compiler
      // multiplies, or fetches ld, under the guard and right before the access. An int counts
      // what a tile holds. NOLINTBEGIN(bugprone-implicit-widening*)
      if (i > 0) {
        line = Guarded ? arch::opaque(line + line_step * tile_.ld)
                       : tile_.data + i * line_step * tile_.ld;
      }
#pragma unroll
      for (int j = 0; j < places; ++j) f(i, j, line + j * place_step);
      // NOLINTEND(bugprone-implicit-widening*)
    }
  }

  // request(i, j, source) for each access inside the operand, pad(i, j) for each before its k.
  template <class Request, class Pad>
  __device__ __forceinline__ void for_each_inside(Request request, Pad pad) const {
    if (Guarded && k_padding_ > 0) {
      for_each_access([&](int i, int j, const float* source) {
        if (k(i, j) < k_padding_) {
          pad(i, j);
        } else if (is_inside(i, j)) {
          request(i, j, source);
        }
      });
    } else {
      for_each_access([&](int i, int j, const float* source) {
        if (is_inside(i, j)) request(i, j, source);
      });
    }
  }

  GmemTile tile_;  // from this thread's first access on, at the current k-tile
  int thread_;
  int mn_left_ = 0;  // elements along mn from the first access on
  int k_padding_ = 0;
  float padding_;
  float reg_[lines][places][Width] = {};
};

}  // namespace tessera::tile
