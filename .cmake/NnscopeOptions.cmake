# Compiler settings that every target of ours shares: the interface library nnscope_options. What must also hold for
# third-party code compiled here, or sanitizers report falsely, is in nnscope_instrumentation.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin")

option(NNSCOPE_WARNINGS_AS_ERRORS "Treat compiler warnings as errors" ON)
set(NNSCOPE_SANITIZE "" CACHE STRING "Sanitizers for every target: empty, 'address,undefined' or 'thread'")
option(NNSCOPE_FUZZ "Build the fuzzers (clang only), and run each of them briefly as a test" OFF)

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()

add_library(nnscope_options INTERFACE)
add_library(nnscope_instrumentation INTERFACE)
target_link_libraries(nnscope_options INTERFACE nnscope_instrumentation)
target_include_directories(nnscope_options INTERFACE "${PROJECT_SOURCE_DIR}")
# What flatc, nnscope_embed and others generate: our warnings do not look into it.
target_include_directories(nnscope_options SYSTEM INTERFACE "${PROJECT_BINARY_DIR}/generated")
target_compile_options(nnscope_options INTERFACE -Wall -Wextra -Wshadow -Wconversion -Wsign-conversion
                       -Wnon-virtual-dtor -Woverloaded-virtual)
if(NNSCOPE_WARNINGS_AS_ERRORS)
  target_compile_options(nnscope_options INTERFACE -Werror)
endif()
# 0 or 1, for generator expressions, in which the comma of NNSCOPE_SANITIZE separates.
set(NNSCOPE_HAS_SANITIZER 0)
if(NNSCOPE_SANITIZE)
  set(NNSCOPE_HAS_SANITIZER 1)
  # Half the compile time of -O3 and clearer stacks; assertions stay on.
  set(CMAKE_CXX_FLAGS_RELEASE "-O1")
  set(CMAKE_C_FLAGS_RELEASE "-O1")
  # Undefined behaviour is looked for in our code only; memory and threads everywhere.
  string(REGEX REPLACE ",?undefined" "" everywhere "${NNSCOPE_SANITIZE}")
  if(everywhere)
    target_compile_options(nnscope_instrumentation INTERFACE -fsanitize=${everywhere} -fno-omit-frame-pointer -g1)
  endif()
  target_compile_options(nnscope_options INTERFACE -fsanitize=${NNSCOPE_SANITIZE} -fno-sanitize-recover=all)
  target_link_options(nnscope_instrumentation INTERFACE -fsanitize=${NNSCOPE_SANITIZE})
endif()
# What the fuzzers of tests/fuzz read their input with: only there their coverage is counted, since counting makes code half
# as large again, and slower to compile and to run.
set(NNSCOPE_FUZZED_FOLDERS core/base core/capture core/checkpoint core/live core/python/builtins core/python/eval core/python/syntax
                           core/tensor core/unicode)

if(EMSCRIPTEN)
  # Nobody throws and nobody catches: without landing pads, and with the system libraries built so, the page is smaller.
  target_compile_options(nnscope_instrumentation INTERFACE -fno-exceptions -msimd128)
  target_link_options(nnscope_instrumentation INTERFACE -fno-exceptions)
  # Not -Os: with this clang it inlines next to nothing, and reading a header takes four times as long for 5 % fewer bytes.
  set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")
  set(CMAKE_C_FLAGS_RELEASE "-O2 -DNDEBUG")
endif()
