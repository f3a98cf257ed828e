// main() of every test that runs kernels. Without a device it says so and returns 77, which ctest
// counts as skipped; it never passes silently.
#include <gtest/gtest.h>

#include <cstdio>

#include "device_present.hpp"

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  if (testing::GTEST_FLAG(list_tests)) return RUN_ALL_TESTS();
#if defined(TESSERA_EMULATOR)
  std::printf("emulated: the kernels run on the CPU\n");
#else
  if (!tessera::support::device_present_else_say("tested")) {
    return tessera::support::exit_no_device;
  }
#endif
  return RUN_ALL_TESTS();
}
