// The kernels of one library policy, TESSERA_POLICY: every variant that gemm() compiles for the
// four layout pairs of A and B. (A column-major C runs these same kernels, exchanged.)
#include <tessera/gemm.cuh>

namespace tessera {

using Policy = policy::TESSERA_POLICY;

template <class LA, class LB>
using Gemm = Status (*)(float, MatrixView<const float, LA>, MatrixView<const float, LB>, float,
                        MatrixView<float, RowMajor>, cudaStream_t);

extern const Gemm<RowMajor, RowMajor> row_row = &gemm<Policy>;
extern const Gemm<RowMajor, ColMajor> row_col = &gemm<Policy>;
extern const Gemm<ColMajor, RowMajor> col_row = &gemm<Policy>;
extern const Gemm<ColMajor, ColMajor> col_col = &gemm<Policy>;

// Tells ptxas's log, by its name, how much dynamic shared memory the plan asks for.
template <int bytes>
__global__ void dynamic_smem() {}
template __global__ void dynamic_smem<smem_bytes(Policy::config)>();

}  // namespace tessera
