# cmake -DPKG_CONFIG=... -DPREFIX=... -DMOVED=... -DFOLDER=... -DCOMPILER=... -DVERSION=...
# -DSOURCE=... -P: a user's compiler call with what pkg-config says of an installation that was moved.
if(NOT PKG_CONFIG)
  message("SKIPPED: no pkg-config here; nothing was checked")
  return()
endif()
file(REMOVE_RECURSE ${MOVED})
file(COPY ${PREFIX}/ DESTINATION ${MOVED})
set(ENV{PKG_CONFIG_PATH} ${MOVED}/${FOLDER})
execute_process(COMMAND ${PKG_CONFIG} --modversion tessera OUTPUT_VARIABLE version
                OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
if(NOT version STREQUAL VERSION)
  message(FATAL_ERROR "pkg-config has version ${version}, not ${VERSION}")
endif()
execute_process(COMMAND ${PKG_CONFIG} --cflags --libs tessera OUTPUT_VARIABLE flags
                OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
if(flags MATCHES "${PREFIX}/" OR NOT flags MATCHES "${MOVED}/")
  message(FATAL_ERROR "not relocatable: ${flags}")
endif()
separate_arguments(flags)
execute_process(COMMAND ${COMPILER} -std=c++20 ${flags} ${SOURCE} -o ${MOVED}/consumer
                COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${MOVED}/consumer COMMAND_ERROR_IS_FATAL ANY)
