# Compiler settings that every target of ours shares: the interface library nnscope_options.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

option(NNSCOPE_WARNINGS_AS_ERRORS "Treat compiler warnings as errors" ON)
set(NNSCOPE_SANITIZE "" CACHE STRING "Sanitizers for every target: empty, 'address,undefined' or 'thread'")

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()

add_library(nnscope_options INTERFACE)
target_include_directories(nnscope_options INTERFACE "${PROJECT_SOURCE_DIR}")
# What flatc, nnscope_embed and others generate: our warnings do not look into it.
target_include_directories(nnscope_options SYSTEM INTERFACE "${PROJECT_BINARY_DIR}/generated")
target_compile_options(nnscope_options INTERFACE -Wall -Wextra -Wshadow -Wconversion -Wsign-conversion
                       -Wnon-virtual-dtor -Woverloaded-virtual)
if(NNSCOPE_WARNINGS_AS_ERRORS)
  target_compile_options(nnscope_options INTERFACE -Werror)
endif()
# What must hold for third-party code compiled here, too, or reports are false.
add_library(nnscope_instrumentation INTERFACE)
target_link_libraries(nnscope_options INTERFACE nnscope_instrumentation)
if(NNSCOPE_SANITIZE)
  target_compile_options(nnscope_instrumentation INTERFACE -fsanitize=${NNSCOPE_SANITIZE} -fno-omit-frame-pointer
                         -fno-sanitize-recover=all -g1)
  target_link_options(nnscope_instrumentation INTERFACE -fsanitize=${NNSCOPE_SANITIZE})
endif()
