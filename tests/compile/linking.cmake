# The headers in several units of one program: plain C++, CUDA, through a static library, as
# relocatable device code, in two shared libraries for different chips.

# Every .hpp in two plain C++ units.
set(host_headers ${headers})
list(FILTER host_headers INCLUDE REGEX "[.]hpp$")
list(TRANSFORM host_headers REPLACE "(.+)" "#include <\\1>\n")
string(JOIN "" host_headers ${host_headers})
file(CONFIGURE OUTPUT every_host_header.hpp CONTENT "${host_headers}" @ONLY)
set(link_host ${host})
list(REMOVE_ITEM link_host -fsyntax-only)
add_test(NAME compile.plain_cpp.links
         COMMAND ${link_host} -I${CMAKE_CURRENT_BINARY_DIR}
                 ${CMAKE_CURRENT_SOURCE_DIR}/plain_cpp_main.cpp
                 ${CMAKE_CURRENT_SOURCE_DIR}/plain_cpp_other.cpp
                 -o ${CMAKE_CURRENT_BINARY_DIR}/plain_cpp_links)
set_tests_properties(compile.plain_cpp.links PROPERTIES LABELS compile)

tessera_add_executable(two_units SOURCES two_units_main.cu two_units_other.cu TEST)
tessera_add_library(two_units_library SOURCES two_units_other.cu)
tessera_add_executable(two_units_static SOURCES two_units_main.cu LIBRARIES two_units_library TEST)
tessera_add_executable(two_units_rdc GPU_ONLY SOURCES two_units_main.cu two_units_other.cu TEST)
if(TARGET two_units_rdc)
  set_target_properties(two_units_rdc PROPERTIES CUDA_SEPARABLE_COMPILATION ON)
endif()

if(NOT TESSERA_HAS_CUDA)
  return()
endif()

# Machine code for one chip in each library, and no PTX: of two, a chip runs one at most.
foreach(architecture IN ITEMS 80 90)
  set(library shared_sm${architecture})
  add_library(${library} SHARED shared_library.cu)
  tessera_configure_target(${library} gpu DEFINITIONS TEST_EXPORT=multiply_sm${architecture})
  set_target_properties(${library} PROPERTIES CUDA_ARCHITECTURES ${architecture}-real)
  # What is not inlined needs a symbol: more could leak than in a usual build.
  target_compile_options(${library} PRIVATE -Xcompiler=-fno-inline)
  add_test(NAME compile.exports.sm${architecture}
           COMMAND ${CMAKE_COMMAND} -DNM=${CMAKE_NM} -DLIBRARY=$<TARGET_FILE:${library}>
                   -DEXPORT=multiply_sm${architecture}
                   -P ${CMAKE_CURRENT_SOURCE_DIR}/exported_symbols.cmake)
  set_tests_properties(compile.exports.sm${architecture} PROPERTIES LABELS compile)
endforeach()

add_executable(shared_libraries shared_libraries.cpp)
tessera_configure_target(shared_libraries gpu LIBRARIES CUDA::cudart_static ${CMAKE_DL_LIBS})
add_dependencies(shared_libraries shared_sm80 shared_sm90)
set(sm80 80 $<TARGET_FILE:shared_sm80>)
set(sm90 90 $<TARGET_FILE:shared_sm90>)
tessera_add_tests(shared_libraries shared_libraries.sm80_first 1 LABELS gpu ARGUMENTS ${sm80} ${sm90})
tessera_add_tests(shared_libraries shared_libraries.sm90_first 1 LABELS gpu ARGUMENTS ${sm90} ${sm80})
