# cmake -DNM=<nm> -DLIBRARY=<file> -DEXPORT=<symbol> -P: the library shows the dynamic linker its own
# function and nothing of Tessera that plans, launches or runs. (Value types, Status and TileConfig,
# may appear where they are not inlined: they do the same in every library of one version.)
execute_process(COMMAND ${NM} -DC --defined-only ${LIBRARY} OUTPUT_VARIABLE symbols
                COMMAND_ERROR_IS_FATAL ANY)
if(NOT symbols MATCHES " T ${EXPORT}\n")
  message(FATAL_ERROR "${LIBRARY} does not export ${EXPORT}:\n${symbols}")
endif()
set(hidden "tessera::(gemm<|plan<|detail::|kernel::|mainloop::|tile::|thread::|smem_)")
if(symbols MATCHES "[^\n]*${hidden}[^\n]*")
  message(FATAL_ERROR "${LIBRARY} exports ${CMAKE_MATCH_0}")
endif()
message(STATUS "${LIBRARY} exports ${EXPORT} and nothing that plans, launches or runs")
