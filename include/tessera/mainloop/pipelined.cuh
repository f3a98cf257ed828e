// Mainloop `pipelined`: producer warps bring k-tiles to smem, by tensor copies or cp.async,
// consumer warps multiply them. They meet at two barriers per stage, full and empty, and nobody
// else waits.
#pragma once

#include "../arch/pipeline_barrier.cuh"
#include "../arch/register_share.cuh"
#include "../arch/tensor_copy.cuh"
#include "../thread/thread_mma.cuh"
#include "../tile/gmem_box.cuh"
#include "../tile/tile_copier.cuh"
#include "double_buffered.cuh"

namespace tessera::mainloop {

template <class Variant>
struct pipelined {
  static constexpr TileConfig config = Variant::config;
  static constexpr int stages = config.stages.count, block_k = Variant::block_k;
  // Whether a block may go on with accumulators of another: not where the registers are short.
  static constexpr bool resumes = arch::has_register_share;
  static constexpr int consumers = Variant::threads, producers = config.producers.warps * 32;
  static_assert(stages >= 2 && producers > 0,
                "mainloop pipelined needs Stages of at least 2 and Producers");
  static_assert(config.a_smem.major == Major::mn,
                "mainloop pipelined reads A along m: ASmem must be Major::mn");
  static_assert(block_k % 8 == 0, "mainloop pipelined copies 8 k at once: KTile must be whole 8s");

  // Where accesses are wide and both operands contiguous along mn, they come in boxes: one thread
  // asks for them, and next to no issue slot is taken from consumers (8192^3: 57.0 -> 58.1 TFLOPS).
  // One operand alone as boxes gains nothing.
  static constexpr bool boxed = Variant::has_boxes && arch::has_tensor_copy;
  // Others by all producer threads. What is transposed travels through registers where accesses are
  // wide, or where both operands are and cp.async, float by float, would fill the smem pipe
  // (4095^3: 50.1 against 48.6 TFLOPS; one alone 45 against 50).
  template <Major major>
  static constexpr bool through_registers = major == Major::k &&
                                            (Variant::VecWidth > 1 ||
                                             Variant::a_major == Variant::b_major);
  template <Major major, int extent>
  using Copier = tile::TileCopier<major, extent, block_k, producers, Variant::VecWidth,
                                  Variant::Guarded, through_registers<major>>;
  using CopierA = Copier<Variant::a_major, Variant::block_m>;
  using CopierB = Copier<Variant::b_major, Variant::block_n>;
  template <int extent>
  using Smem = tile::SmemTile<extent, block_k, Major::mn, boxed ? 0 : smem_padding>;

  struct SharedStorage {
    Smem<Variant::block_m> a[stages];  // block_m x block_k each
    Smem<Variant::block_n> b[stages];  // block_k x block_n each
    arch::PipelineBarrier full[stages], empty[stages];
  };

  // The stage that comes next, and the parity of its barriers' phase.
  struct Cursor {
    int stage = 0;
    unsigned parity = 0;
    __device__ __forceinline__ void next() {
      if (++stage == stages) stage = 0, parity ^= 1;
    }
  };

  // Copies the k-tiles of A (block_m x k) and B (k x block_n), in the producer threads.
  __device__ __forceinline__ static void produce(const tile::GmemTile& a, const tile::GmemTile& b,
                                                 int k_tiles, SharedStorage& smem) {
    if constexpr (!arch::has_async_copy) return;
    if constexpr (shares_registers) arch::keep_registers<producer_registers>();
    meet(smem);
    const int thread = static_cast<int>(threadIdx.x) - consumers;
    CopierA copier_a(a, thread);
    CopierB copier_b(b, thread);
    // What travels through registers last: the thread waits for it.
    const auto both = [&](auto f) {
      if constexpr (CopierA::through_registers) {
        f(copier_b, smem.b, Variant::padding_b);
        f(copier_a, smem.a, Variant::padding_a);
      } else {
        f(copier_a, smem.a, Variant::padding_a);
        f(copier_b, smem.b, Variant::padding_b);
      }
    };

    // The first k-tile is the ragged one, so that k ascends and the others need no guard.
    const int k_extent = a.k_left - (k_tiles - 1) * block_k;
    both([&](auto& copier, auto& stage, float padding) {
      copier.copy_first(stage[0], k_extent, padding);
      copier.next(k_extent);
    });
    arch::wait_for_copies();
    smem.full[0].arrive();
    Cursor cursor;
    cursor.next();
#pragma unroll 1
    for (int tile = 1; tile < k_tiles; ++tile) {
      smem.empty[cursor.stage].wait(cursor.parity ^ 1);
      both([&](auto& copier, auto& stage, float) {
        copier.copy(stage[cursor.stage]);
        copier.next();
      });
      if constexpr (CopierA::through_registers || CopierB::through_registers) {
        arch::wait_for_copies();
        smem.full[cursor.stage].arrive();
      } else {
        smem.full[cursor.stage].arrive_after_copies();
      }
      cursor.next();
    }
    arch::wait_for_copies();
  }

  // The same by boxes, in the first producer thread. Zeros before the first k of the first k-tile
  // leave every accumulator +0, as it begins.
  __device__ __forceinline__ static void produce(tile::GmemBox a, tile::GmemBox b, int k_tiles,
                                                 SharedStorage& smem) {
    if constexpr (shares_registers) arch::keep_registers<producer_registers>();
    meet(smem);
    if (threadIdx.x != consumers) return;
    constexpr int bytes =
        (Variant::block_m + Variant::block_n) * block_k * static_cast<int>(sizeof(float));
    Cursor cursor;
#pragma unroll 1
    for (int tile = 0; tile < k_tiles; ++tile) {
      arch::PipelineBarrier& full = smem.full[cursor.stage];
      smem.empty[cursor.stage].wait(cursor.parity ^ 1);
      full.expect(bytes);
      arch::copy_box(smem.a[cursor.stage].data, a.map, a.mn, a.k, full);
      arch::copy_box(smem.b[cursor.stage].data, b.map, b.mn, b.k, full);
      full.arrive();
      a.k += block_k;
      b.k += block_k;
      cursor.next();
    }
  }

  // acc (thread_m x thread_n) += A * B, the thread tile of it, in the consumer threads.
  __device__ __forceinline__ static void run(const tile::GmemTile& a, const tile::GmemTile& b,
                                             int k_tiles, SharedStorage& smem,
                                             const typename Variant::Map& map,
                                             typename Variant::Accumulator& acc) {
    if constexpr (!arch::has_async_copy) {
      using Fallback = double_buffered<Variant>;
      Fallback::run(a, b, k_tiles, reinterpret_cast<typename Fallback::SharedStorage&>(smem), map,
                    acc);
      return;
    }
    if constexpr (shares_registers) arch::take_registers<consumer_registers>();
    meet(smem);
    float frag_a[2][1][Variant::thread_m], frag_b[2][1][Variant::thread_n];
    Cursor cursor;
    const auto load_fragments = [&](int k) {
      tile::load_fragment<Variant::Map::chunk_n>(frag_b[k % 2], smem.b[cursor.stage], k % block_k,
                                                 [&](int j) { return map.col(j); });
      tile::load_fragment<Variant::Map::chunk_m>(frag_a[k % 2], smem.a[cursor.stage], k % block_k,
                                                 [&](int i) { return map.row(i); });
    };
    smem.full[0].wait(0);
    load_fragments(0);
    // A loop that may run not at all would join its accumulators with those from before it, and the
    // compiler then places them badly: half the FFMAs would wait for a register bank.
    int left = k_tiles;
    do {
#pragma unroll
      for (int k = 0; k < block_k; ++k) {
        if (k + 1 == block_k) {
          __syncwarp();  // all lanes have read the stage
          if (threadIdx.x % 32 == 0) smem.empty[cursor.stage].arrive();
          cursor.next();
          if (--left > 0) smem.full[cursor.stage].wait(cursor.parity);
        }
        load_fragments(k + 1);  // after the last k-tile, of any stage: nobody multiplies them
        thread::thread_mma(acc, frag_a[k % 2][0], frag_b[k % 2][0]);
      }
    } while (left > 0);
  }

 private:
  // Makes the barriers, for all threads of the block.
  __device__ __forceinline__ static void meet(SharedStorage& smem) {
    const int thread = static_cast<int>(threadIdx.x);
    if (thread < stages) {
      smem.full[thread].init(boxed ? 1 : producers);
      smem.empty[thread].init(consumers / 32);
      arch::show_barriers_to_copies();
    }
    arch::block_barrier<consumers + producers>();
  }

  // Registers move from producers to consumers in groups of four warps. To copy 40 are enough; two
  // operands through registers need more in flight (8192^3: 53.8 TFLOPS with 64, 52.9 with 40), and
  // 256 lines of A spill with 40.
  static constexpr bool shares_registers = arch::has_register_share && consumers % 128 == 0 &&
                                           producers % 128 == 0 && config.min_blocks.per_sm == 1;
  static constexpr int launch_registers = 65536 / (consumers + producers) / 8 * 8;
  static constexpr int producer_registers = !CopierA::through_registers  ? 40
                                            : CopierB::through_registers ? 64
                                            : Variant::block_m > 128     ? 48
                                                                         : 40;
  static constexpr int consumer_registers =
      (launch_registers + (launch_registers - producer_registers) * producers / consumers) / 8 * 8;
};

}  // namespace tessera::mainloop
