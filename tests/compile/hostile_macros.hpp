// Macros whose expansion is an error wherever the library's own text uses their names. Standard and
// CUDA headers come first: they are not what is tested, and some use these names themselves. (`I`
// is not among them: <complex.h> has it, and code that includes that knows.)
#pragma once

#if defined(__CUDACC__) || defined(TESSERA_EMULATOR)
#include <cuda_runtime.h>
#endif
#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <type_traits>

#define A (clash with a macro)
#define B (clash with a macro)
#define C (clash with a macro)
#define H (clash with a macro)
#define I_ (clash with a macro)
#define K (clash with a macro)
#define M (clash with a macro)
#define N (clash with a macro)
#define S (clash with a macro)
#define T (clash with a macro)
#define W (clash with a macro)
#define X (clash with a macro)
#define Y (clash with a macro)
#define Z (clash with a macro)
#define BM (clash with a macro)
#define BN (clash with a macro)
#define BK (clash with a macro)
#define TM (clash with a macro)
#define TN (clash with a macro)
#define WM (clash with a macro)
#define WN (clash with a macro)
#define min(x, y) (clash with a macro)
#define max(x, y) (clash with a macro)
