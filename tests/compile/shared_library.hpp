// What a shared library of the test exports: one product, and what gemm() said.
#pragma once

// A Status across a C boundary.
struct Outcome {
  bool ok;
  int cuda_error;
  const char* message;
};

// C (2 x 2) = A (2 x 3) * B (3 x 2), row-major, in device memory.
using Multiply = Outcome(const float* a, const float* b, float* c);
