// Host emulator: the limits of the device that it plays, those of an sm_90 part.
#pragma once

#include <cstddef>

namespace emulator::limits {

inline constexpr unsigned int kBlockThreads = 1024;
inline constexpr unsigned int kClusterBlocks = 8;
inline constexpr unsigned int kBlockX = 1024;
inline constexpr unsigned int kBlockY = 1024;
inline constexpr unsigned int kBlockZ = 64;
inline constexpr unsigned int kGridX = 0x7fffffff;
inline constexpr unsigned int kGridY = 65535;
inline constexpr unsigned int kGridZ = 65535;

inline constexpr std::size_t kSharedPerBlock = 48 * 1024;
inline constexpr std::size_t kSharedPerBlockOptin = 227 * 1024;
inline constexpr std::size_t kSharedPerMultiprocessor = 228 * 1024;
inline constexpr std::size_t kSharedReserved = 1024;

inline constexpr int kRegisters = 65536;
inline constexpr int kThreadsPerMultiprocessor = 2048;
inline constexpr int kBlocksPerMultiprocessor = 32;
inline constexpr int kL2Bytes = 50 * 1024 * 1024;
inline constexpr int kDriverVersion = 12030;  // of CUDA 12.3
inline constexpr int kMajor = 9;
inline constexpr int kMinor = 0;

}  // namespace emulator::limits
