# Compiles CUDA sources as C++ against the host emulator.
#
#   tessera_emulated_executable(<target> SOURCES <source>...)
#     An executable from .cu and .cpp sources.
#   tessera_emulated_sources(<target> <source>...)
#     Adds sources to an existing target and links it with the emulator.
#
# A .cu source keeps its language, because another target of the same build may give it to nvcc:
# what is compiled here is a generated file of one line that includes it. Diagnostics name the
# .cu file, and dependency scanning sees it.

function(tessera_emulated_sources target)
  foreach(source IN LISTS ARGN)
    cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} NORMALIZE)
    cmake_path(GET source EXTENSION LAST_ONLY extension)
    if(extension STREQUAL ".cu")
      cmake_path(GET source FILENAME name)
      # Two sources of one name in different folders may meet in one target.
      string(SHA1 hash "${source}")
      string(SUBSTRING ${hash} 0 8 hash)
      set(wrapper ${CMAKE_CURRENT_BINARY_DIR}/emulated/${target}/${hash}/${name}.cpp)
      file(CONFIGURE OUTPUT ${wrapper} CONTENT "#include \"${source}\"\n" @ONLY)
      target_sources(${target} PRIVATE ${wrapper})
    else()
      target_sources(${target} PRIVATE ${source})
    endif()
  endforeach()
  target_link_libraries(${target} PRIVATE tessera::emulator)
endfunction()

function(tessera_emulated_executable target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES")
  if(NOT arg_SOURCES OR arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "usage: tessera_emulated_executable(<target> SOURCES <source>...)")
  endif()
  add_executable(${target})
  tessera_emulated_sources(${target} ${arg_SOURCES})
endfunction()
