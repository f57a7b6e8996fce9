# The checks that the 'check' preset adds to the tests: formatting, clang-tidy, the sanitizers' trees, the browser.
if(NOT NNSCOPE_CHECKS)
  return()
endif()
find_program(NNSCOPE_CLANG_FORMAT clang-format REQUIRED)
find_program(NNSCOPE_CLANG_TIDY clang-tidy REQUIRED)
find_program(NNSCOPE_NODE node REQUIRED)
find_program(NNSCOPE_NPM npm REQUIRED)
find_program(NNSCOPE_CHROMIUM NAMES chromium chromium-browser google-chrome REQUIRED)
find_package(Python3 REQUIRED COMPONENTS Interpreter)
mark_as_advanced(NNSCOPE_CLANG_FORMAT NNSCOPE_CLANG_TIDY NNSCOPE_NODE NNSCOPE_NPM NNSCOPE_CHROMIUM)

add_test(NAME check/format COMMAND "${Python3_EXECUTABLE}" "${PROJECT_SOURCE_DIR}/.ci/format.py" --check
         --clang-format "${NNSCOPE_CLANG_FORMAT}" WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}")
set(tidy_scope --changed)
if(NNSCOPE_FULL)
  set(tidy_scope --all)
endif()
add_test(NAME check/tidy COMMAND "${Python3_EXECUTABLE}" "${PROJECT_SOURCE_DIR}/.ci/tidy.py" ${tidy_scope}
         --build "${PROJECT_BINARY_DIR}" --clang-tidy "${NNSCOPE_CLANG_TIDY}" --cache "${NNSCOPE_CACHE_DIR}/tidy"
         WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}")
set_tests_properties(check/format check/tidy PROPERTIES LABELS check)
set_tests_properties(check/tidy PROPERTIES TIMEOUT 1200 PROCESSORS 2)

# The tests of another tree, as one test of this one, last of all; its output names the single failures. It is this test
# that builds that tree, so that a build from nothing that takes all the time there is (NNSCOPE_DEADLINE) costs only it.
foreach(sanitizer asan tsan)
  if(TARGET nnscope_${sanitizer})
    add_test(NAME check/${sanitizer}
             COMMAND "${Python3_EXECUTABLE}" "${PROJECT_SOURCE_DIR}/.ci/sanitized.py" --build "${PROJECT_BINARY_DIR}"
               --target nnscope_${sanitizer} --tree "${NNSCOPE_TREES}/${sanitizer}" --cmake "${CMAKE_COMMAND}"
               --ctest "${CMAKE_CTEST_COMMAND}")
    set_tests_properties(check/${sanitizer} PROPERTIES LABELS check PROCESSORS 2 TIMEOUT 14400 COST -1 SKIP_RETURN_CODE 77)
  endif()
endforeach()

# What npm brings, from the lock file; again when that changes.
set(npm_stamp "${PROJECT_BINARY_DIR}/npm.stamp")
add_custom_command(OUTPUT "${npm_stamp}"
  COMMAND ${NNSCOPE_NPM} ci --ignore-scripts --no-audit --no-fund
  COMMAND ${CMAKE_COMMAND} -E touch "${npm_stamp}"
  DEPENDS "${PROJECT_SOURCE_DIR}/package.json" "${PROJECT_SOURCE_DIR}/package-lock.json"
  WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}" COMMENT "Installing what package-lock.json names" VERBATIM)
add_custom_target(nnscope_npm ALL DEPENDS "${npm_stamp}")
