# The emulator's own tests. Needs GoogleTest.

tessera_emulated_executable(emulator_tests SOURCES scheduler_test.cu cluster_test.cu barrier_test.cu
                            progress_test.cu launch_order_test.cu tensor_copy_test.cu device_test.cu runtime_test.cu macros_test.cpp)
target_link_libraries(emulator_tests PRIVATE GTest::gtest_main Threads::Threads)
target_compile_options(emulator_tests PRIVATE -Wall -Wextra -Wshadow -Wconversion)
target_include_directories(emulator_tests PRIVATE ${CMAKE_CURRENT_LIST_DIR})
add_test(NAME emulator_tests COMMAND emulator_tests)
set_tests_properties(emulator_tests PROPERTIES LABELS emulated TIMEOUT 300)

if(TESSERA_EMULATOR_SANITIZER STREQUAL "none")
  return()
endif()

tessera_emulated_executable(emulator_faults SOURCES sanitizer_faults.cu)
target_include_directories(emulator_faults PRIVATE ${CMAKE_CURRENT_LIST_DIR})

# emulator_fault(<fault> <regex>): the sanitizer's report of this fault must match.
function(emulator_fault fault regex)
  add_test(NAME emulator_faults.${fault} COMMAND emulator_faults ${fault})
  set_tests_properties(
    emulator_faults.${fault}
    PROPERTIES LABELS emulated PASS_REGULAR_EXPRESSION "${regex}" TIMEOUT 60
               ENVIRONMENT "TESSERA_EMULATOR_THREADS=2;TSAN_OPTIONS=halt_on_error=1")
endfunction()

add_test(NAME emulator_faults.none COMMAND emulator_faults none)
set_tests_properties(
  emulator_faults.none PROPERTIES LABELS emulated FAIL_REGULAR_EXPRESSION "Sanitizer|runtime error"
                                  ENVIRONMENT TESSERA_EMULATOR_THREADS=2 TIMEOUT 60)
if(TESSERA_EMULATOR_SANITIZER STREQUAL "address")
  emulator_fault(write_shared "heap-buffer-overflow.*WRITE of size 4")
  emulator_fault(read_shared "heap-buffer-overflow.*READ of size 4")
  emulator_fault(write_gmem "heap-buffer-overflow.*WRITE of size 4")
  emulator_fault(copy_to_shared "heap-buffer-overflow.*WRITE of size 4")
  emulator_fault(write_barrier "use-after-poison.*WRITE of size 4")
  emulator_fault(write_beside_gap "use-after-poison.*WRITE of size 4")
  emulator_fault(read_vector "misaligned address")
else()
  foreach(fault IN ITEMS read_before_barrier overwrite_before_barrier shuffle_is_no_barrier
                         refill_before_barrier read_after_wait_only write_from_every_block
                         read_before_cluster_barrier end_before_cluster_barrier read_before_full
                         fill_before_empty arrive_before_init copies_are_no_barrier
                         publish_before_syncwarp read_before_published)
    emulator_fault(${fault} "ThreadSanitizer: data race.*[ :]${fault}")
  endforeach()
endif()
