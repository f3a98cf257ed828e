// How many blocks a cluster may have. Plain C++, for the plan.
#pragma once

namespace tessera::arch {

// Every chip with clusters takes so many.
inline constexpr int max_cluster = 8;

}  // namespace tessera::arch
