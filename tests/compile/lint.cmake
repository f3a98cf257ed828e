# clang-tidy over the kernels and cppcheck over the headers, both through the emulator's headers.
# Where a tool is missing, its entry is skipped and says so.
if(NOT TESSERA_EMULATED)
  return()
endif()

# tessera_lint_test(<name> <program> <argument>...)
function(tessera_lint_test name program)
  find_program(TESSERA_${name} ${program})
  if(TESSERA_${name})
    add_test(NAME lint.${name} COMMAND ${TESSERA_${name}} ${ARGN})
  else()
    add_test(NAME lint.${name}
             COMMAND ${CMAKE_COMMAND} -E echo "SKIPPED: no ${program} here; nothing was checked")
    set_tests_properties(lint.${name} PROPERTIES SKIP_REGULAR_EXPRESSION "SKIPPED: no ")
  endif()
  set_tests_properties(lint.${name} PROPERTIES LABELS compile TIMEOUT 300)
endfunction()

set(emulator_include ${PROJECT_SOURCE_DIR}/tests/emulator/include)

# Its checks are in .clang-tidy. --quiet still counts the warnings in system headers.
tessera_lint_test(clang_tidy clang-tidy --quiet ${CMAKE_CURRENT_SOURCE_DIR}/every_policy.cu --
                  -x c++ -std=c++20 -DTESSERA_EMULATOR=1 -Wno-unknown-pragmas -I${emulator_include}
                  -I${PROJECT_SOURCE_DIR}/include -I${CMAKE_CURRENT_BINARY_DIR})

# Suppressed: unusedStructMember, because a header alone does not use all it defines; passedByValue
# in the kernels, whose arguments are copied to the device; syntaxError where version 2.10 does not
# know a lambda's template parameters (later versions read those three files as well); noConstructor
# for a barrier, which lies in shared memory and is never constructed.
list(TRANSFORM headers PREPEND ${PROJECT_SOURCE_DIR}/include/ OUTPUT_VARIABLE header_paths)
tessera_lint_test(cppcheck cppcheck --quiet --language=c++ --std=c++20 --error-exitcode=1
                  --enable=warning,style,performance,portability --suppress=missingIncludeSystem
                  --suppress=unusedStructMember --suppress=passedByValue:*/gemm_kernel.cuh
                  --suppress=passedByValue:*/sum_slices_kernel.cuh
                  --suppress=passedByValue:*/sum_many_slices_kernel.cuh
                  --suppress=passedByValue:*/streamed_kernel.cuh
                  --suppress=noConstructor:*/pipeline_barrier.cuh
                  --suppress=noExplicitConstructor:*/gemm_shape.hpp
                  --suppress=syntaxError:*/double_buffered.cuh --suppress=syntaxError:*/gemm.cuh
                  --suppress=syntaxError:*/selection.cuh
                  --suppress=*:${emulator_include}/* -DTESSERA_EMULATOR=1 -D__cplusplus=202002L
                  -I${emulator_include} ${header_paths})
