// The epilogue alpha * acc + beta * C: from the accumulators in registers to C in gmem.
#pragma once

#include "../arch/math.cuh"
#include "../arch/vector_access.cuh"
#include "../matrix_view.hpp"

namespace tessera::epilogue {

// One operand of the epilogue: the block's tile of C (row-major) in gmem.
struct OutputTile {
  float* data;  // element (0, 0) of the block tile
  index_t ld;
  int m_left, n_left;  // rows and columns of C from there on

  // Whether accesses of so many floats, one after the other along n, fit every line.
  template <int Width>
  [[nodiscard]] __device__ __forceinline__ bool allows() const {
    return arch::is_aligned<Width>(data) && ld % Width == 0 && n_left % Width == 0;
  }
};

struct LinearCombination {
  float alpha, beta;

  // acc as it is, where it goes elsewhere than to C.
  __device__ __forceinline__ void leave_unchanged_if(bool elsewhere) {
    alpha = elsewhere ? 1.0f : alpha;
    beta = elsewhere ? 0.0f : beta;
  }

  // beta == 0 ? alpha * acc : fma(alpha, acc, beta * c), each operation rounded once.
  __device__ __forceinline__ float with_c(float acc, float c) const {
    return arch::fma(alpha, acc, arch::mul(beta, c));
  }
  __device__ __forceinline__ float without_c(float acc) const { return arch::mul(alpha, acc); }

  // This call is equivalent to: for (i, j) c(row(i), col(j)) = f(acc[i][j], c(row(i), col(j))), for
  // the elements inside C only. C is read only if beta != 0. Width: floats per access of C.
  template <int Width, bool Guarded, int thread_m, int thread_n, class Map>
  __device__ __forceinline__ void operator()(const float (&acc)[thread_m][thread_n], const Map& map,
                                             const OutputTile& c) const {
    if (arch::is_zero(beta)) {
      for_each_access<Width, Guarded>(
          acc, map, c, [this](float* out, const float* sum) { overwrite<Width>(out, sum); });
    } else {
      for_each_access<Width, Guarded>(
          acc, map, c, [this](float* out, const float* sum) { combine<Width>(out, sum); });
    }
  }

  // This call is equivalent to: for (v < Width) c[v] = f(acc[v], c[v]).
  template <int Width>
  __device__ __forceinline__ void apply(float* c, const float* acc) const {
    if (arch::is_zero(beta)) {
      overwrite<Width>(c, acc);
    } else {
      combine<Width>(c, acc);
    }
  }

 private:
  template <int Width>
  __device__ __forceinline__ void overwrite(float* c, const float* acc) const {
    float out[Width];
#pragma unroll
    for (int v = 0; v < Width; ++v) out[v] = without_c(acc[v]);
    arch::reg_to_mem<Width>(c, out);
  }
  template <int Width>
  __device__ __forceinline__ void combine(float* c, const float* acc) const {
    float out[Width];
    arch::mem_to_reg<Width>(out, c);
#pragma unroll
    for (int v = 0; v < Width; ++v) out[v] = with_c(acc[v], out[v]);
    arch::reg_to_mem<Width>(c, out);
  }

  // f(c, acc) for each access of this thread that is inside C.
  template <int Width, bool Guarded, int thread_m, int thread_n, class Map, class Function>
  __device__ __forceinline__ static void for_each_access(const float (&acc)[thread_m][thread_n],
                                                         const Map& map, const OutputTile& c,
                                                         Function f) {
#pragma unroll
    for (int i = 0; i < thread_m; ++i) {
      if (Guarded && map.row(i) >= c.m_left) continue;
      float* row = c.data + map.row(i) * c.ld;
#pragma unroll
      for (int j = 0; j < thread_n; j += Width) {
        // n is whole accesses (the plan sees to it): an access is inside or not.
        if (Guarded && map.col(j) >= c.n_left) continue;
        f(row + map.col(j), &acc[i][j]);
      }
    }
  }
};

}  // namespace tessera::epilogue
