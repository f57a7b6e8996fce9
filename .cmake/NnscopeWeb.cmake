# WebAssembly programs and the site they are served from: <build>/site.
#
# nnscope_wasm_program(viewer NEEDS ui/app web/host EXTERNAL nnscope::imgui_backends SOURCES viewer_main.cpp
#                      ENVIRONMENT web LINK -sUSE_GLFW=3)
# makes site/viewer.js and site/viewer.wasm. The .js defines one factory, `create_viewer(options)`, which resolves to the
# module (Emscripten's MODULARIZE); `locateFile`, `canvas` and `print` may be given in options. SOURCES are relative to the
# calling folder. ENVIRONMENT is 'web' or 'worker'. LINK holds further settings of emcc, for example
# -sEXPORTED_FUNCTIONS=_main,_malloc,_free,_nns_post or --js-library <file> (add such files to DEPENDS). SMALL: what every
# visitor waits for; its size counts most.
#
# nnscope_site_files(FILES page/index.html ...) copies files of the calling folder, flat, into the site.
set(NNSCOPE_SITE_DIR "${PROJECT_BINARY_DIR}/site")
file(MAKE_DIRECTORY "${NNSCOPE_SITE_DIR}")

function(nnscope_wasm_program name)
  cmake_parse_arguments(ARG "SMALL" "ENVIRONMENT" "SOURCES;NEEDS;EXTERNAL;LINK;DEPENDS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE nnscope_options ${ARG_EXTERNAL})
  foreach(need IN LISTS ARG_NEEDS)
    string(REPLACE "/" "_" need "${need}")
    target_link_libraries(${name} PRIVATE nnscope_${need})
  endforeach()
  # -Os, not -Oz: this Binaryen shrinks no further and runs slower. The stack is 1 MiB; memory grows up to 4 GiB, page by page.
  target_link_options(${name} PRIVATE
    -Os -sMODULARIZE=1 -sEXPORT_NAME=create_${name} -sENVIRONMENT=${ARG_ENVIRONMENT}
    -sALLOW_MEMORY_GROWTH=1 -sMAXIMUM_MEMORY=4GB -sINITIAL_MEMORY=16MB -sTOTAL_STACK=1MB
    -sFILESYSTEM=0 -sASSERTIONS=0 -sERROR_ON_UNDEFINED_SYMBOLS=1 -sEXIT_RUNTIME=0 ${ARG_LINK})
  if(ARG_SMALL)
    # Functions with one caller stay functions: as many bytes, but they pack better (3 % less, gzip).
    target_link_options(${name} PRIVATE -sBINARYEN_EXTRA_PASSES=--one-caller-inline-max-function-size=40)
  endif()
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${NNSCOPE_SITE_DIR}" LINK_DEPENDS "${ARG_DEPENDS}")
endfunction()

function(nnscope_site_files)
  cmake_parse_arguments(ARG "" "" "FILES" ${ARGN})
  set(copies "")
  foreach(file IN LISTS ARG_FILES)
    cmake_path(GET file FILENAME name)
    add_custom_command(OUTPUT "${NNSCOPE_SITE_DIR}/${name}"
      COMMAND ${CMAKE_COMMAND} -E copy "${CMAKE_CURRENT_SOURCE_DIR}/${file}" "${NNSCOPE_SITE_DIR}/${name}"
      DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/${file}" COMMENT "Copying ${name} to the site" VERBATIM)
    list(APPEND copies "${NNSCOPE_SITE_DIR}/${name}")
  endforeach()
  string(MAKE_C_IDENTIFIER "${CMAKE_CURRENT_SOURCE_DIR}" id)
  string(SHA1 id "${id};${ARG_FILES}")
  string(SUBSTRING "${id}" 0 8 id)
  add_custom_target(nnscope_site_files_${id} ALL DEPENDS ${copies})
endfunction()
