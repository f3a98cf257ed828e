// What the emulator's tests share: a ring of stages that producer threads fill by cp.async and
// consumer threads empty, with each of its two waits to leave out.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>

namespace emulator_test {

struct Ring {
  static constexpr unsigned int kTile = 64;  // floats: one for each consumer
  static constexpr unsigned int kProducers = 32;
  static constexpr unsigned int kThreads = kTile + kProducers;

  unsigned int stages;
  unsigned int tiles;
  bool producers_last = true;  // in the order of threads
  bool full_wait = true;
  bool empty_wait = true;

  std::size_t shared_bytes() const { return stages * (kTile * sizeof(float) + 2 * 8); }
};

// out[tile][i] = in[tile][(i + 1) % kTile], for every block. (A function of its own in any case:
// ThreadSanitizer's report then names its caller.)
__global__ __noinline__ inline void ring(const float* in, float* out, Ring shape) {
  constexpr unsigned int kTile = Ring::kTile, kProducers = Ring::kProducers;
  float* const tiles = reinterpret_cast<float*>(emulator::dynamic_shared());
  unsigned char* const barriers = emulator::dynamic_shared() + shape.stages * kTile * sizeof(float);
  const auto full = [&](unsigned int stage) { return barriers + 16 * stage; };
  const auto empty = [&](unsigned int stage) { return barriers + 16 * stage + 8; };
  if (threadIdx.x < shape.stages) {
    emulator::barrier_init(full(threadIdx.x), kProducers);
    emulator::barrier_init(empty(threadIdx.x), kTile / 32);
  }
  __syncthreads();
  const bool produces = shape.producers_last ? threadIdx.x >= kTile : threadIdx.x < kProducers;
  const unsigned int first =
      produces ? (shape.producers_last ? kTile : 0) : (shape.producers_last ? 0 : kProducers);
  const unsigned int self = threadIdx.x - first;
  for (unsigned int tile = 0; tile < shape.tiles; ++tile) {
    const unsigned int stage = tile % shape.stages, parity = tile / shape.stages % 2;
    float* const at = tiles + stage * kTile;
    if (produces) {
      if (shape.empty_wait) emulator::barrier_wait(empty(stage), parity ^ 1u);
      for (unsigned int i = self; i < kTile; i += kProducers) {
        emulator::cp_async(at + i, in + tile * kTile + i, 4, 4);
      }
      emulator::barrier_arrive_after_copies(full(stage));
    } else {
      if (shape.full_wait) emulator::barrier_wait(full(stage), parity);
      out[(blockIdx.x * shape.tiles + tile) * kTile + self] = at[(self + 1) % kTile];
      __syncwarp();
      if (self % 32 == 0) emulator::barrier_arrive(empty(stage));
    }
  }
}

}  // namespace emulator_test
