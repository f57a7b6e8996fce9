# Tests of the core as WebAssembly under Node: the same folders of tests/, whose nnscope_test() makes
# <build>/bin/tests/<name>_test.js here. The native build tree registers them with CTest (nnscope_wasm_tests).
# They read and write the machine's files through Node. GoogleTest is compiled from the sources of its Debian package.
set(NNSCOPE_GOOGLETEST "/usr/src/googletest" CACHE PATH "Where the sources of GoogleTest and GoogleMock lie")
foreach(part googletest googlemock)
  if(NOT EXISTS "${NNSCOPE_GOOGLETEST}/${part}/src")
    message(FATAL_ERROR "${NNSCOPE_GOOGLETEST}/${part} is not there: the Debian package googletest has it.")
  endif()
endforeach()
add_library(nnscope_googletest STATIC
  ${NNSCOPE_GOOGLETEST}/googletest/src/gtest-all.cc ${NNSCOPE_GOOGLETEST}/googlemock/src/gmock-all.cc
  ${NNSCOPE_GOOGLETEST}/googlemock/src/gmock_main.cc)
target_include_directories(nnscope_googletest
  SYSTEM PUBLIC ${NNSCOPE_GOOGLETEST}/googletest/include ${NNSCOPE_GOOGLETEST}/googlemock/include
  PRIVATE ${NNSCOPE_GOOGLETEST}/googletest ${NNSCOPE_GOOGLETEST}/googlemock)
target_link_libraries(nnscope_googletest PUBLIC nnscope_instrumentation)
# There are no threads here, and no death tests.
target_compile_definitions(nnscope_googletest PUBLIC GTEST_HAS_PTHREAD=0 GTEST_HAS_DEATH_TEST=0 GTEST_HAS_EXCEPTIONS=0)

# As the native nnscope_test() (.cmake/NnscopeTests.cmake).
function(nnscope_test name)
  cmake_parse_arguments(ARG "" "" "NEEDS;EXTERNAL;SOURCES" ${ARGN})
  list(TRANSFORM ARG_SOURCES PREPEND "${PROJECT_SOURCE_DIR}/")
  set(environment "${PROJECT_SOURCE_DIR}/tests/support/node_environment.js")
  add_executable(${name}_test ${ARG_SOURCES})
  nnscope_compile_in_groups(${name}_test)
  target_link_libraries(${name}_test PRIVATE nnscope_options nnscope_googletest ${ARG_EXTERNAL})
  foreach(need IN LISTS ARG_NEEDS)
    string(REPLACE "/" "_" need "${need}")
    target_link_libraries(${name}_test PRIVATE nnscope_${need})
  endforeach()
  # -O1: what links them would else take longer than they do.
  target_link_options(${name}_test PRIVATE -O1 -sENVIRONMENT=node -sNODERAWFS=1 -sEXIT_RUNTIME=1 -sALLOW_MEMORY_GROWTH=1
                      -sMAXIMUM_MEMORY=4GB -sINITIAL_MEMORY=64MB -sTOTAL_STACK=32MB --pre-js ${environment})
  set_target_properties(${name}_test PROPERTIES LINK_DEPENDS "${environment}" RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin/tests" SUFFIX ".js")
endfunction()
