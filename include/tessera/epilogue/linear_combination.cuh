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
};

struct LinearCombination {
  float alpha, beta;

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
#pragma unroll
    for (int i = 0; i < thread_m; ++i) {
      if (Guarded && map.row(i) >= c.m_left) continue;
      float* row = c.data + map.row(i) * c.ld;
#pragma unroll
      for (int j = 0; j < thread_n; j += Width) {
        // n is whole accesses (the plan sees to it): an access is inside or not.
        if (Guarded && map.col(j) >= c.n_left) continue;
        apply<Width>(row + map.col(j), &acc[i][j]);
      }
    }
  }

 private:
  template <int Width>
  __device__ __forceinline__ void apply(float* c, const float* acc) const {
    float out[Width];
    if (beta == 0.0f) {
#pragma unroll
      for (int v = 0; v < Width; ++v) out[v] = without_c(acc[v]);
    } else {
      arch::mem_to_reg<Width>(out, c);
#pragma unroll
      for (int v = 0; v < Width; ++v) out[v] = with_c(acc[v], out[v]);
    }
    arch::reg_to_mem<Width>(c, out);
  }
};

}  // namespace tessera::epilogue
