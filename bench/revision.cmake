# cmake -DSOURCE=<folder> -DHEADER=<file> -P: writes the revision of the sources into a header, with
# "-dirty" where tracked files have changes, result files aside; empty where git cannot tell.
cmake_minimum_required(VERSION 3.25)
set(TESSERA_REVISION "")
execute_process(COMMAND git -C ${SOURCE} rev-parse HEAD OUTPUT_VARIABLE revision
                OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
if(failed EQUAL 0)
  set(TESSERA_REVISION ${revision})
  execute_process(COMMAND git -C ${SOURCE} status --porcelain --untracked-files=no -- .
                          ":(exclude)bench/results" OUTPUT_VARIABLE changes ERROR_QUIET)
  if(changes)
    string(APPEND TESSERA_REVISION "-dirty")
  endif()
endif()
# Written only where it differs.
file(CONFIGURE OUTPUT ${HEADER} @ONLY
     CONTENT "#pragma once\n#define TESSERA_REVISION \"@TESSERA_REVISION@\"\n")
