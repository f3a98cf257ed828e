// CublasSgemm: cuBLAS's SGEMM behind the views of this project, as the baseline of tests and bench.
//
// How a row-major product is asked of a column-major library. cuBLAS knows only column-major
// matrices. A row-major r x c matrix, read column-major with the same ld, is its c x r transpose:
// same bytes, other name. So where C is row-major, cuBLAS is asked for what it sees in C's memory,
//
//     C^T (n x m) = B^T (n x k) * A^T (k x m):  B is the first operand, A the second, m and n swap,
//
// and nothing moves. What is left is whether each operand's memory already reads as the factor that
// is wanted. In a row-major problem the factors wanted are B^T and A^T, which is how row-major B
// and A read: CUBLAS_OP_N; a column-major operand reads as itself and must be transposed:
// CUBLAS_OP_T. In a column-major problem it is the other way round, with A first and no swap. Both
// cases are one rule: an operand in C's layout is CUBLAS_OP_N, one in the other layout is
// CUBLAS_OP_T.
#pragma once

#include <cublas_v2.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>

#include "tests/support/any_view.hpp"

namespace tessera::support {

class CublasSgemm {
 public:
  // Pedantic by default: FP32 products and sums, no TF32, no other substitute.
  explicit CublasSgemm(cublasMath_t math_mode = CUBLAS_PEDANTIC_MATH) {
    cublasHandle_t handle = nullptr;
    check(cublasCreate(&handle), "cublasCreate");
    handle_.reset(handle);
    check(cublasSetMathMode(handle, math_mode), "cublasSetMathMode");
  }

  // C = alpha * A * B + beta * C on `stream`, with the extents that a, b and c state.
  cublasStatus_t operator()(float alpha, const AnyView<const float>& a,
                            const AnyView<const float>& b, float beta, const AnyView<float>& c,
                            cudaStream_t stream) const {
    if (const cublasStatus_t status = cublasSetStream(handle_.get(), stream);
        status != CUBLAS_STATUS_SUCCESS) {
      return status;
    }
    // cublasSetStream has taken the workspace back.
    if (const cublasStatus_t status =
            workspace_bytes_ > 0 ? cublasSetWorkspace(handle_.get(), workspace_, workspace_bytes_)
                                 : CUBLAS_STATUS_SUCCESS;
        status != CUBLAS_STATUS_SUCCESS) {
      return status;
    }
    const auto op = [&](const AnyView<const float>& operand) {
      return operand.layout == c.layout ? CUBLAS_OP_N : CUBLAS_OP_T;
    };
    const bool swap = c.layout == Layout::row;
    const AnyView<const float>& first = swap ? b : a;
    const AnyView<const float>& second = swap ? a : b;
    return cublasSgemm_64(handle_.get(), op(first), op(second), swap ? c.cols : c.rows,
                          swap ? c.rows : c.cols, a.cols, &alpha, first.data, first.ld, second.data,
                          second.ld, &beta, c.data, c.ld);
  }

  // Device memory that stays the caller's. A call that is captured into a graph needs it: cuBLAS
  // would put an allocation into the graph otherwise.
  void use_workspace(void* data, std::size_t bytes) {
    workspace_ = data;
    workspace_bytes_ = bytes;
  }

  // 10000 * major + 100 * minor + patch.
  int version() const {
    int version = 0;
    check(cublasGetVersion(handle_.get(), &version), "cublasGetVersion");
    return version;
  }

 private:
  static void check(cublasStatus_t status, const char* call) {
    if (status == CUBLAS_STATUS_SUCCESS) return;
    throw std::runtime_error(std::string(call) + ": " + cublasGetStatusString(status));
  }

  struct Destroy {
    void operator()(cublasHandle_t handle) const { cublasDestroy(handle); }
  };
  std::unique_ptr<std::remove_pointer_t<cublasHandle_t>, Destroy> handle_;
  void* workspace_ = nullptr;
  std::size_t workspace_bytes_ = 0;
};

}  // namespace tessera::support
