// The emulator's headers behind macros that users are known to define.
#include <algorithm>
#include <bit>
#include <cmath>
#include <memory>
#include <string>
#include <utility>

#define M garbage here
#define N garbage here
#define K garbage here
#define A garbage here
#define B garbage here
#define C garbage here
#define T garbage here
#define X garbage here
#define Z garbage here
#define BM garbage here
#define BN garbage here
#define min(a, b) garbage here
#define max(a, b) garbage here
#include <cuda_runtime.h>
#undef min
#undef max

static_assert(min(2, 3) == 2 && max(2u, 3u) == 3u);
