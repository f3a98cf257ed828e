// Host emulator: the functions that CUDA gives to device code.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "../device_launch_parameters.h"
#include "../vector_types.h"
#include "control.h"

// Barriers and fences.
inline void __syncthreads() { emulator::detail::block_barrier(); }
inline void __syncwarp(unsigned int mask = 0xffffffffu) { emulator::detail::warp_barrier(mask); }
inline void __threadfence() { emulator::detail::memory_fence(); }
inline void __threadfence_block() { emulator::detail::memory_fence(); }
inline void __threadfence_system() { emulator::detail::memory_fence(); }
[[noreturn]] inline void __trap() {
  emulator::fail(cudaErrorLaunchFailure, "a thread called __trap()");
}

inline unsigned int __activemask() { return emulator::detail::active_mask(); }

// Warp shuffles. `width` splits the warp into segments of equal size, a power of two.
namespace emulator::detail {

template <class Value>
Value shuffle(unsigned int mask, Value value, unsigned int source) {
  static_assert(std::is_arithmetic_v<Value> && sizeof(Value) <= 8,
                "A shuffle moves an arithmetic value of at most 8 bytes.");
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof value);
  bits = warp_exchange(mask, bits, source);
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

inline unsigned int segment_begin(int width) {
  return lane_id() & ~(static_cast<unsigned int>(width) - 1u);
}

}  // namespace emulator::detail

template <class Value>
Value __shfl_sync(unsigned int mask, Value value, int source, int width = warpSize) {
  const unsigned int offset =
      static_cast<unsigned int>(source) & (static_cast<unsigned int>(width) - 1u);
  return emulator::detail::shuffle(mask, value, emulator::detail::segment_begin(width) + offset);
}

template <class Value>
Value __shfl_up_sync(unsigned int mask, Value value, unsigned int delta, int width = warpSize) {
  const unsigned int lane = emulator::lane_id();
  const bool inside = delta <= lane - emulator::detail::segment_begin(width);
  return emulator::detail::shuffle(mask, value, inside ? lane - delta : lane);
}

template <class Value>
Value __shfl_down_sync(unsigned int mask, Value value, unsigned int delta, int width = warpSize) {
  const unsigned int lane = emulator::lane_id();
  const unsigned int end =
      emulator::detail::segment_begin(width) + static_cast<unsigned int>(width);
  return emulator::detail::shuffle(mask, value, delta < end - lane ? lane + delta : lane);
}

template <class Value>
Value __shfl_xor_sync(unsigned int mask, Value value, int lane_mask, int width = warpSize) {
  const unsigned int lane = emulator::lane_id();
  const unsigned int source = lane ^ static_cast<unsigned int>(lane_mask);
  const unsigned int end =
      emulator::detail::segment_begin(width) + static_cast<unsigned int>(width);
  // Segments before the caller's can be read, those after it cannot.
  return emulator::detail::shuffle(mask, value, source < end ? source : lane);
}

// Loads and stores with cache hints.
template <class Value>
Value __ldg(const Value* address) {
  return *address;
}
template <class Value>
Value __ldcg(const Value* address) {
  return *address;
}
template <class Value>
Value __ldcs(const Value* address) {
  return *address;
}
template <class Value>
void __stcg(Value* address, Value value) {
  *address = value;
}
template <class Value>
void __stcs(Value* address, Value value) {
  *address = value;
}

// Arithmetic with one rounding each. The emulator is compiled with contraction off.
inline float __fmaf_rn(float a, float b, float c) { return std::fmaf(a, b, c); }
inline float __fmaf_ieee_rn(float a, float b, float c) { return std::fmaf(a, b, c); }
inline float __fmul_rn(float a, float b) { return a * b; }
inline float __fadd_rn(float a, float b) { return a + b; }
inline float __fsub_rn(float a, float b) { return a - b; }
inline float __fdiv_rn(float a, float b) { return a / b; }
inline double __fma_rn(double a, double b, double c) { return std::fma(a, b, c); }

// Bits.
inline int __float_as_int(float value) { return std::bit_cast<int>(value); }
inline unsigned int __float_as_uint(float value) { return std::bit_cast<unsigned int>(value); }
inline float __int_as_float(int value) { return std::bit_cast<float>(value); }
inline float __uint_as_float(unsigned int value) { return std::bit_cast<float>(value); }
inline int __popc(unsigned int value) { return std::popcount(value); }
inline int __clz(int value) { return std::countl_zero(static_cast<unsigned int>(value)); }
inline int __ffs(int value) {
  return value == 0 ? 0 : std::countr_zero(static_cast<unsigned int>(value)) + 1;
}

// min and max as CUDA declares them globally. The names are in parentheses because a test may
// have defined macros of these names.
// clang-format off
constexpr int (min)(int a, int b) { return b < a ? b : a; }
constexpr int (max)(int a, int b) { return a < b ? b : a; }
constexpr unsigned int (min)(unsigned int a, unsigned int b) { return b < a ? b : a; }
constexpr unsigned int (max)(unsigned int a, unsigned int b) { return a < b ? b : a; }
constexpr unsigned int (min)(int a, unsigned int b) { return (min)(static_cast<unsigned int>(a), b); }
constexpr unsigned int (max)(int a, unsigned int b) { return (max)(static_cast<unsigned int>(a), b); }
constexpr unsigned int (min)(unsigned int a, int b) { return (min)(a, static_cast<unsigned int>(b)); }
constexpr unsigned int (max)(unsigned int a, int b) { return (max)(a, static_cast<unsigned int>(b)); }
constexpr long (min)(long a, long b) { return b < a ? b : a; }
constexpr long (max)(long a, long b) { return a < b ? b : a; }
constexpr unsigned long (min)(unsigned long a, unsigned long b) { return b < a ? b : a; }
constexpr unsigned long (max)(unsigned long a, unsigned long b) { return a < b ? b : a; }
constexpr long long (min)(long long a, long long b) { return b < a ? b : a; }
constexpr long long (max)(long long a, long long b) { return a < b ? b : a; }
constexpr unsigned long long (min)(unsigned long long a, unsigned long long b) { return b < a ? b : a; }
constexpr unsigned long long (max)(unsigned long long a, unsigned long long b) { return a < b ? b : a; }
inline float (min)(float a, float b) { return std::fmin(a, b); }
inline float (max)(float a, float b) { return std::fmax(a, b); }
inline double (min)(double a, double b) { return std::fmin(a, b); }
inline double (max)(double a, double b) { return std::fmax(a, b); }
// clang-format on

// Atomics, relaxed as in CUDA.
namespace emulator::detail {

template <class Value>
Value atomic_add(Value* address, Value value) {
  if constexpr (std::is_integral_v<Value>) {
    return __atomic_fetch_add(address, value, __ATOMIC_RELAXED);
  } else {
    Value expected;
    __atomic_load(address, &expected, __ATOMIC_RELAXED);
    Value desired = expected + value;
    while (!__atomic_compare_exchange(address, &expected, &desired, false, __ATOMIC_RELAXED,
                                      __ATOMIC_RELAXED)) {
      desired = expected + value;
    }
    return expected;
  }
}

template <class Value>
Value atomic_cas(Value* address, Value compare, Value value) {
  __atomic_compare_exchange_n(address, &compare, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
  return compare;
}

template <class Value>
Value atomic_exchange(Value* address, Value value) {
  return __atomic_exchange_n(address, value, __ATOMIC_RELAXED);
}

}  // namespace emulator::detail

// clang-format off
inline int atomicAdd(int* address, int value) { return emulator::detail::atomic_add(address, value); }
inline unsigned int atomicAdd(unsigned int* address, unsigned int value) { return emulator::detail::atomic_add(address, value); }
inline unsigned long long atomicAdd(unsigned long long* address, unsigned long long value) { return emulator::detail::atomic_add(address, value); }
inline float atomicAdd(float* address, float value) { return emulator::detail::atomic_add(address, value); }
inline double atomicAdd(double* address, double value) { return emulator::detail::atomic_add(address, value); }
inline int atomicCAS(int* address, int compare, int value) { return emulator::detail::atomic_cas(address, compare, value); }
inline unsigned int atomicCAS(unsigned int* address, unsigned int compare, unsigned int value) { return emulator::detail::atomic_cas(address, compare, value); }
inline unsigned long long atomicCAS(unsigned long long* address, unsigned long long compare, unsigned long long value) { return emulator::detail::atomic_cas(address, compare, value); }
inline int atomicExch(int* address, int value) { return emulator::detail::atomic_exchange(address, value); }
inline unsigned int atomicExch(unsigned int* address, unsigned int value) { return emulator::detail::atomic_exchange(address, value); }
inline unsigned long long atomicExch(unsigned long long* address, unsigned long long value) { return emulator::detail::atomic_exchange(address, value); }
// clang-format on

// A counter that moves forward; its unit means nothing.
inline long long clock64() { return emulator::detail::clock(); }
