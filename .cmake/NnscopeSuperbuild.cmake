# The other build trees that belong to a native one: the web explorer (Emscripten), and the tests under sanitizers (clang).
# Each is an external project whose own Ninja decides what is out of date; doing nothing takes it a fraction of a second.
include(ExternalProject)
cmake_path(GET PROJECT_BINARY_DIR FILENAME tree)
if(tree STREQUAL "native")
  cmake_path(GET PROJECT_BINARY_DIR PARENT_PATH NNSCOPE_TREES)
else()
  set(NNSCOPE_TREES "${PROJECT_BINARY_DIR}")
endif()
set(NNSCOPE_WEB_BUILD_DIR "${NNSCOPE_TREES}/web")

# nnscope_build_tree(name folder [WHEN_ASKED] cache-arguments...); WHEN_ASKED: 'all' does not build it.
function(nnscope_build_tree name folder)
  cmake_parse_arguments(ARG "WHEN_ASKED" "" "" ${ARGN})
  ExternalProject_Add(${name}
    SOURCE_DIR "${PROJECT_SOURCE_DIR}" BINARY_DIR "${folder}" PREFIX "${PROJECT_BINARY_DIR}/${name}"
    EXCLUDE_FROM_ALL ${ARG_WHEN_ASKED}
    CMAKE_CACHE_ARGS ${ARG_UNPARSED_ARGUMENTS}
      -DNNSCOPE_CACHE_DIR:PATH=${NNSCOPE_CACHE_DIR}
      -DNNSCOPE_INSTALL_DEPS:BOOL=${NNSCOPE_INSTALL_DEPS}
      -DNNSCOPE_WARNINGS_AS_ERRORS:BOOL=${NNSCOPE_WARNINGS_AS_ERRORS}
    BUILD_ALWAYS TRUE USES_TERMINAL_CONFIGURE TRUE USES_TERMINAL_BUILD TRUE
    INSTALL_COMMAND "" TEST_COMMAND "")
endfunction()

if(NNSCOPE_WEB)
  execute_process(COMMAND em-config EMSCRIPTEN_ROOT OUTPUT_VARIABLE root OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE failed)
  if(failed)
    message(FATAL_ERROR "NNSCOPE_WEB needs Emscripten: em-config is not on the PATH.")
  endif()
  nnscope_build_tree(nnscope_web "${NNSCOPE_WEB_BUILD_DIR}"
    -DCMAKE_TOOLCHAIN_FILE:FILEPATH=${root}/cmake/Modules/Platform/Emscripten.cmake
    -DCMAKE_BUILD_TYPE:STRING=Release
    -DNNSCOPE_TESTS:BOOL=${NNSCOPE_TESTS}
    -DNNSCOPE_FLATC:STRING=${NNSCOPE_FLATC}
    -DNNSCOPE_HOST_INCLUDE:PATH=${NNSCOPE_FLATBUFFERS_INCLUDE})
endif()

option(NNSCOPE_CHECK_SANITIZERS "Build the tests and fuzzers under sanitizers too, and run them with the checks" ON)
if(NNSCOPE_CHECKS AND NNSCOPE_CHECK_SANITIZERS)
  set(fuzz_seconds 10)
  if(NNSCOPE_FULL)
    set(fuzz_seconds 600)
  endif()
  nnscope_build_tree(nnscope_asan "${NNSCOPE_TREES}/asan" WHEN_ASKED
    -DCMAKE_C_COMPILER:STRING=clang -DCMAKE_CXX_COMPILER:STRING=clang++
    -DCMAKE_BUILD_TYPE:STRING=Release
    -DNNSCOPE_SANITIZE:STRING=address,undefined
    -DNNSCOPE_FUZZ:BOOL=ON -DNNSCOPE_FUZZ_SECONDS:STRING=${fuzz_seconds})
  if(NNSCOPE_FULL)
    nnscope_build_tree(nnscope_tsan "${NNSCOPE_TREES}/tsan" WHEN_ASKED
      -DCMAKE_C_COMPILER:STRING=clang -DCMAKE_CXX_COMPILER:STRING=clang++
      -DCMAKE_BUILD_TYPE:STRING=Release -DNNSCOPE_SANITIZE:STRING=thread)
  endif()
endif()

# The first command of README.md ends here: a window where there is a display, otherwise the web explorer's address.
if(TARGET nnscope)
  add_custom_target(explore
    COMMAND ${CMAKE_COMMAND} -E env "${PROJECT_SOURCE_DIR}/.cmake/explore.sh" $<TARGET_FILE:nnscope>
    USES_TERMINAL VERBATIM)
  add_dependencies(explore nnscope)
  if(NNSCOPE_WEB)
    add_dependencies(explore nnscope_web)
  endif()
endif()
