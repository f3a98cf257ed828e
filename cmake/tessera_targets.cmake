# Targets in two flavours: `<name>`, compiled by nvcc, and `<name>_emulated`, whose kernels run on
# the CPU.

set(host_warnings -Wall -Wextra -Wshadow -Wconversion)
set(cuda_warnings -Xcompiler=-Wall,-Wextra)
if(TESSERA_WERROR)
  list(APPEND host_warnings -Werror)
  list(APPEND cuda_warnings -Xcompiler=-Werror "SHELL:-Werror all-warnings")
endif()
set(cuda_options ${cuda_warnings})
if(TESSERA_CUDA_UNOPTIMISED)
  # Not as relocatable device code: what is not inlined may take more registers than its kernel has,
  # which the device linker refuses.
  list(APPEND cuda_options
       $<$<NOT:$<BOOL:$<TARGET_PROPERTY:CUDA_SEPARABLE_COMPILATION>>>:${TESSERA_unoptimised}>)
endif()

# What all targets share; the flavour is gpu, emulated or host. A library L is L_emulated in the
# emulated flavour, where there is such a target.
function(tessera_configure_target target flavour)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "" "LIBRARIES;DEFINITIONS")
  target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:${host_warnings}>)
  target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:${cuda_options}>)
  target_compile_definitions(${target} PRIVATE ${arg_DEFINITIONS})
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR})
  foreach(library IN LISTS arg_LIBRARIES)
    if(flavour STREQUAL "emulated" AND TARGET ${library}_emulated)
      set(library ${library}_emulated)
    endif()
    target_link_libraries(${target} PUBLIC ${library})
  endforeach()
  if(flavour STREQUAL "gpu")
    target_link_libraries(${target} PRIVATE tessera)
  else()
    # `tessera` would bring the toolkit's headers: the emulator has its own, plain C++ has none.
    target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/include)
    target_compile_features(${target} PRIVATE cxx_std_20)
  endif()
endfunction()

# tessera_without_kernels(<file>...): of these sources of the current folder, those that hold no
# kernels are C++ in the GPU flavour, too, which takes 2 s a file where nvcc takes 8.
function(tessera_without_kernels)
  foreach(source IN LISTS ARGN)
    file(STRINGS ${source} kernels REGEX "__global__|include.*[.]cuh")
    if(NOT kernels)
      set_source_files_properties(${source} PROPERTIES LANGUAGE CXX)
    endif()
  endforeach()
endfunction()

# tessera_add_library(<name> SOURCES <file>... [LIBRARIES <target>...] [DEFINITIONS <macro>...]):
# a static library in both flavours.
function(tessera_add_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LIBRARIES;DEFINITIONS")
  set(shared LIBRARIES ${arg_LIBRARIES} DEFINITIONS ${arg_DEFINITIONS})
  if(TESSERA_HAS_CUDA)
    add_library(${name} STATIC ${arg_SOURCES})
    tessera_configure_target(${name} gpu ${shared})
  endif()
  if(TESSERA_EMULATED)
    add_library(${name}_emulated STATIC)
    tessera_emulated_sources(${name}_emulated ${arg_SOURCES})
    tessera_configure_target(${name}_emulated emulated ${shared})
  endif()
endfunction()

# tessera_add_executable(<name> SOURCES <file>... [LIBRARIES <target>...] [GPU_LIBRARIES ...]
#                        [DEFINITIONS <macro>...] [GPU_ONLY | EMULATED_ONLY | HOST_ONLY]
#                        [TEST [ARGUMENTS <argument>...] [SHARDS <n>] [ORDERS]])
#
# GPU_LIBRARIES are linked to the GPU flavour only. HOST_ONLY: plain C++, one flavour, <name>.
# TEST registers with ctest. SHARDS: so many ctest entries share a GoogleTest suite. ORDERS: the
# emulated suite again with the threads of a block in reverse and in random order.
function(tessera_add_executable name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "GPU_ONLY;EMULATED_ONLY;HOST_ONLY;TEST;ORDERS" "SHARDS"
                        "SOURCES;LIBRARIES;GPU_LIBRARIES;DEFINITIONS;ARGUMENTS")
  if(NOT arg_SHARDS)
    set(arg_SHARDS 1)
  endif()
  set(shared DEFINITIONS ${arg_DEFINITIONS} LIBRARIES ${arg_LIBRARIES})
  set(tests ${arg_SHARDS} ARGUMENTS ${arg_ARGUMENTS} LABELS)

  if(arg_HOST_ONLY)
    add_executable(${name} ${arg_SOURCES})
    tessera_configure_target(${name} host ${shared})
    if(arg_TEST)
      tessera_add_tests(${name} ${name} ${tests} host)
    endif()
    return()
  endif()

  if(TESSERA_HAS_CUDA AND NOT arg_EMULATED_ONLY)
    add_executable(${name} ${arg_SOURCES})
    tessera_configure_target(${name} gpu ${shared})
    target_link_libraries(${name} PRIVATE ${arg_GPU_LIBRARIES})
    if(arg_TEST)
      tessera_add_tests(${name} ${name} ${tests} gpu)
    endif()
  endif()

  if(TESSERA_EMULATED AND NOT arg_GPU_ONLY)
    set(twin ${name}_emulated)
    add_executable(${twin})
    tessera_emulated_sources(${twin} ${arg_SOURCES})
    tessera_configure_target(${twin} emulated ${shared})
    if(arg_TEST)
      tessera_add_tests(${twin} ${twin} ${tests} emulated)
      if(arg_ORDERS)
        # Grids and offsets are what they are in any order; a tail has its own suite in every order.
        foreach(order IN ITEMS reverse random)
          tessera_add_tests(${twin} ${twin}.${order} ${tests} emulated order
                            ENVIRONMENT TESSERA_EMULATOR_ORDER=${order}
                                        GTEST_FILTER=-*LargeOffsets*:TailOfPipelined.*)
        endforeach()
      endif()
    endif()
  endif()
endfunction()

# ctest entries of a GoogleTest executable. Its exit code 77 means "skipped": no GPU here.
function(tessera_add_tests target name shards)
  cmake_parse_arguments(PARSE_ARGV 3 arg "" "" "ARGUMENTS;LABELS;ENVIRONMENT")
  math(EXPR last "${shards} - 1")
  foreach(shard RANGE ${last})
    set(test ${name})
    if(shards GREATER 1)
      string(APPEND test .${shard})
    endif()
    add_test(NAME ${test} COMMAND ${target} ${arg_ARGUMENTS})
    set_tests_properties(
      ${test}
      PROPERTIES LABELS "${arg_LABELS}" SKIP_RETURN_CODE 77 TIMEOUT 600
                 ENVIRONMENT
                 "${arg_ENVIRONMENT};GTEST_TOTAL_SHARDS=${shards};GTEST_SHARD_INDEX=${shard}")
  endforeach()
endfunction()
