// A user's policy, of the configuration and mainloop that the command line names.
#include <tessera/gemm.cuh>

using namespace tessera;

constexpr TileConfig base{.threads = {16, 16},
                          .lanes = {4, 8},
                          .thread_tile = {1, 1},
                          .k_tile = {8},
                          .vec_width = {1},
                          .a_smem = {Major::k},
                          .stages = {1},
                          .min_blocks = {2}};

// A mainloop that lays out more shared memory than the plan asks for.
namespace tessera::mainloop {
template <class Variant>
struct larger_storage : single_stage<Variant> {
  struct SharedStorage : single_stage<Variant>::SharedStorage {
    float more[4];
  };
};
template <class Variant>
struct larger_stream : streamed<Variant> {
  struct SharedStorage : streamed<Variant>::SharedStorage {
    float more[1024];
  };
};
}  // namespace tessera::mainloop

struct candidate {
  static constexpr TileConfig config = TEST_CONFIG;
  template <class Variant>
  using mainloop = tessera::mainloop::TEST_MAINLOOP<Variant>;
};

Status multiply(const float* a, const float* b, float* c) {
  return gemm<candidate>(1.0f, row_major(a, 8, 8), row_major(b, 8, 8), 0.0f, row_major(c, 8, 8));
}
