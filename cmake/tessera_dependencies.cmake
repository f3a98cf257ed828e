# GoogleTest and Google Benchmark: the installed packages, else their sources from the network.
include(FetchContent)

if(TESSERA_BUILD_TESTS)
  set(INSTALL_GTEST OFF)
  FetchContent_Declare(
    googletest URL https://github.com/google/googletest/archive/refs/tags/v1.14.0.tar.gz
    FIND_PACKAGE_ARGS NAMES GTest)
  FetchContent_MakeAvailable(googletest)
endif()

if(TESSERA_BUILD_BENCH AND TESSERA_HAS_CUDA)
  set(BENCHMARK_ENABLE_TESTING OFF)
  set(BENCHMARK_ENABLE_INSTALL OFF)
  FetchContent_Declare(
    benchmark URL https://github.com/google/benchmark/archive/refs/tags/v1.8.3.tar.gz
    FIND_PACKAGE_ARGS)
  FetchContent_MakeAvailable(benchmark)
endif()
