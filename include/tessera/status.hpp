// Status: what gemm() and plan() have to say about a call. A small value; the library never throws.
#pragma once

namespace tessera {

enum class Reason {
  ok,
  negative_size,       // rows or cols below zero
  invalid_ld,          // ld below max(1, contiguous extent)
  shape_mismatch,      // A is m x k, B must be k x n and C m x n
  size_limit,          // an extent above 2^31 - 1, or a view that spans 2^63 bytes or more
  null_pointer,        // data is needed and the pointer is null
  misaligned_pointer,  // not a multiple of sizeof(float)
  cuda_error           // the CUDA runtime refused the launch: see cuda_error()
};

// The matrix a refusal is about; `none` when it is about the call as a whole.
enum class Operand { none, a, b, c };

class [[nodiscard]] Status {
 public:
  constexpr Status() = default;
  constexpr Status(Reason reason, Operand operand) : reason_(reason), operand_(operand) {}

  // `code` is a cudaError_t and `text` its cudaGetErrorString, which has static storage duration.
  // (Kept as an int, so that this header needs no CUDA header.)
  [[nodiscard]] static constexpr Status from_cuda(int code, const char* text) {
    Status status(Reason::cuda_error, Operand::none);
    status.cuda_error_ = code;
    status.cuda_text_ = text;
    return status;
  }

  [[nodiscard]] constexpr bool ok() const { return reason_ == Reason::ok; }
  [[nodiscard]] constexpr explicit operator bool() const { return ok(); }
  [[nodiscard]] constexpr Reason reason() const { return reason_; }
  [[nodiscard]] constexpr Operand operand() const { return operand_; }
  // The cudaError_t behind Reason::cuda_error, else 0 (cudaSuccess).
  [[nodiscard]] constexpr int cuda_error() const { return cuda_error_; }

  // One sentence; static storage duration.
  [[nodiscard]] constexpr const char* message() const {
    switch (reason_) {
      case Reason::ok:
        return "success";
      case Reason::negative_size:
        return of("A has a negative extent", "B has a negative extent", "C has a negative extent");
      case Reason::invalid_ld:
        return of("the leading dimension of A is below max(1, its contiguous extent)",
                  "the leading dimension of B is below max(1, its contiguous extent)",
                  "the leading dimension of C is below max(1, its contiguous extent)");
      case Reason::shape_mismatch:
        return of("A's extents do not fit", "B must have as many rows as A has columns",
                  "C must have A's rows and B's columns");
      case Reason::size_limit:
        return of("A has an extent above 2^31 - 1 or spans 2^63 bytes",
                  "B has an extent above 2^31 - 1 or spans 2^63 bytes",
                  "C has an extent above 2^31 - 1, spans 2^63 bytes or needs over 2^31 - 1 tiles");
      case Reason::null_pointer:
        return of("A is null and its data is needed", "B is null and its data is needed",
                  "C is null and its data is needed");
      case Reason::misaligned_pointer:
        return of("A's pointer is not a multiple of sizeof(float)",
                  "B's pointer is not a multiple of sizeof(float)",
                  "C's pointer is not a multiple of sizeof(float)");
      case Reason::cuda_error:
        return cuda_text_;
    }
    return "unknown reason";
  }

  friend constexpr bool operator==(const Status& x, const Status& y) {
    return x.reason_ == y.reason_ && x.operand_ == y.operand_ && x.cuda_error_ == y.cuda_error_;
  }

 private:
  [[nodiscard]] constexpr const char* of(const char* a, const char* b, const char* c) const {
    return operand_ == Operand::a ? a : operand_ == Operand::b ? b : c;
  }

  Reason reason_ = Reason::ok;
  Operand operand_ = Operand::none;
  int cuda_error_ = 0;
  const char* cuda_text_ = "";
};

}  // namespace tessera
