# What a Debian machine must have, grouped by what needs it. Runs before any language is enabled, so that even the
# compiler may be installed here. The list of what is missing is printed first; then the package manager is called
# where that is allowed (root, or sudo without a password, and NNSCOPE_INSTALL_DEPS is ON); otherwise configuration
# stops with the command to type. A machine without dpkg is left to find_package, whose errors name what is missing.
option(NNSCOPE_INSTALL_DEPS "Install missing Debian packages during configuration" ON)

# One row a package; "package:program" is also satisfied by any program of that name on the PATH.
set(NNSCOPE_PACKAGES_core
    g++:g++ git:git ninja-build:ninja ccache:ccache pkg-config:pkg-config ca-certificates
    libfmt-dev libboost-dev libsimdjson-dev zlib1g-dev flatbuffers-compiler:flatc libflatbuffers-dev libhwy-dev libeigen3-dev libpcre2-dev npm:npm)
set(NNSCOPE_PACKAGES_native
    libglfw3-dev libgles-dev libegl-dev libgl1-mesa-dri libstb-dev libcli11-dev libcurl4-openssl-dev libedit-dev nlohmann-json3-dev libmimalloc-dev
    fonts-inter fonts-jetbrains-mono fonttools:pyftsubset)
set(NNSCOPE_PACKAGES_tests libgtest-dev libgmock-dev libbenchmark-dev xvfb:xvfb-run xauth:xauth python3:python3)
set(NNSCOPE_PACKAGES_web emscripten:emcc nodejs:node esbuild:esbuild)
set(NNSCOPE_PACKAGES_browser chromium:chromium)
set(NNSCOPE_PACKAGES_checks clang-format:clang-format clang-tidy:clang-tidy clang:clang++ libclang-rt-14-dev)

# nnscope_missing_packages(result group...): those packages of the groups that this machine lacks.
function(nnscope_missing_packages result)
  set(missing "")
  foreach(group IN LISTS ARGN)
    foreach(row IN LISTS NNSCOPE_PACKAGES_${group})
      string(REGEX MATCH "^[^:]+" package "${row}")
      string(REGEX MATCH ":(.+)$" has_program "${row}")
      if(has_program)
        find_program(NNSCOPE_FOUND_PROGRAM NAMES ${CMAKE_MATCH_1} NO_CACHE)
        if(NNSCOPE_FOUND_PROGRAM)
          unset(NNSCOPE_FOUND_PROGRAM)
          continue()
        endif()
        unset(NNSCOPE_FOUND_PROGRAM)
      endif()
      execute_process(COMMAND dpkg-query -W -f "\${db:Status-Status}\n" ${package}
                      OUTPUT_VARIABLE status ERROR_QUIET RESULT_VARIABLE failed)
      if(failed OR NOT status MATCHES "(^|\n)installed")
        list(APPEND missing ${package})
      endif()
    endforeach()
  endforeach()
  set(${result} ${missing} PARENT_SCOPE)
endfunction()

# nnscope_need_packages(group...): installs what is missing, or stops with the command that does.
function(nnscope_need_packages)
  find_program(NNSCOPE_DPKG_QUERY dpkg-query)
  find_program(NNSCOPE_APT_GET apt-get)
  mark_as_advanced(NNSCOPE_DPKG_QUERY NNSCOPE_APT_GET)
  if(NOT NNSCOPE_DPKG_QUERY OR NOT NNSCOPE_APT_GET)
    return()
  endif()
  nnscope_missing_packages(missing ${ARGN})
  if(NOT missing)
    return()
  endif()
  string(REPLACE ";" " " spaced "${missing}")
  message(STATUS "Missing packages: ${spaced}")

  execute_process(COMMAND id -u OUTPUT_VARIABLE user OUTPUT_STRIP_TRAILING_WHITESPACE)
  set(allowed OFF)
  set(as_root "")
  if(user STREQUAL "0")
    set(allowed ON)
  else()
    find_program(NNSCOPE_SUDO sudo)
    mark_as_advanced(NNSCOPE_SUDO)
    if(NNSCOPE_SUDO)
      execute_process(COMMAND ${NNSCOPE_SUDO} -n true RESULT_VARIABLE refused OUTPUT_QUIET ERROR_QUIET)
      if(NOT refused)
        set(allowed ON)
        set(as_root ${NNSCOPE_SUDO} -n)
      endif()
    endif()
  endif()
  if(NOT NNSCOPE_INSTALL_DEPS OR NOT allowed)
    message(FATAL_ERROR "nnscope needs packages that this machine lacks. Type\n"
            "  sudo apt-get install -y --no-install-recommends ${spaced}\n"
            "and configure again.")
  endif()

  message(STATUS "Installing them with apt-get (-DNNSCOPE_INSTALL_DEPS=OFF prevents this)")
  set(apt ${as_root} env DEBIAN_FRONTEND=noninteractive ${NNSCOPE_APT_GET})
  execute_process(COMMAND ${apt} update -q RESULT_VARIABLE failed)
  if(failed)
    message(STATUS "apt-get update failed; trying with the lists that are there")
  endif()
  execute_process(COMMAND ${apt} install -y -q --no-install-recommends ${missing} RESULT_VARIABLE failed)
  if(failed)
    message(FATAL_ERROR "apt-get could not install: ${spaced}")
  endif()
endfunction()
