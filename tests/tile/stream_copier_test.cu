// StreamCopier and NarrowCopier: what the warps of a block copy to smem, k-tile by k-tile, are the
// streams of the operand's tile and the narrow operand of the same slices; nothing outside the
// operands is read. SlicedK: the slices are those of kernel/slice.cuh. One block.
#include <gtest/gtest.h>

#include <tessera/arch/shared_memory.cuh>
#include <tessera/tile/stream_copier.cuh>
#include <vector>

#include "cuda_resources.hpp"

namespace tessera {
namespace {

using support::DeviceBuffer;
using support::run_kernel;

constexpr int threads = 64, warps = 2, narrow = 8, most_slices_of_warp = 4;
constexpr float not_copied = -1.0f;

// Writes each thread's stream and its narrow operand as [thread][k] and [thread][mn][k], k from the
// start of the slice; not_copied where the copiers left smem as it was.
template <Major along, int KExtent, int Width, int slices_of_warp>
__global__ void copy_kernel(tile::GmemTile wide, tile::NarrowTile narrow_tile, tile::SlicedK slices,
                            int log2_rows, int out_k, float* out_wide, float* out_narrow) {
  using Copier = tile::StreamCopier<along, KExtent, Width>;
  using Narrow = tile::NarrowCopier<narrow, KExtent, slices_of_warp>;
  struct Warp {
    typename Copier::Smem wide;
    typename Narrow::Smem narrow[slices_of_warp];
  };
  const int thread = static_cast<int>(threadIdx.x), warp = thread / 32, lane = thread % 32;
  Warp& smem = reinterpret_cast<Warp*>(arch::dynamic_smem())[warp];
  const tile::StreamMap map{log2_rows};
  Copier copier(wide, slices, map, warp == 1, warp, lane);
  Narrow narrow_copier(narrow_tile, slices, map, warp, lane);
  const int slice = map.slice(thread) - map.slice(warp * 32);
  const bool first_of_slice = lane == 0 || map.slice(thread - 1) != map.slice(thread);
  const auto index = [&](int j, int k) {
    return narrow_copier.along_mn() ? Narrow::index_along_mn(j, k) : Narrow::Smem::index(j, k);
  };
  for (int t = 0; t < slices.most_k_tiles(); ++t) {
    for (int k = 0; k < KExtent; ++k) {
      smem.wide.data[Copier::Smem::index(lane, k)] = not_copied;
      for (int j = 0; first_of_slice && j < narrow; ++j) {
        smem.narrow[slice].data[index(j, k)] = not_copied;
      }
    }
    __syncwarp();
    copier.copy(smem.wide);
    narrow_copier.copy(smem.narrow);
    arch::wait_for_copies();
    __syncwarp();
    for (int k = 0; k < KExtent; ++k) {
      const int at = t * KExtent + k;
      out_wide[thread * out_k + at] = smem.wide.data[Copier::Smem::index(lane, k)];
      for (int j = 0; j < narrow; ++j) {
        out_narrow[(thread * narrow + j) * out_k + at] = smem.narrow[slice].data[index(j, k)];
      }
    }
    __syncwarp();
  }
}

constexpr float value_at(int mn, int k) { return static_cast<float>(1 + mn * 1000 + k); }

// mn x k, ending with its last element, so that a sanitizer sees a read beyond it.
std::vector<float> operand(int mn_extent, int k_extent, Major along, index_t ld) {
  const int lines = along == Major::k ? mn_extent : k_extent;
  const int length = along == Major::k ? k_extent : mn_extent;
  std::vector<float> data(static_cast<std::size_t>((lines - 1) * ld + length), 0.5f);
  for (int mn = 0; mn < mn_extent; ++mn) {
    for (int k = 0; k < k_extent; ++k) {
      data.at(static_cast<std::size_t>(along == Major::k ? mn * ld + k : k * ld + mn)) =
          value_at(mn, k);
    }
  }
  return data;
}

struct Case {
  int rows_left, count, k, log2_slices, ld_extra;
};

// width: of the narrow operand's accesses.
template <Major along, Major narrow_along, int KExtent, int Width>
void expect_copied(const Case& c, int width) {
  const index_t ld = (along == Major::k ? c.k : c.rows_left) + c.ld_extra;
  const index_t narrow_ld = (narrow_along == Major::k ? c.k : c.count) + c.ld_extra;
  const DeviceBuffer<float> wide(operand(c.rows_left, c.k, along, ld));
  const DeviceBuffer<float> narrow_operand(operand(c.count, c.k, narrow_along, narrow_ld));
  const int k_tiles = (c.k + KExtent - 1) / KExtent, slices = 1 << c.log2_slices;
  const int rows = threads >> c.log2_slices;
  int log2_rows = 0;
  while (1 << log2_rows < rows) ++log2_rows;
  const int out_k = (k_tiles + slices - 1) / slices * KExtent;
  DeviceBuffer<float> out_wide(static_cast<std::size_t>(threads * out_k));
  DeviceBuffer<float> out_narrow(static_cast<std::size_t>(threads * narrow * out_k));
  constexpr std::size_t smem =
      warps * sizeof(float) *
      (tile::StreamCopier<along, KExtent, Width>::Smem::floats +
       most_slices_of_warp * tile::SmemTile<narrow, KExtent, Major::k>::floats);
  // With one slice, nothing of it is found anew for each k-tile.
  const auto kernel = rows >= 32 ? &copy_kernel<along, KExtent, Width, 1>
                                 : &copy_kernel<along, KExtent, Width, most_slices_of_warp>;
  run_kernel(kernel, 1, threads, smem, tile::GmemTile{wide.data(), ld, c.rows_left, c.k},
             tile::NarrowTile{narrow_operand.data(), narrow_along == Major::k ? narrow_ld : 1,
                              narrow_along == Major::k ? 1 : narrow_ld, c.count, width},
             tile::SlicedK{c.k, k_tiles, KExtent, c.log2_slices}, log2_rows, out_k, out_wide.data(),
             out_narrow.data());

  const std::vector<float> got_wide = out_wide.to_host(), got_narrow = out_narrow.to_host();
  for (int thread = 0; thread < threads; ++thread) {
    const int row = thread % rows, slice = thread / rows;
    const int first = slice * k_tiles / slices * KExtent;
    const int last = std::min((slice + 1) * k_tiles / slices * KExtent, c.k);
    for (int k = 0; k < out_k; ++k) {
      const bool inside = first + k < last;
      ASSERT_EQ(got_wide[static_cast<std::size_t>(thread * out_k + k)],
                inside && row < c.rows_left ? value_at(row, first + k) : not_copied)
          << "row " << row << ", slice " << slice << ", k " << k << " of " << c.k << ", width "
          << Width;
      for (int j = 0; j < narrow; ++j) {
        ASSERT_EQ(got_narrow[static_cast<std::size_t>((thread * narrow + j) * out_k + k)],
                  inside && j < c.count ? value_at(j, first + k) : not_copied)
            << "narrow " << j << ", slice " << slice << ", k " << k << " of " << c.k;
      }
    }
  }
}

template <int KExtent, int Width>
void expect_copied_either_way(const Case& c) {
  const int of_k = c.k % 4 == 0 && c.ld_extra % 4 == 0 ? 4 : 1;
  expect_copied<Major::k, Major::k, KExtent, Width>(c, of_k);
  expect_copied<Major::mn, Major::k, KExtent, Width>(c, of_k);
  for (const int of_mn : {1, 2, 4}) {  // also narrower ones than could be
    if (c.count % of_mn != 0 || c.ld_extra % of_mn != 0) continue;
    expect_copied<Major::k, Major::mn, KExtent, Width>(c, of_mn);
    expect_copied<Major::mn, Major::mn, KExtent, Width>(c, of_mn);
  }
}

TEST(StreamCopier, WholeTiles) {
  for (int log2_slices = 0; log2_slices <= 3; ++log2_slices) {
    for (const int ld_extra : {0, 4}) {
      const Case c{threads >> log2_slices, narrow, 256, log2_slices, ld_extra};
      expect_copied_either_way<32, 4>(c);
      expect_copied_either_way<8, 4>(c);
      expect_copied_either_way<32, 1>(c);
    }
  }
}

TEST(StreamCopier, ResidueOfMn) {
  for (const int rows : {1, 4, 12, 17}) {
    for (int count = 1; count <= narrow; ++count) {
      const Case c{rows, count, 96, 1, rows % 4};
      if (rows % 4 == 0) expect_copied_either_way<32, 4>(c);
      expect_copied_either_way<32, 1>(c);
    }
  }
}

// Slices of different lengths, the last of which ends inside a k-tile.
TEST(StreamCopier, ResidueOfK) {
  for (const int k : {4, 8, 28, 100, 132, 161, 203, 255}) {
    for (const int log2_slices : {0, 2, 3}) {
      const Case c{8, 2, k, log2_slices, k % 4 == 0 ? 0 : 1};
      if (k % 4 == 0) expect_copied_either_way<32, 4>(c);
      expect_copied_either_way<32, 1>(c);
    }
  }
}

// The largest K: neither the first k of a slice nor the end of the last k-tile overflows.
__global__ void cut_kernel(tile::SlicedK slices, int* first) {
  for (int s = 0; s <= 1 << slices.log2_count; ++s) first[s] = slices.first_k(s);
}

TEST(SlicedK, CutsAsKernelSliceDoes) {
  const int largest = 2147483647;
  for (const int k : {1, 33, 1000, 12345, largest - 40, largest}) {
    for (int log2_count = 0; log2_count <= 5; ++log2_count) {
      const int count = 1 << log2_count;
      const index_t k_tiles = (index_t{k} + 31) / 32;
      DeviceBuffer<int> first(static_cast<std::size_t>(count + 1));
      run_kernel(&cut_kernel, 1, 1, 0, tile::SlicedK{k, static_cast<int>(k_tiles), 32, log2_count},
                 first.data());
      const std::vector<int> got = first.to_host();
      for (index_t s = 0; s <= count; ++s) {
        EXPECT_EQ(got[static_cast<std::size_t>(s)], std::min<index_t>(s * k_tiles / count * 32, k))
            << "slice " << s << " of " << count << ", k " << k;
      }
    }
  }
}

}  // namespace
}  // namespace tessera
