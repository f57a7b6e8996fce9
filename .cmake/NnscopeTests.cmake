# nnscope_test, nnscope_benchmark, nnscope_fuzz and nnscope_browser_test: how a folder of tests/ adds what it has.
# All paths of sources are relative to the top of the repository.

# nnscope_test(nn SOURCES tests/nn/a_test.cpp NEEDS core/nn [EXTERNAL lib] [OWN_ALLOCATOR] [ONE_BY_ONE]): one GoogleTest
# program, its tests registered one by one with CTest; among all checks, and with sanitizers, as two halves, since starting a
# process for each test takes longer than the tests: gtest/NAME-HALF.xml is what they tell.
# OWN_ALLOCATOR: it has an operator new of its own. ONE_BY_ONE: never as halves without sanitizers; it measures the memory
# of programs that it starts, and Linux counts what the one that starts them had.
function(nnscope_test name)
  cmake_parse_arguments(ARG "OWN_ALLOCATOR;ONE_BY_ONE" "" "NEEDS;EXTERNAL;SOURCES" ${ARGN})
  list(TRANSFORM ARG_SOURCES PREPEND "${PROJECT_SOURCE_DIR}/")
  add_executable(${name}_test ${ARG_SOURCES})
  nnscope_compile_in_groups(${name}_test)
  # What is tested is optimised; nothing is won by optimising the tests, and they compile in half the time.
  target_compile_options(${name}_test PRIVATE -O0)
  target_link_libraries(${name}_test PRIVATE nnscope_options GTest::gmock GTest::gtest GTest::gtest_main ${ARG_EXTERNAL})
  if(NOT ARG_OWN_ALLOCATOR)
    target_link_libraries(${name}_test PRIVATE nnscope_native_allocator)
  endif()
  foreach(need IN LISTS ARG_NEEDS)
    string(REPLACE "/" "_" need "${need}")
    target_link_libraries(${name}_test PRIVATE nnscope_${need})
  endforeach()
  set_target_properties(${name}_test PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin/tests")
  if(NNSCOPE_SANITIZE OR (NNSCOPE_CHECKS AND NOT ARG_ONE_BY_ONE))
    foreach(half 0 1)
      add_test(NAME ${name}/${half} COMMAND ${name}_test --gtest_brief=1
               "--gtest_output=xml:${PROJECT_BINARY_DIR}/gtest/${name}-${half}.xml")
      set_tests_properties(${name}/${half} PROPERTIES LABELS ${name} TIMEOUT 1800
        ENVIRONMENT "GTEST_TOTAL_SHARDS=2;GTEST_SHARD_INDEX=${half};ASAN_OPTIONS=allocator_may_return_null=1:malloc_context_size=3")
    endforeach()
  else()
    gtest_discover_tests(${name}_test DISCOVERY_MODE PRE_TEST PROPERTIES LABELS ${name} TIMEOUT 300)
  endif()
endfunction()

# nnscope_benchmark(SOURCES tests/bench/open_bench.cpp NEEDS core/checkpoint): adds sources to the one benchmark program,
# bin/nnscope_bench. Not built with sanitizers. Benchmarks are never tests.
function(nnscope_benchmark)
  cmake_parse_arguments(ARG "" "" "NEEDS;EXTERNAL;SOURCES" ${ARGN})
  if(NNSCOPE_SANITIZE)
    return()
  endif()
  if(NOT TARGET nnscope_bench)
    find_package(benchmark REQUIRED)
    add_executable(nnscope_bench)
    nnscope_compile_in_groups(nnscope_bench)
    target_link_libraries(nnscope_bench PRIVATE nnscope_options benchmark::benchmark benchmark::benchmark_main nnscope_native_allocator)
  endif()
  list(TRANSFORM ARG_SOURCES PREPEND "${PROJECT_SOURCE_DIR}/")
  target_sources(nnscope_bench PRIVATE ${ARG_SOURCES})
  target_link_libraries(nnscope_bench PRIVATE ${ARG_EXTERNAL})
  foreach(need IN LISTS ARG_NEEDS)
    string(REPLACE "/" "_" need "${need}")
    target_link_libraries(nnscope_bench PRIVATE nnscope_${need})
  endforeach()
endfunction()

# nnscope_fuzz(safetensors SOURCES tests/fuzz/safetensors_fuzz.cpp NEEDS core/checkpoint CORPUS tests/fuzz/corpus/safetensors
#              [DICTIONARY tests/fuzz/safetensors.dict] [MAX_LEN bytes])
# With NNSCOPE_FUZZ: the libFuzzer program bin/fuzz/safetensors_fuzz, and the test fuzz/safetensors, which runs the corpus
# and then fuzzes for NNSCOPE_FUZZ_SECONDS. What is found is written beside the program, never into the corpus.
set(NNSCOPE_FUZZ_SECONDS 10 CACHE STRING "How long the test of each fuzzer runs")
function(nnscope_fuzz name)
  cmake_parse_arguments(ARG "" "CORPUS;DICTIONARY;MAX_LEN" "NEEDS;EXTERNAL;SOURCES" ${ARGN})
  if(NOT NNSCOPE_FUZZ)
    return()
  endif()
  list(TRANSFORM ARG_SOURCES PREPEND "${PROJECT_SOURCE_DIR}/")
  add_executable(${name}_fuzz ${ARG_SOURCES})
  target_compile_options(${name}_fuzz PRIVATE -fsanitize=fuzzer-no-link)
  target_link_libraries(${name}_fuzz PRIVATE nnscope_options ${ARG_EXTERNAL})
  target_link_options(${name}_fuzz PRIVATE -fsanitize=fuzzer)
  foreach(need IN LISTS ARG_NEEDS)
    string(REPLACE "/" "_" need "${need}")
    target_link_libraries(${name}_fuzz PRIVATE nnscope_${need})
  endforeach()
  set(folder "${PROJECT_BINARY_DIR}/bin/fuzz")
  set_target_properties(${name}_fuzz PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${folder}")
  set(grown "${folder}/${name}_corpus")
  file(MAKE_DIRECTORY "${grown}")
  set(options -max_total_time=${NNSCOPE_FUZZ_SECONDS} -timeout=10 -rss_limit_mb=1024 -malloc_limit_mb=512
      -print_final_stats=1 -artifact_prefix=${folder}/${name}_)
  if(ARG_DICTIONARY)
    list(APPEND options "-dict=${PROJECT_SOURCE_DIR}/${ARG_DICTIONARY}")
  endif()
  if(ARG_MAX_LEN)
    list(APPEND options -max_len=${ARG_MAX_LEN})
  endif()
  set(corpus "${grown}")
  if(ARG_CORPUS)
    list(APPEND corpus "${PROJECT_SOURCE_DIR}/${ARG_CORPUS}")
  endif()
  add_test(NAME fuzz/${name} COMMAND ${name}_fuzz ${options} ${corpus})
  math(EXPR limit "${NNSCOPE_FUZZ_SECONDS} * 3 + 120")
  set_tests_properties(fuzz/${name} PROPERTIES LABELS fuzz TIMEOUT ${limit})
endfunction()

# nnscope_wasm_tests(python object): tests that the web tree has built as WebAssembly (.cmake/NnscopeWasmTests.cmake), run
# by Node: wasm/python/0 and 1, two halves. Only with NNSCOPE_WEB. This Emscripten takes a fetch() for that of a browser.
function(nnscope_wasm_tests)
  if(NOT NNSCOPE_WEB OR NOT NNSCOPE_CHECKS)
    return()
  endif()
  foreach(name IN LISTS ARGN)
    foreach(half 0 1)
      add_test(NAME wasm/${name}/${half}
        COMMAND ${NNSCOPE_NODE} --no-experimental-fetch "${NNSCOPE_WEB_BUILD_DIR}/bin/tests/${name}_test.js" --gtest_brief=1)
      set_tests_properties(wasm/${name}/${half} PROPERTIES LABELS wasm TIMEOUT 900
        ENVIRONMENT "GTEST_TOTAL_SHARDS=2;GTEST_SHARD_INDEX=${half}")
    endforeach()
  endforeach()
endfunction()

# nnscope_browser_test(explorer SCRIPT tests/web/explorer.mjs [ARGUMENTS ...]): a Node script that drives Chromium through
# playwright-core; status 0 is passed, 77 is skipped. It finds in its environment: NNSCOPE_SITE (the built site),
# NNSCOPE_PROGRAM (bin/nnscope), NNSCOPE_CHROMIUM, and NNSCOPE_TEST_DATA where the caller set it. Only with NNSCOPE_WEB.
function(nnscope_browser_test name)
  cmake_parse_arguments(ARG "" "SCRIPT;TIMEOUT" "ARGUMENTS" ${ARGN})
  if(NOT NNSCOPE_WEB OR NOT NNSCOPE_CHECKS)
    return()
  endif()
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 600)
  endif()
  add_test(NAME browser/${name} COMMAND ${NNSCOPE_NODE} "${PROJECT_SOURCE_DIR}/${ARG_SCRIPT}" ${ARG_ARGUMENTS}
           WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}")
  set_tests_properties(browser/${name} PROPERTIES LABELS browser TIMEOUT ${ARG_TIMEOUT} SKIP_RETURN_CODE 77 PROCESSORS 2
    ENVIRONMENT "NNSCOPE_SITE=${NNSCOPE_WEB_BUILD_DIR}/site;NNSCOPE_PROGRAM=${PROJECT_BINARY_DIR}/bin/nnscope;NNSCOPE_CHROMIUM=${NNSCOPE_CHROMIUM}")
endfunction()
