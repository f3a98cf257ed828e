// A test fixture that runs in each order of threads.
#pragma once

#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <string>

#include "launch.hpp"

namespace emulator_test {

class EveryOrder : public testing::TestWithParam<emulator::Order> {
 protected:
  ScopedOrder order_{GetParam()};
};

inline std::string order_name(const testing::TestParamInfo<emulator::Order>& order) {
  if (order.param == emulator::Order::forward) return "forward";
  return order.param == emulator::Order::reverse ? "reverse" : "random";
}

}  // namespace emulator_test
