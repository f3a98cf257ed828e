# Set-up of the top-level build: the CUDA language, the GPU, warnings, and the helper functions.
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()
set(CMAKE_CXX_EXTENSIONS OFF)

option(TESSERA_EMULATED "Build the twins that run kernels on the CPU" ON)
option(TESSERA_WERROR "Treat warnings as errors" OFF)
option(TESSERA_CUDA_UNOPTIMISED "Compile device code as quickly as nvcc can: where none of it runs"
       OFF)

# The GPU of this machine, as nvidia-smi names it: "NVIDIA H200" -> nvidia-h200. Empty without one.
execute_process(COMMAND nvidia-smi --query-gpu=name --format=csv,noheader
                OUTPUT_VARIABLE gpu_names RESULT_VARIABLE smi_result ERROR_QUIET)
set(TESSERA_GPU_NAME "")
if(smi_result EQUAL 0 AND gpu_names MATCHES "^([^\n]+)")
  string(STRIP "${CMAKE_MATCH_1}" TESSERA_GPU_NAME)
  string(TOLOWER "${TESSERA_GPU_NAME}" TESSERA_GPU_NAME)
  string(REGEX REPLACE "[^a-z0-9]+" "-" TESSERA_GPU_NAME "${TESSERA_GPU_NAME}")
endif()

# The CUDA language. TESSERA_HAS_CUDA says whether nvcc compiles the GPU flavour of every target.
set(TESSERA_HAS_CUDA OFF)
if(NOT TESSERA_CUDA STREQUAL "OFF")
  if(NOT CMAKE_CUDA_COMPILER AND NOT DEFINED ENV{CUDACXX} AND CUDAToolkit_NVCC_EXECUTABLE)
    set(ENV{CUDACXX} ${CUDAToolkit_NVCC_EXECUTABLE})  # found off PATH
  endif()
  if(NOT CMAKE_CUDA_ARCHITECTURES)
    # `native` fails where there is no GPU, and means 90 on Hopper, where the warps of `pipelined`
    # share registers only if built for 90a. Hopper is the chip of the published results.
    if(TESSERA_GPU_NAME AND NOT TESSERA_GPU_NAME MATCHES "nvidia-(h100|h200|h800|h20|gh200)")
      set(architectures native)
    else()
      set(architectures 90a)
    endif()
    set(CMAKE_CUDA_ARCHITECTURES ${architectures} CACHE STRING "CUDA architectures" FORCE)
  endif()
  include(CheckLanguage)
  check_language(CUDA)
  if(CMAKE_CUDA_COMPILER)
    enable_language(CUDA)
    if(CMAKE_CUDA_COMPILER_VERSION VERSION_GREATER_EQUAL 12.0)
      set(TESSERA_HAS_CUDA ON)
    endif()
  endif()
  if(TESSERA_CUDA STREQUAL "ON" AND NOT TESSERA_HAS_CUDA)
    message(FATAL_ERROR "TESSERA_CUDA=ON, but there is no working CUDA compiler, 12.0 or newer")
  endif()
endif()
# nvcc's flag for device code that nobody runs: one call of the default gemm compiles in 4 s instead
# of 15. Older ones than 12.9 do not know it.
set(TESSERA_unoptimised)
if(TESSERA_HAS_CUDA)
  find_package(CUDAToolkit REQUIRED)
  if(CMAKE_CUDA_COMPILER_ID STREQUAL "NVIDIA")
    execute_process(COMMAND ${CMAKE_CUDA_COMPILER} --help OUTPUT_VARIABLE nvcc_help ERROR_QUIET)
    if(nvcc_help MATCHES "--Ofast-compile")
      set(TESSERA_unoptimised --Ofast-compile=max)
    endif()
  endif()
  set(cuda_summary "nvcc ${CMAKE_CUDA_COMPILER_VERSION} for ${CMAKE_CUDA_ARCHITECTURES}")
else()
  set(cuda_summary "none, emulator only")
endif()
if(TESSERA_GPU_NAME)
  set(gpu_summary ${TESSERA_GPU_NAME})
else()
  set(gpu_summary "none")
endif()
message(STATUS "Tessera: CUDA ${cuda_summary}; GPU ${gpu_summary}")

include(cmake/tessera_targets.cmake)
include(cmake/tessera_dependencies.cmake)
