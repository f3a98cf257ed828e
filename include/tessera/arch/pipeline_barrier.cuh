// PipelineBarrier: a barrier in smem (mbarrier, sm_80 and newer) at which some threads arrive and
// others wait, so that who brings tiles and who multiplies them need not stand still together.
#pragma once

#include "compiler.cuh"

namespace tessera::arch {

// A phase is complete when `count` arrivals were made and the bytes that it expects are there; then
// the next one begins. Phases alternate in parity, the first one has 0.
class PipelineBarrier {
 public:
  // By one thread; a barrier of the block makes it visible.
  __device__ __forceinline__ void init(int count) {
#if defined(TESSERA_EMULATOR)
    ::emulator::barrier_init(&state_, static_cast<unsigned>(count));
#elif defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(address()), "r"(count) : "memory");
#endif
  }

  // Arrives: what this thread did before is done for those who wait.
  __device__ __forceinline__ void arrive() {
#if defined(TESSERA_EMULATOR)
    ::emulator::barrier_arrive(&state_);
#elif defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    asm volatile("{ .reg .b64 state; mbarrier.arrive.shared.b64 state, [%0]; }" ::"r"(address())
                 : "memory");
#endif
  }

  // Arrives when the copies that this thread has issued so far are done.
  __device__ __forceinline__ void arrive_after_copies() {
#if defined(TESSERA_EMULATOR)
    ::emulator::barrier_arrive_after_copies(&state_);
#elif defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(address()) : "memory");
#endif
  }

  // The current phase is not complete before so many bytes of tensor copies are there. By a thread
  // that has yet to arrive.
  __device__ __forceinline__ void expect(int bytes) {
#if defined(TESSERA_EMULATOR)
    ::emulator::barrier_expect(&state_, static_cast<unsigned>(bytes));
#elif defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(address()),
                 "r"(bytes)
                 : "memory");
#endif
  }

  // Until the phase of that parity is complete. Before the first phase, parity 1 is.
  __device__ __forceinline__ void wait(unsigned parity) {
#if defined(TESSERA_EMULATOR)
    ::emulator::barrier_wait(&state_, parity);
#elif defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile(
        "{ .reg .pred done;\n"
        "retry_%=: mbarrier.try_wait.parity.shared.b64 done, [%0], %1;\n"
        "@!done bra retry_%=; }" ::"r"(address()),
        "r"(parity)
        : "memory");
#elif defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    asm volatile(
        "{ .reg .pred done;\n"
        "retry_%=: mbarrier.test_wait.parity.shared.b64 done, [%0], %1;\n"
        "@!done bra retry_%=; }" ::"r"(address()),
        "r"(parity)
        : "memory");
#endif
  }

#if !defined(TESSERA_EMULATOR)
  // In the window of shared memory.
  __device__ __forceinline__ unsigned address() {
    return static_cast<unsigned>(__cvta_generic_to_shared(&state_));
  }
#endif

 private:
  unsigned long long state_;
};

// __syncthreads() of all `threads` threads of the block, which may come from different places of
// the code.
template <int threads>
__device__ __forceinline__ void block_barrier() {
#if defined(TESSERA_EMULATOR)
  __syncthreads();
#elif defined(__CUDA_ARCH__)
  asm volatile("barrier.sync 1, %0;" ::"n"(threads) : "memory");
#endif
}

}  // namespace tessera::arch
