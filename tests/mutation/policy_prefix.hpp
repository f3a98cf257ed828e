// What policy_under_test.cu includes and no mutant changes; precompiled.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <iosfwd>
#include <span>
#include <string_view>
#include <type_traits>
